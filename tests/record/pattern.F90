! pattern.F90 -- the same as pattern.c in short, by each of the three bindings
! for Fortran: MPIF_H, USE_MPI, USE_MPI_F08.  For 4 ranks; each sends 800 bytes
! to the next, and 8 times its rank from rank i > 0 to rank 0 from any source.
program pattern
#if defined(USE_MPI_F08)
  use mpi_f08
  implicit none
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  type(MPI_Comm) :: half
#else
#if defined(USE_MPI)
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: requests(2), status(MPI_STATUS_SIZE), half
#endif
  integer :: ierr, me, n, i, total
  double precision :: out(100), in(100)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  out = me
  call MPI_Irecv(in, 100, MPI_DOUBLE_PRECISION, modulo(me - 1, n), 1, &
                 MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Isend(out, 100, MPI_DOUBLE_PRECISION, modulo(me + 1, n), 1, &
                 MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  if (in(1) /= modulo(me - 1, n)) stop 3
  if (me > 0) then
    call MPI_Send(out, me, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, ierr)
  else
    do i = 1, n - 1
      call MPI_Recv(in, 100, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, &
                    MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
    end do
  end if
  total = me
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, &
                     MPI_COMM_WORLD, ierr)
  if (total /= 6) stop 4
  call MPI_Comm_split(MPI_COMM_WORLD, modulo(me, 2), me, half, ierr)
  call MPI_Bcast(out, 10, MPI_DOUBLE_PRECISION, 0, half, ierr)
  call MPI_Finalize(ierr)
end program pattern

/* hosts.h -- feeds a packet simulation (carrier.h) with the messages of a
 * program, as hosts and their libraries send them.
 *
 * The model.  A message is ready 'delay' after the last message that it waits
 * for has come.  The host then needs 'overhead' for it, one message after the
 * other in the order in which they became ready; that is its start.  Its first
 * packet may leave host_delay later, and it has come host_delay after its last
 * packet.  Host delays take no time of links, so messages overlap in them;
 * latencies of packets contain both.  All times but those of packets are real
 * numbers: packets leave at the first tick that is not before.  In slots, that
 * rounds each start up to a whole packet time, and nothing else.
 *
 * A host serves the messages that it has started in turn, a packet each.  A
 * message is left out while as many of its packets are under way as the window
 * allows; a packet is no longer under way when it has reached the receiver.  A
 * message is passed over while no address that it may take has room on the VL
 * of its first link.
 *
 * Which address a packet takes:
 *
 *   first     The first.
 *   stripe    Equal parts of the message, in whole packets, go over all
 *             addresses at once, each on its own as on queue pairs: one that
 *             has no room does not hold up the others.  The packets left over
 *             go on where those of the pair's last message ended.  Messages of
 *             at most params->eager bytes go to the first address.
 *   message   The next address of the pair for each message, in the order in
 *             which they start; the first message takes the first address.
 *   random    One for each message, drawn with the seed.
 *   adaptive  For each packet, that with the fewest packets of the pair under
 *             way among those with room; among equals, in turn.
 *
 * What libraries do, as read in their sources:
 *
 *   first     Open MPI unless btl_openib_max_lmc is set, whose default is 1
 *             (btl_openib_mca.c, 1.10.7 and 4.1.6).  UCX unless
 *             UCX_IB_LID_PATH_BITS is set, whose default is 0 (uct/ib/base/
 *             ib_iface.c, 1.23).  NCCL in any case: every queue pair has the
 *             base LID and source path bits 0 (net_ib/connect.cc, 2.30.7), so
 *             that neither NCCL_IB_QPS_PER_CONNECTION nor
 *             NCCL_IB_SPLIT_DATA_ON_QPS spreads over the addresses of an LMC.
 *   message   Open MPI with btl_openib_max_lmc=0: each LID is a BTL module
 *             (init_one_port() of btl_openib_component.c).
 *
 *             A message up to the eager limit of 12 KiB takes the next of
 *             btl_eager (mca_pml_ob1_send_request_start_seq();
 *             mca_bml_base_btl_array_get_next() of bml.h).
 *
 *             A longer one is read as a whole over the next of btl_rdma
 *             (mca_pml_ob1_rdma_btls(),
 *             mca_pml_ob1_send_request_start_rdma()).
 *             That is so for registered memory, which is the default: openib
 *             turns leave_pinned on.
 *
 *             Both count from 0 for each peer.  That the two counts are apart
 *             is not modelled.
 *
 *   stripe    UCX's rendezvous with UCX_IB_LID_PATH_BITS=0-(n-1) and
 *             UCX_MAX_RNDV_RAILS=n, whose default is 2: consecutive parts by
 *             the bandwidth of lanes (ucp_proto_rndv_bulk_max_payload() of
 *             ucp/rndv/proto_rndv.inl, 1.23).  What is sent eagerly takes one
 *             lane, as UCX_MAX_EAGER_RAILS is 1: params->eager.
 *
 *             Open MPI without leave_pinned: equal parts over up to 4 LIDs
 *             (mca_pml_ob1_rdma_pipeline_btls()).
 *
 *   random, adaptive
 *             None of these. */
#ifndef SF_SIM_HOSTS_H
#define SF_SIM_HOSTS_H

#include "sim/carrier.h"

struct sf_hosts; /* Opaque. */

/* Sets up to feed 'carrier' with 'program', which is ended, from now on, and
 * finds all routes that may be taken.  The caller keeps the arguments until
 * '*hostsp' is freed, and that until 'carrier' runs no more.  SF_EUNREACHABLE:
 * a pair of hosts has no path.  SF_ELIMIT: too many messages or packets. */
enum sf_status sf_hosts_build(const struct sf_carrier *carrier,
                              const struct sf_run_setup *setup,
                              const struct sf_program *program,
                              struct sf_hosts **hostsp, struct sf_error *err);
void sf_hosts_free(struct sf_hosts *hosts);

/* How far all is. */
struct sf_hosts_state {
    uint32_t n_left;   /* Messages that have not come. */
    uint32_t n_active; /* Of these, those that wait for no other. */
    uint64_t n_packets, n_sent, n_delivered; /* Of all messages. */
};
struct sf_hosts_state sf_hosts_state(const struct sf_hosts *hosts);

/* What went wrong while the carrier ran: SF_OK or SF_ENOMEM. */
enum sf_status sf_hosts_status(const struct sf_hosts *hosts,
                               struct sf_error *err);

/* How far a message is. */
struct sf_message_state {
    uint64_t n_packets, n_sent, n_delivered;
    double start, end; /* Seconds, as in run.h. */
};
struct sf_message_state sf_hosts_message(const struct sf_hosts *hosts,
                                         uint32_t message);

/* Moves starts, ends, latencies and the number of packets into 'run'. */
void sf_hosts_finish(struct sf_hosts *hosts, struct sf_run *run);

#endif

#!/bin/sh
# traces.sh -- makes programs in GOAL to simulate: of real MPI programs that are
# recorded here, as far as they are installed, and of proxies.
#
# tools/traces.sh DIR [RANKS [SLIMFLY]]      (64 ranks, slimfly)
#
# Ranks may be more than cores: computing is counted by the CPU time of each.
set -eu

folder=${1:?"expected a folder to write to"}
ranks=${2:-64}
slimfly=${3:-slimfly}
case $slimfly in
*/*) slimfly=$(realpath "$slimfly") ;;
esac

mkdir -p "$folder"
cd "$folder"

# Runs a program under mpirun and records it, unless that is done.
record() {
    name=$1
    shift
    if [ ! -e "$name.goal" ]; then
        "$slimfly" record -o "$name.goal" -- mpirun --allow-run-as-root \
            --oversubscribe --bind-to none -np "$ranks" "$@" >"$name.log"
        echo "$name.goal"
    fi
}

# Molecules of a fluid: 32,000 atoms, neighbours in three dimensions.
if command -v lmp >/dev/null; then
    cat >in.melt <<'END'
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 20 0 20 0 20
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 50
run 100
END
    record lammps-melt lmp -in in.melt -log none
fi

# HPCC: Linpack, PTRANS, RandomAccess, FFT and others, one after the other, on
# a grid that is as square as can be.
example=/usr/share/doc/hpcc/examples/_hpccinf.txt
if command -v hpcc >/dev/null && [ -e $example ]; then
    rows=1
    try=1
    while [ $((try * try)) -le "$ranks" ]; do
        if [ $((ranks % try)) -eq 0 ]; then
            rows=$try
        fi
        try=$((try + 1))
    done
    sed -e "6s/.*/400/" -e "8s/.*/16/" -e "11s/.*/$rows/" \
        -e "12s/.*/$((ranks / rows))/" $example >hpccinf.txt
    record hpcc hpcc
fi

# Proxies of training, Linpack and Graph500, and what they stand on.
for workload in resnet152 hpl:n=10000 bfs:scale=20 stencil:dimensions=3; do
    name=${workload%%:*}
    if [ ! -e "$name.goal" ]; then
        "$slimfly" simulate sf:q=5 --workload $workload --nodes "$ranks" \
            --size 1M --goal "$name.goal"
        echo "$name.goal"
    fi
done

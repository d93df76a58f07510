#!/bin/sh
# mpi_layers.sh SLIMFLY [LAB [FOLDER]] -- MPI over layers, in a lab.
#
# Open MPI uses several paths if a host has several interfaces; several
# addresses of one interface are not used by it.  So each host gets a macvlan
# interface for each layer, with the address of that layer, and mpirun is told
# to use all of them, or the first one.  Runs on a lab that is up, with four
# hosts on each of two switches that are two hops apart:
#
#     slimfly lab up sf:q=5 --rate 20
#     examples/mpi_layers.sh slimfly
#
# Needs root, a C compiler and Open MPI.
set -eu
slimfly=$(command -v "$1")
lab=${2:-lab}
folder=${3:-/run/slimfly}
own=$(mktemp -d)
trap 'rm -rf "$own"' EXIT
trap 'exit 130' INT TERM

in_node() {
    node=$1
    shift
    "$slimfly" lab exec --name "$lab" --folder "$folder" "$node" -- "$@"
}

# The hosts of two switches, by their addresses 10.0.SWITCH.PORT: the first
# switch, and the first one behind a neighbour of it.
names=$folder/lab-$lab/hosts
hosts_of() {
    awk -v prefix="10.0.$1." 'index($1, prefix) == 1 && $1 !~ /\.0$/ \
        { print $2 }' "$names" | head -n 4
}
first=$(awk '$1 ~ /^10\.0\.0\.0$/ { print $2 }' "$names")
near=$(ip -n "$lab.$first" route | awk '/^10\.0\..*via.*metric 10 / {
    split($1, to, "."); split($3, by, "."); if (to[3] != by[3]) {
    print to[3]; exit } }')
hosts="$(hosts_of 0) $(hosts_of "$near")"
set -- $hosts
n_ranks=$#
echo "ranks: $n_ranks, on $(echo $hosts)"

# One macvlan a layer: addresses and routes move there from eth1.
n_layers=$(in_node "$1" ip -4 -o address show dev eth1 | wc -l)
interfaces=
for layer in $(seq 0 $((n_layers - 1))); do
    interfaces="$interfaces,eth1l$layer"
done
interfaces=${interfaces#,}
for host in $hosts; do
    gateway=$(in_node "$host" ip route | awk '{ print $3; exit }')
    mac=$(in_node "$host" ip neigh show "$gateway" | awk '{ print $5; exit }')
    batch=$own/$host.batch
    in_node "$host" ip -4 -o address show dev eth1 | awk '{ print $4 }' |
        sed 's|/32||' | while IFS=. read -r a layer s p; do
        echo "link add link eth1 name eth1l$layer type macvlan mode bridge"
        echo "link set eth1l$layer up"
        echo "address del $a.$layer.$s.$p/32 dev eth1"
        echo "address add $a.$layer.$s.$p/32 dev eth1l$layer"
        echo "neigh add $gateway lladdr $mac dev eth1l$layer nud permanent"
        echo "route replace $a.$layer.0.0/16 via $gateway dev eth1l$layer" \
            "src $a.$layer.$s.$p metric 10 onlink"
    done >"$batch"
    in_node "$host" ip -batch "$batch"
done

# mpirun starts its daemons with this, in place of ssh.
cat >"$own/agent" <<AGENT
#!/bin/sh
host=\$1
shift
exec "$slimfly" lab exec --name "$lab" --folder "$folder" "\$host" -- sh -c "\$*"
AGENT
chmod +x "$own/agent"
mpicc -O2 -o "$own/program" "$(dirname "$0")/mpi_layers.c"
list=$(echo $hosts | tr ' ' ',')

run() {
    in_node "$1" mpirun --allow-run-as-root --host "$list" -np "$n_ranks" \
        --mca plm rsh --mca plm_rsh_agent "$own/agent" \
        --mca orte_keep_fqdn_hostnames 1 --mca btl tcp,self \
        --mca oob_tcp_if_include eth1l0 --mca pml ob1 \
        --mca btl_tcp_if_include "$2" "$own/program"
}
echo "layer 0:         $(run "$1" eth1l0)"
echo "all $n_layers layers:    $(run "$1" "$interfaces")"

# Everything as before.
for host in $hosts; do
    sed -n 's|^address add \(.*\) dev eth1l.*|address add \1 dev eth1|p;
        s|^route replace \(.*\) dev eth1l[0-9]* \(.*\)|route replace \1 dev eth1 \2|p;
        s|^link add .* name \(eth1l[0-9]*\) .*|link del \1|p' \
        "$own/$host.batch" | sort -t' ' -k1,1 |
        awk '/^link/ { print } !/^link/ { rest[n++] = $0 }
             END { for (i = 0; i < n; i++) print rest[i] }' >"$own/back"
    in_node "$host" ip -batch "$own/back"
done

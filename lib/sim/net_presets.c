/* net_presets.c -- what links, switches and adapters of each generation are
 * like.
 *
 * Where several figures are known, the one of a source that can be read stands
 * here, and what nobody publishes says that it is assumed.  The header of a
 * packet is LRH 8, BTH 12, ICRC 4 and VCRC 2 bytes.  RETH, 16 bytes in the
 * first packet of an RDMA write, is left out: it is in one packet of each
 * message only. */
#include "slimfly/simulation.h"

#include <string.h>
#include <strings.h>

/* Bytes a second of four lanes. */
#define GBPS_4X(lane) (4 * (lane)*1e9 / 8)

#define HEADER 26

#define COMMON_SOURCES                                                    \
    "header: LRH 8 + BTH 12 + ICRC 4 + VCRC 2 bytes (UCX 1.23, "          \
    "src/uct/ib/base/ib_device.h), RETH left out; cable: assumed, light " \
    "at two thirds of its speed in vacuum; "

const struct sf_sim_net sf_sim_nets[] = {
    {
        .name = "fdr",
        .title = "InfiniBand FDR, 4x",
        .rate = GBPS_4X(14.0625 * 64 / 66),
        .mtu = 2048,
        .header = HEADER,
        .buffer = 64000,
        .switch_delay = 170e-9,
        .host_delay = 350e-9,
        .cable_delay = 5e-9,
        .sources = COMMON_SOURCES
        "rate: 14.0625 Gb/s a lane, 64b/66b (Open MPI 4.1.6, "
        "opal/mca/common/verbs/common_verbs_port.c); MTU: what UCX 1.23 "
        "takes on ConnectX-3 (uct_ib_iface_set_path_mtu()); buffer: 1000 "
        "flits of 64 bytes, of the generation before (ib_flit_sim, "
        "src/modules.ini, IS4); host: half of the 700 ns between two "
        "hosts that UCX 1.23 reckons with (src/uct/ib/base/ib_iface.c); "
        "switch: assumed",
    },
    {
        .name = "edr",
        .title = "InfiniBand EDR, 4x",
        .rate = GBPS_4X(25.78125 * 64 / 66),
        .mtu = 4096,
        .header = HEADER,
        .buffer = 128000,
        .switch_delay = 90e-9,
        .host_delay = 300e-9,
        .cable_delay = 5e-9,
        .sources = COMMON_SOURCES
        "rate: 25.78125 Gb/s a lane, 64b/66b (Open MPI 4.1.6, "
        "opal/mca/common/verbs/common_verbs_port.c); host: half of the "
        "600 ns between two hosts that UCX 1.23 reckons with "
        "(src/uct/ib/base/ib_iface.c); MTU, buffer, switch: assumed",
    },
    {
        .name = "hdr",
        .title = "InfiniBand HDR, 4x",
        .rate = GBPS_4X(50.0),
        .mtu = 4096,
        .header = HEADER,
        .buffer = 256000,
        .switch_delay = 130e-9,
        .host_delay = 300e-9,
        .cable_delay = 5e-9,
        .sources = COMMON_SOURCES
        "rate: 50 Gb/s of data a lane (Open MPI 4.1.6, "
        "opal/mca/common/verbs/common_verbs_port.c); host: half of the "
        "600 ns between two hosts that UCX 1.23 reckons with "
        "(src/uct/ib/base/ib_iface.c); MTU, buffer, switch: assumed",
    },
    {
        .name = "ndr",
        .title = "InfiniBand NDR, 4x",
        .rate = GBPS_4X(100.0),
        .mtu = 4096,
        .header = HEADER,
        .buffer = 512000,
        .switch_delay = 150e-9,
        .host_delay = 300e-9,
        .cable_delay = 5e-9,
        .sources = COMMON_SOURCES
        "rate: 400 Gb/s a port (NVIDIA, QM97XX user manual, Interfaces); "
        "UCX 1.23 reckons with 64/66 of it; host: half of the 600 ns "
        "between two hosts that UCX 1.23 reckons with "
        "(src/uct/ib/base/ib_iface.c); switch: assumed, as resellers' "
        "pages say from 150 to 330 ns; MTU, buffer: assumed",
    },
    { .name = NULL },
};

const struct sf_sim_net *
sf_sim_net_of_rate(const char *rate)
{
    for (size_t i = 0; sf_sim_nets[i].name; i++) {
        if (!strncmp(rate, "4x", 2) &&
            !strcasecmp(rate + 2, sf_sim_nets[i].name)) {
            return &sf_sim_nets[i];
        }
    }
    return NULL;
}

enum sf_status
sf_sim_net_find(const char *rate, const struct sf_sim_net **netp,
                struct sf_error *err)
{
    *netp = sf_sim_net_of_rate(*rate ? rate : "4xEDR");
    return *netp ? SF_OK
                 : sf_fail(err, SF_EINVAL,
                           "links of %s, for which there is no preset: "
                           "expected --net",
                           rate);
}

enum sf_status
sf_sim_net_of_fabric(const struct sf_fabric *fabric,
                     const struct sf_sim_net **netp, struct sf_error *err)
{
    const char *first = "";

    *netp = NULL;
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        if (port->peer == SF_NONE || !*port->rate) {
            continue;
        }
        if (*first && strcmp(first, port->rate) != 0) {
            return sf_fail(err, SF_EINVAL,
                           "links of %s and of %s, and all links of a "
                           "simulation have one rate: expected --net",
                           first, port->rate);
        }
        first = port->rate;
    }
    return sf_sim_net_find(first, netp, err);
}

/* fuzz_placement.c -- any bytes as a file of hosts: no crash, an error says
 * something and takes nothing, and hosts that were taken are free ones, each
 * once. */
#include "fuzz.h"
#include "sim/placement.h"

#define N_MAX 64

static const struct sf_network *
fuzz_network(void)
{
    static struct sf_network *network;

    if (!network && sf_network_build(fuzz_fabric(), &network, NULL) != SF_OK) {
        abort();
    }
    return network;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct sf_network *network = fuzz_network();
    uint32_t n = sf_network_count_hosts(network);
    uint32_t n_asked = size ? data[size - 1] % 4u : 0, hosts[N_MAX];
    bool is_taken[N_MAX] = { true };
    struct sf_error err = { 0 };
    char *text = fuzz_text(data, size);

    if (n > N_MAX) {
        abort();
    }
    enum sf_status status = sf_placement_parse(text, size, "fuzz", network,
                                               n_asked, is_taken, hosts, &err);
    if (status != SF_OK && !err.text[0]) {
        abort();
    }
    uint32_t n_taken = 0;
    for (uint32_t h = 1; h < n; h++) {
        n_taken += is_taken[h];
    }
    if (n_taken != (status == SF_OK ? n_asked : 0)) {
        abort();
    }
    for (uint32_t i = 0; status == SF_OK && i < n_asked; i++) {
        if (hosts[i] == 0 || hosts[i] >= n || !is_taken[hosts[i]]) {
            abort();
        }
    }
    free(text);
    return 0;
}

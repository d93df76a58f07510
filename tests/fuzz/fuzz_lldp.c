/* fuzz_lldp.c -- any bytes as reports of LLDP: no crash; what is read is a
 * fabric whose cables have two ends, and can be compared with the plan. */
#include "slimfly/lldp.h"
#include "slimfly/verify.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A small plan with names of ports, the same one every time. */
static struct sf_plan *
fuzz_plan(void)
{
    static struct sf_plan *plan;
    struct sf_fabric_params params = { .switch_ports = 8 };
    struct sf_topology *topo;

    if (plan) {
        return plan;
    }
    if (sf_port_names_parse("swp%d|etp%d", &params.port_names[SF_NODE_SWITCH],
                            NULL) != SF_OK ||
        sf_topology_build("hx2:2x2,p=1", &topo, NULL) != SF_OK ||
        sf_plan_build(topo, &params, NULL, &plan, NULL) != SF_OK) {
        abort();
    }
    sf_topology_free(topo);
    return plan;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_plan *plan = fuzz_plan();
    struct sf_verification *verification;
    struct sf_fabric *found;
    struct sf_error err = { 0 };

    if (sf_lldp_parse((const char *)data, size, "fuzz", plan->fabric, &found,
                      NULL, &err) != SF_OK) {
        if (found || !err.text[0]) {
            abort();
        }
        return 0;
    }
    for (uint32_t i = 0; i < found->n_ports; i++) {
        uint32_t peer = found->ports[i].peer;
        if (peer != SF_NONE && (peer == i || peer >= found->n_ports ||
                                found->ports[peer].peer != i)) {
            abort();
        }
    }
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (!stream ||
        sf_verify(plan, found, NULL, &verification, &err) != SF_OK ||
        sf_verification_write_text(verification, stream, &err) != SF_OK ||
        sf_verification_write_json(verification, NULL, stream, &err) !=
            SF_OK ||
        fclose(stream) != 0) {
        abort();
    }
    free(text);
    sf_verification_free(verification);
    sf_fabric_free(found);
    return 0;
}

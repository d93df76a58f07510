/* plan_files.c -- the table of a plan's files, and those that are one call. */
#include "io/plan_writers.h"
#include "slimfly/discovery.h"

#include <inttypes.h>

enum sf_status
sf_plan_write_ibnetdiscover(const struct sf_plan *plan, FILE *stream,
                            struct sf_error *err)
{
    (void)err;
    sf_ibnetdiscover_write(plan->fabric, plan->spec, stream);
    return SF_OK;
}

enum sf_status
sf_plan_write_ibsim(const struct sf_plan *plan, FILE *stream,
                    struct sf_error *err)
{
    (void)err;
    sf_ibsim_write(plan->fabric, plan->spec, stream);
    return SF_OK;
}

/* The node-name-map of infiniband-diags and OpenSM. */
enum sf_status
sf_plan_write_guids(const struct sf_plan *plan, FILE *stream,
                    struct sf_error *err)
{
    (void)err;
    fprintf(stream,
            "# %s: put the GUID of each real device in place of the planned "
            "one.\n",
            plan->spec);
    for (uint32_t i = 0; i < plan->fabric->n_nodes; i++) {
        const struct sf_node *node = &plan->fabric->nodes[i];
        fprintf(stream, "0x%016" PRIx64 " \"%s\"\n", node->guid, node->name);
    }
    return SF_OK;
}

const struct sf_plan_file sf_plan_files[] = {
    { "plan.json", "the whole plan, for slimfly and other programs",
      sf_plan_write_json },
    { "fabric.ibnetdiscover", "what ibnetdiscover would print",
      sf_plan_write_ibnetdiscover },
    { "fabric.ibsim", "a netlist for ibsim, nodes by name",
      sf_plan_write_ibsim },
    { "guids.map", "GUIDs and names, to be completed with the real GUIDs",
      sf_plan_write_guids },
    { "cables.csv", "one line a cable", sf_plan_write_cables },
    { "labels.csv", "one line a label, for label printers",
      sf_plan_write_labels },
    { "netbox.csv", "cable import of NetBox", sf_plan_write_netbox },
    { "omnipath.csv", "cabling spreadsheet in the form of Omni-Path",
      sf_plan_write_omnipath },
    { "fabric.topo", "topology file of ibutils", sf_plan_write_topo },
    { "fabric.dot", "Graphviz, in the dialect of ptmd",
      sf_plan_write_ptm_dot },
    { "materials.csv", "bill of materials", sf_plan_write_materials },
    { NULL, NULL, NULL },
};

/* cables_csv.c -- the cables of a plan as comma-separated values: our own
 * list, one for label printers, NetBox's cable import, and the Omni-Path
 * cabling spreadsheet. */
#include "io/csv.h"
#include "io/plan_writers.h"

/* What the lists say of one end of a cable. */
struct end {
    const struct sf_node *node;
    const struct sf_rack *rack;
    uint32_t port;                /* Its number, */
    char name[SF_PORT_NAME_SIZE]; /* and what people call it. */
};

static struct end
end_of(const struct sf_plan *plan, uint32_t port)
{
    const struct sf_port *at = &plan->fabric->ports[port];
    const struct sf_node *node = &plan->fabric->nodes[at->node];
    struct end end = { node, &plan->racks[node->rack], at->number, "" };

    sf_fabric_port_name(plan->fabric, at->node, at->number, end.name);
    return end;
}

/* Writes rack, unit, node and port of both ends. */
static void
write_ends(const struct end ends[2], FILE *stream)
{
    for (int i = 0; i < 2; i++) {
        fprintf(stream, ",%s,%u,", ends[i].rack->name, ends[i].node->unit);
        sf_csv_write(ends[i].node->name, stream);
        fprintf(stream, ",%s", ends[i].name);
    }
}

enum sf_status
sf_plan_write_cables(const struct sf_plan *plan, FILE *stream,
                     struct sf_error *err)
{
    (void)err;
    fputs("id,label,a_rack,a_unit,a_node,a_port,b_rack,b_unit,b_node,b_port,"
          "length_m,medium,step\n",
          stream);
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        const struct end ends[] = { end_of(plan, cable->a),
                                    end_of(plan, cable->b) };
        fprintf(stream, "%u,%s", i + 1, cable->label);
        write_ends(ends, stream);
        fprintf(stream, ",%g,%s,%d\n", cable->length,
                sf_medium_name(cable->medium), (int)cable->step);
    }
    return SF_OK;
}

/* Two lines a cable, each with its own end first. */
enum sf_status
sf_plan_write_labels(const struct sf_plan *plan, FILE *stream,
                     struct sf_error *err)
{
    (void)err;
    fputs("label,end,rack,unit,node,port,far_rack,far_unit,far_node,far_port,"
          "length_m,medium,step\n",
          stream);
    for (uint32_t i = 0; i < 2 * plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i / 2];
        bool is_b = i % 2;
        const struct end ends[] = { end_of(plan, is_b ? cable->b : cable->a),
                                    end_of(plan, is_b ? cable->a : cable->b) };
        fprintf(stream, "%s,%c", cable->label, is_b ? 'B' : 'A');
        write_ends(ends, stream);
        fprintf(stream, ",%g,%s,%d\n", cable->length,
                sf_medium_name(cable->medium), (int)cable->step);
    }
    return SF_OK;
}

enum sf_status
sf_plan_write_netbox(const struct sf_plan *plan, FILE *stream,
                     struct sf_error *err)
{
    (void)err;
    fputs("side_a_site,side_a_device,side_a_type,side_a_name,side_b_site,"
          "side_b_device,side_b_type,side_b_name,type,status,label,color,"
          "length,length_unit,description\n",
          stream);
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        const struct end ends[] = { end_of(plan, cable->a),
                                    end_of(plan, cable->b) };
        for (int j = 0; j < 2; j++) {
            fputs("slimfly,", stream);
            sf_csv_write(ends[j].node->name, stream);
            fprintf(stream, ",dcim.interface,%s,", ends[j].name);
        }
        fprintf(stream, "%s,planned,%s,,%g,m,wiring step %d\n",
                cable->medium == SF_COPPER ? "dac-passive" : "aoc",
                cable->label, cable->length, (int)cable->step);
    }
    return SF_OK;
}

enum sf_status
sf_plan_write_omnipath(const struct sf_plan *plan, FILE *stream,
                       struct sf_error *err)
{
    (void)err;
    fputs("Source,,,,,,Destination,,,,,,Cable,,\n"
          "Rack Group,Rack,Name,Name-2,Port,Type,"
          "Rack Group,Rack,Name,Name-2,Port,Type,Label,Length,Details\n",
          stream);
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        const struct end ends[] = { end_of(plan, cable->a),
                                    end_of(plan, cable->b) };
        for (int j = 0; j < 2; j++) {
            fprintf(stream, "row%u,%s,", ends[j].rack->row,
                    ends[j].rack->name);
            sf_csv_write(ends[j].node->name, stream);
            fprintf(stream, ",,%u,%s,", ends[j].port,
                    ends[j].node->kind == SF_NODE_SWITCH ? "SW" : "FI");
        }
        fprintf(stream, "%s,%gm,%s\n", cable->label, cable->length,
                sf_medium_name(cable->medium));
    }
    return SF_OK;
}

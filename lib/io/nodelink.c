/* nodelink.c -- the JSON node-link data that NetworkX's node_link_graph()
 * reads and d3 draws.  NetworkX looks for the links in "links" up to 3.5 and
 * in "edges" from 3.6 on; d3's examples have "links".  None of them minds a
 * member that it does not know, so the links are written under both names. The
 * objects are made and written one by one: at 8,192 switches the whole
 * document in memory would take hundreds of megabytes. */
#include "io/topology_writers.h"

#include <jansson.h>

/* Writes 'object' on a line of its own, with a comma after all but the last,
 * and releases it. */
static enum sf_status
write_item(json_t *object, bool is_last, FILE *stream, struct sf_error *err)
{
    if (!object) {
        return sf_fail(err, SF_ENOMEM,
                       "cannot make JSON: out of memory, or a name "
                       "that is not UTF-8");
    }
    fputs("    ", stream);
    json_dumpf(object, stream, 0);
    fputs(is_last ? "\n" : ",\n", stream);
    json_decref(object);
    return SF_OK;
}

static json_t *
make_node(const struct sf_topology *topo, uint32_t s)
{
    char name[SF_MAX_NAME];
    const uint32_t *place = sf_topology_place(topo, s);
    json_t *node = json_pack("{s:i, s:s, s:i}", "id", (int)s, "name",
                             sf_topology_switch_name(topo, s, name), "hosts",
                             (int)topo->n_hosts[s]);

    for (uint32_t i = 0; node && i < topo->n_coords; i++) {
        json_object_set_new(node, topo->family->coords[i],
                            json_integer(place[i]));
    }
    return node;
}

/* Writes all links as member 'name', with numbers for parallel ones if there
 * are any. */
static enum sf_status
write_links(const struct sf_graph *graph, const char *name, bool has_keys,
            FILE *stream, struct sf_error *err)
{
    uint32_t key = 0;
    enum sf_status status = SF_OK;

    fprintf(stream, ",\n  \"%s\": [\n", name);
    for (uint32_t i = 0; status == SF_OK && i < graph->n_links; i++) {
        struct sf_link link = graph->links[i];
        json_t *object = json_pack("{s:i, s:i}", "source", (int)link.a,
                                   "target", (int)link.b);
        key = sf_graph_is_parallel(graph, i) ? key + 1 : 0;
        if (object && has_keys) {
            json_object_set_new(object, "key", json_integer(key));
        }
        status = write_item(object, i + 1 == graph->n_links, stream, err);
    }
    fputs("  ]", stream);
    return status;
}

enum sf_status
sf_write_nodelink(const struct sf_topology *topo, FILE *stream,
                  struct sf_error *err)
{
    const struct sf_graph *graph = topo->graph;
    uint32_t n_parallel = 0;
    enum sf_status status = SF_OK;

    for (uint32_t i = 0; i < graph->n_links; i++) {
        n_parallel += sf_graph_is_parallel(graph, i);
    }
    fprintf(stream,
            "{\n  \"directed\": false,\n  \"multigraph\": %s,\n  \"graph\": ",
            n_parallel ? "true" : "false");
    json_t *about = json_pack("{s:s, s:s}", "name", topo->spec, "family",
                              topo->family->name);
    if (!about) {
        return sf_fail(err, SF_ENOMEM,
                       "cannot make JSON: out of memory, or a name "
                       "that is not UTF-8");
    }
    json_dumpf(about, stream, 0);
    json_decref(about);

    fputs(",\n  \"nodes\": [\n", stream);
    for (uint32_t s = 0; status == SF_OK && s < graph->n_nodes; s++) {
        status = write_item(make_node(topo, s), s + 1 == graph->n_nodes,
                            stream, err);
    }
    fputs("  ]", stream);
    if (status == SF_OK) {
        status = write_links(graph, "links", n_parallel > 0, stream, err);
    }
    if (status == SF_OK) {
        status = write_links(graph, "edges", n_parallel > 0, stream, err);
    }
    fputs("\n}\n", stream);
    return status;
}

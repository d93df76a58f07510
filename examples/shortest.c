/* shortest.c -- how many pairs of switches are how far apart?  A complete
 * program against the library:
 *
 *     cc shortest.c $(pkg-config --cflags --libs slimfly) && ./a.out sf:q=5
 *
 * If the library is not where the loader looks, LD_LIBRARY_PATH tells it. */
#include <slimfly/slimfly.h>

#include <inttypes.h>

int
main(int argc, char **argv)
{
    struct sf_topology *topo;
    struct sf_properties properties;
    struct sf_error err;

    if (sf_topology_build(argc > 1 ? argv[1] : "sf:q=5", &topo, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    if (sf_properties_measure(topo, &properties, &err)) {
        fprintf(stderr, "%s\n", err.text);
        sf_topology_free(topo);
        return 2;
    }
    for (uint32_t d = 1; d < properties.all.n_distances; d++) {
        printf("%" PRIu64 " pairs at distance %u\n", properties.all.n_pairs[d],
               d);
    }
    sf_properties_clear(&properties);
    sf_topology_free(topo);
    return 0;
}

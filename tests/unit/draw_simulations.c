/* draw_simulations.c -- writes all files of made-up simulations into a folder:
 * draw_simulations DIR.  tests/cli/test_simulation_files.py looks at them. */
#include "simulation_cases.h"

#include <stdlib.h>

/* Writes what 'file' has of 'made' to DIR/KIND-NAME. */
static void
write_file(const char *folder, const char *kind,
           const struct simulation_case *made,
           const struct sf_simulation_file *file)
{
    char path[4096];
    struct sf_error err = { 0 };

    if (file->has && !file->has(&made->table)) {
        return;
    }
    snprintf(path, sizeof path, "%s/%s-%s", folder, kind, file->name);
    FILE *stream = fopen(path, "w");
    if (!stream || file->write(&made->table, stream, &err) != SF_OK ||
        fclose(stream) != 0) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        exit(1);
    }
}

int
main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: draw_simulations DIR\n");
        return 2;
    }
    for (int i = 0; i < N_SIMULATION_KINDS; i++) {
        struct simulation_case *made =
            simulation_case_make((enum simulation_kind)i);
        for (const struct sf_simulation_file *file = sf_simulation_files;
             file->name; file++) {
            write_file(argv[1], simulation_kind_names[i], made, file);
        }
        simulation_case_free(made);
    }
    return 0;
}

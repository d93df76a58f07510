/* jobs_ranks.c -- see jobs_ranks.h. */
#include "jobs_ranks.h"

int
cli_write_ranks(const char *word, uint32_t per_node, const char *path)
{
    struct cli_output output;
    struct sf_error err;
    uint32_t n_nodes;

    if (!cli_output_open(&output, path)) {
        return CLI_ERROR;
    }
    enum sf_status status =
        sf_goal_write_ranks(word, per_node, output.stream, &n_nodes, &err);
    int code = cli_output_close(&output, status, &err);
    if (code == CLI_FINE && path) {
        printf("%s: what %u nodes send to each other\n", path, n_nodes);
    }
    return code;
}

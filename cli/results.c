/* results.c -- see results.h. */
#include "results.h"
#include "share.h"

/* One of the files. */
struct writing {
    const struct cli_results *results;
    size_t number;
};

static enum sf_status
write_one(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct writing *writing = aux;
    return writing->results->write(writing->results->of, writing->number,
                                   stream, err);
}

static int
write_files(const struct cli_results *results, const char *folder)
{
    int code = CLI_FINE;

    cli_begin_files();
    for (size_t i = 0; code == CLI_FINE && results->name(i); i++) {
        struct writing writing = { results, i };
        if (results->has(results->of, i)) {
            code =
                cli_write_file(folder, results->name(i), write_one, &writing);
        }
    }
    return cli_end_files(code);
}

int
cli_write_results(const struct cli_args *args,
                  const struct cli_results *results)
{
    const char *folder = cli_text(args, OPT_OUTPUT);
    struct sf_error err;

    if (!cli_share_tells(args)) {
        return CLI_FINE;
    }
    int code = folder ? write_files(results, folder) : CLI_FINE;
    cli_progress_end();
    for (size_t i = 0; code == CLI_FINE && results->name(i); i++) {
        const char *format = results->format(i);
        if (format && cli_is(args, OPT_FORMAT, format) &&
            results->write(results->of, i, stdout, &err) != SF_OK) {
            code = cli_fail("%s", err.text);
        }
    }
    return code;
}

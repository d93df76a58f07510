/* result_output.c -- see result_output.h. */
#include "result_output.h"
#include "earlier_figures.h"
#include "shared_work.h"

#include <stdlib.h>
#include <string.h>

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

int
cli_write_figure(const char *folder, const char *name,
                 const struct sf_figure *figure,
                 const struct sf_figure **figurep, cli_writer *write,
                 const void *aux)
{
    const enum sf_figure_format formats[] = { figure->format, SF_FIGURE_CSV };
    double shown = figure->text_size, height = 0;
    int code = CLI_FINE;
    char file[128];

    for (size_t i = 0; code == CLI_FINE && i < 2; i++) {
        struct sf_figure form = *figure;
        form.format = formats[i];
        form.shown_sizep = &shown;
        form.shown_heightp = &height;
        snprintf(file, sizeof file, "%.*s.%s", (int)cli_figure_stem(name),
                 name, sf_figure_format_name(form.format));
        *figurep = &form;
        code = cli_write_file(folder, file, write, aux);
        *figurep = NULL;
    }
    if (code == CLI_FINE && shown < figure->text_size - 0.05) {
        fprintf(stderr,
                "slimfly: %.*s: its panels have no room in %g mm: text has "
                "%.1f points instead of %g; a larger --figure-width helps\n",
                (int)cli_figure_stem(name), name, figure->width, shown,
                figure->text_size);
    }
    if (code == CLI_FINE && height > SF_FIGURE_PAGE) {
        fprintf(stderr,
                "slimfly: %.*s: its panels have no room in %g mm side by "
                "side: it is %.0f mm tall, and a page has about %d; a larger "
                "--figure-width helps\n",
                (int)cli_figure_stem(name), name, figure->width, height,
                SF_FIGURE_PAGE);
    }
    return code;
}

static int
write_files(const char *command, const struct cli_results *results,
            const char *folder, const struct sf_figure *figure)
{
    bool for_screens = figure->format == SF_N_FIGURE_FORMATS;
    int code = CLI_FINE;

    cli_begin_files();
    for (size_t i = 0; code == CLI_FINE && results->name(i); i++) {
        struct writing writing = { results, i };
        const char *name = results->name(i);
        if (!results->has(results->of, i)) {
            continue;
        }
        code = !for_screens && cli_figure_stem(name)
                   ? cli_write_figure(folder, name, figure, results->figurep,
                                      write_one, &writing)
                   : cli_write_file(folder, name, write_one, &writing);
    }
    if (code == CLI_FINE) {
        code = cli_remove_earlier_figures(command, results, folder);
    }
    return cli_end_files(code);
}

/* Writes one of the results to standard output. */
static int
print_result(const struct cli_args *args, const struct cli_results *results)
{
    struct sf_error err;

    for (size_t i = 0; results->name(i); i++) {
        const char *format = results->format(i);
        if (format && cli_is(args, OPT_FORMAT, format) &&
            results->write(results->of, i, stdout, &err) != SF_OK) {
            return cli_fail("%s", err.text);
        }
    }
    /* Others may end when this is told; main() says what went wrong. */
    return fflush(stdout) == 0 ? CLI_FINE : CLI_ERROR;
}

int
cli_write_results(const struct cli_args *args,
                  const struct cli_results *results)
{
    const char *folder = cli_text(args, OPT_OUTPUT);
    struct sf_figure figure;

    if (!cli_read_figure(args, &figure)) {
        return CLI_ERROR;
    }
    if (!cli_share_begin_telling(args, results->kept)) {
        return CLI_FINE;
    }
    int code = folder
                   ? write_files(args->command->name, results, folder, &figure)
                   : CLI_FINE;
    cli_progress_end();
    code = code == CLI_FINE ? print_result(args, results) : code;
    cli_share_end_telling(args, results->kept, code == CLI_FINE);
    return code;
}

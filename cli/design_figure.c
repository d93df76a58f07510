/* design_figure.c -- see design_figure.h. */
#include "design_figure.h"
#include "result_output.h"

/* What is drawn. */
struct drawing {
    const struct sf_design_format *format;
    const struct sf_design *design;
    struct sf_design_view view;
};

static enum sf_status
draw(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct drawing *drawing = aux;
    return drawing->format->write(drawing->design, &drawing->view, stream,
                                  err);
}

int
cli_write_design_figure(const struct cli_args *args,
                        const struct sf_design_format *format,
                        const struct sf_design *design,
                        const struct sf_design_view *view)
{
    struct drawing drawing = { format, design, *view };
    const char *folder = cli_text(args, OPT_OUTPUT);
    struct sf_figure figure;

    if (!cli_read_figure(args, &figure) || cli_make_folder(folder)) {
        return CLI_ERROR;
    }
    cli_begin_files();
    return cli_end_files(cli_write_figure(
        folder, "cost.svg", &figure, &drawing.view.figure, draw, &drawing));
}

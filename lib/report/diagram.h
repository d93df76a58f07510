/* diagram.h -- wiring diagrams as parts of other documents. */
#ifndef SF_REPORT_DIAGRAM_H
#define SF_REPORT_DIAGRAM_H

#include "report/layout.h"

#include <stdio.h>

/* The style sheet that diagrams need, without its element. */
extern const char sf_diagram_style[];

/* Writes 'drawing' as an SVG element; as a file of its own, with the style
 * sheet, if 'is_file'. */
enum sf_status sf_diagram_draw(const struct sf_drawing *drawing, bool is_file,
                               FILE *stream, struct sf_error *err);

#endif

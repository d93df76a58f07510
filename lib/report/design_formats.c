/* design_formats.c -- the table of formats of designs.  A new one is listed
 * here. */
#include "report/design_writers.h"

const struct sf_design_format sf_design_formats[] = {
    { "text", "tables for people", false, sf_design_write_text,
      sf_paper_write_text },
    { "json", "for programs", false, sf_design_write_json,
      sf_paper_write_json },
    { "csv", "for spreadsheets", false, sf_design_write_csv,
      sf_paper_write_csv },
    { "svg", "a chart of cost per endpoint over endpoints", true,
      sf_design_write_svg, NULL },
    { 0 },
};

const char *
sf_fit_name(enum sf_fit fit)
{
    switch (fit) {
    case SF_FIT_WANTED:
        return "wanted";
    case SF_FIT_FILLED:
        return "filled";
    case SF_FIT_BELOW:
        return "below";
    case SF_FIT_LARGEST:
        return "largest";
    case SF_FIT_RECOMMENDED:
        return "recommended";
    case SF_FIT_SERIES:
        return "series";
    }
    return "";
}

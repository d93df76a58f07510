#include "report/page.h"

#include "io/xml.h"
#include "report/page_assets.h"

void
sf_page_write_part(enum sf_page_part part, FILE *stream)
{
    static const char *const *const parts[] = {
        [SF_GUIDE_CSS] = guide_css,     [SF_GUIDE_JS] = guide_js,
        [SF_LABELS_CSS] = labels_css,   [SF_EVALUATION_CSS] = evaluation_css,
        [SF_RESULTS_CSS] = results_css, [SF_RESULTS_JS] = results_js,
    };

    for (const char *const *line = parts[part]; *line; line++) {
        fputs(*line, stream);
    }
}

void
sf_page_begin(const char *what, const char *of, FILE *stream)
{
    /* The policy makes the browser refuse any request. */
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head>"
          "<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, "
          "initial-scale=1\"/>\n"
          "<meta http-equiv=\"Content-Security-Policy\" "
          "content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src 'unsafe-inline'\"/>\n"
          "<title>",
          stream);
    sf_xml_write(what, stream);
    fputs(": ", stream);
    sf_xml_write(of, stream);
    fputs("</title>\n", stream);
}

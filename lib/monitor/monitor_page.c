#define _GNU_SOURCE
#include "monitor/monitor_page.h"

#include "base/mem.h"
#include "monitor/monitor_assets.h"

#include <string.h>

char *
sf_monitor_page(enum sf_monitor_file file)
{
    static const char *const *const files[] = {
        [SF_MONITOR_HTML] = monitor_html,
        [SF_MONITOR_JS] = monitor_js,
        [SF_MONITOR_CSS] = monitor_css,
    };
    size_t length = 1;

    for (const char *const *line = files[file]; *line; line++) {
        length += strlen(*line);
    }
    char *text = sf_calloc(length, 1);
    char *end = text;
    for (const char *const *line = files[file]; text && *line; line++) {
        end = stpcpy(end, *line);
    }
    return text;
}

#include "slimfly/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A context longer than this hides the sentence that follows it. */
#define CONTEXT_MAX 80

static void
replace_control_bytes(char *text)
{
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            *c = '?';
        }
    }
}

enum sf_status
sf_fail(struct sf_error *err, enum sf_status status, const char *format, ...)
{
    if (err) {
        va_list args;

        err->status = status;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        replace_control_bytes(err->text);
    }
    return status;
}

void
sf_error_add_context(struct sf_error *err, const char *context)
{
    if (!err || err->status == SF_OK) {
        return;
    }

    char sentence[SF_ERROR_TEXT_SIZE];
    size_t length = strlen(context);
    memcpy(sentence, err->text, sizeof sentence);
    int n = snprintf(err->text, sizeof err->text, "%.*s%s: ",
                     length > CONTEXT_MAX ? CONTEXT_MAX - 3 : (int)length,
                     context, length > CONTEXT_MAX ? "..." : "");
    snprintf(err->text + n, sizeof err->text - (size_t)n, "%s", sentence);
    replace_control_bytes(err->text);
}

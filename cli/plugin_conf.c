/* plugin_conf.c -- see plugin_conf.h. */
#include "plugin_conf.h"

#include <errno.h>
#include <string.h>

#define SPACE " \t\r\n"

/* Takes blanks off both ends of 'text', which is changed. */
static char *
trim(char *text)
{
    text += strspn(text, SPACE);
    size_t length = strlen(text);
    while (length > 0 && strchr(SPACE, text[length - 1])) {
        length--;
    }
    text[length] = '\0';
    return text;
}

/* Takes over a line of "key = value"; what others need is passed over. */
static void
take_line(char *line, struct cli_plugin_conf *conf)
{
    const struct {
        const char *key;
        char *value;
    } keys[] = { { "plan", conf->plan },
                 { "guids", conf->guids },
                 { "base", conf->base },
                 { "drained", conf->drained },
                 { "status", conf->status } };

    line[strcspn(line, "#")] = '\0';
    char *equals = strchr(line, '=');
    if (!equals) {
        return;
    }
    *equals = '\0';
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!strcmp(trim(line), keys[i].key)) {
            snprintf(keys[i].value, CLI_CONF_SIZE, "%s", trim(equals + 1));
        }
    }
}

bool
cli_plugin_conf_load(const char *path, struct cli_plugin_conf *conf)
{
    FILE *stream = fopen(path ? path : CLI_PLUGIN_FILE, "r");
    char line[4096];

    *conf = (struct cli_plugin_conf){ 0 };
    if (!stream) {
        if (path) {
            cli_fail("%s: %s", path, strerror(errno));
        }
        return !path;
    }
    conf->is_there = true;
    while (fgets(line, sizeof line, stream)) {
        take_line(line, conf);
    }
    bool is_read = !ferror(stream);
    if (!is_read) {
        cli_fail("%s: %s", path ? path : CLI_PLUGIN_FILE, strerror(errno));
    }
    fclose(stream);
    return is_read;
}

/* settings_files.c -- writes the files of settings and spares those of
 * others. */
#define _GNU_SOURCE
#include "settings_files.h"

#include <stdlib.h>

/* A file of the settings, for cli_write_file(). */
struct file_of {
    const struct sf_settings *settings;
    const struct sf_settings_file *file;
};

static enum sf_status
write_one(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct file_of *of = aux;
    return sf_settings_write_file(of->settings, of->file, stream, err);
}

/* Whether the file at 'path' is there and somebody else's. */
static bool
is_foreign(const char *path, const struct sf_settings_file *file)
{
    /* What cannot be read or is no file is for the writing to refuse. */
    if (!cli_is_file(path)) {
        return false;
    }
    FILE *stream = fopen(path, "r");
    bool is_own = stream && sf_settings_is_own(file, stream);
    if (stream) {
        fclose(stream);
    }
    return !is_own;
}

/* Sees that nothing is lost: files that were not written by this command are
 * named and stay. */
static int
spare_others(const struct sf_settings *settings, const char *folder)
{
    char *names = NULL;
    size_t length;
    FILE *list = open_memstream(&names, &length);

    for (const struct sf_settings_file *file = sf_settings_files;
         list && file->name; file++) {
        char *path = cli_join(folder, file->name);
        if (path && sf_settings_wants(settings, file->part) &&
            is_foreign(path, file)) {
            fprintf(list, "%s%s", ftell(list) > 0 ? ", " : "", path);
        }
        free(path);
    }
    if (!list || fclose(list) != 0) {
        free(names);
        return cli_fail("out of memory");
    }
    int code =
        length ? cli_fail("settings: nothing was changed, because 'slimfly "
                          "settings' did not write these files: %s; write to "
                          "another folder and copy the lines wanted, or "
                          "replace the files with --force",
                          names)
               : CLI_FINE;
    free(names);
    return code;
}

int
cli_write_settings(const struct sf_settings *settings, const char *folder,
                   bool may_replace)
{
    int code = may_replace ? CLI_FINE : spare_others(settings, folder);

    if (code == CLI_FINE) {
        code = cli_make_folder(folder);
    }
    cli_begin_files();
    for (const struct sf_settings_file *file = sf_settings_files;
         code == CLI_FINE && file->name; file++) {
        struct file_of of = { settings, file };
        if (sf_settings_wants(settings, file->part)) {
            code = cli_write_file(folder, file->name, write_one, &of);
        }
    }
    return cli_end_files(code);
}

void
cli_tell_settings(const struct sf_settings *settings, const char *folder)
{
    sf_settings_write_summary(settings, stdout);
    printf("\nwritten to %s:\n", folder);
    for (const struct sf_settings_file *file = sf_settings_files; file->name;
         file++) {
        if (sf_settings_wants(settings, file->part)) {
            printf("  %-24s %s\n", file->name, file->summary);
        }
    }
}

/* file_paths.c -- files and folders by name. */
#define _GNU_SOURCE
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
cli_is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool
cli_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

char *
cli_join(const char *folder, const char *name)
{
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) < 0) {
        cli_fail("out of memory");
        return NULL;
    }
    return path;
}

char *
cli_make_absolute(const char *path)
{
    char *here = getcwd(NULL, 0);
    if (!here) {
        cli_fail("the working folder: %s", strerror(errno));
        return NULL;
    }
    char *absolute =
        path[0] == '/' ? cli_join("", path + 1) : cli_join(here, path);
    free(here);
    return absolute;
}

char *
cli_find_in_folder(const char *folder, const char *name)
{
    char *path = cli_join(folder, name);
    if (path && !cli_is_file(path)) {
        free(path);
        return NULL;
    }
    return path;
}

int
cli_make_folder(const char *folder)
{
    if (!*folder) {
        return cli_fail("--output: expected the name of a folder, found an "
                        "empty one");
    }
    char *path = strdup(folder);
    if (!path) {
        return cli_fail("out of memory");
    }
    for (char *slash = strchr(path + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777); /* If it fails, so will the last one. */
        *slash = '/';
    }
    free(path);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return cli_fail("%s: %s", folder, strerror(errno));
    }
    if (!cli_is_folder(folder)) {
        return cli_fail("%s: expected a folder, and this is a file", folder);
    }
    return CLI_FINE;
}

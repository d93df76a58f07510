/* plan_names.c -- see plan_names.h. */
#define _POSIX_C_SOURCE 200809L
#include "plan_names.h"

#include "slimfly/plan_files.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Finds the file of the plan that 'path' names. */
static void
find_file(const char *path, char file[SF_OPTION_SIZE + 16], struct stat *found)
{
    *found = (struct stat){ 0 };
    snprintf(file, SF_OPTION_SIZE + 16, "%s", path);
    if (stat(file, found) == 0 && S_ISDIR(found->st_mode)) {
        snprintf(file, SF_OPTION_SIZE + 16, "%s/plan.json", path);
        stat(file, found);
    }
}

enum sf_status
sf_names_load(struct sf_names *names, const char *path, struct sf_error *err)
{
    char file[SF_OPTION_SIZE + 16];
    struct stat found;

    if (!path[0]) {
        sf_names_clear(names);
        return SF_OK;
    }
    find_file(path, file, &found);
    if (names->plan && strcmp(names->path, path) == 0 &&
        found.st_mtim.tv_sec == names->time.tv_sec &&
        found.st_mtim.tv_nsec == names->time.tv_nsec) {
        return SF_OK;
    }
    sf_names_clear(names);
    enum sf_status status = sf_plan_read(file, &names->plan, err);
    if (status == SF_OK) {
        snprintf(names->path, sizeof names->path, "%s", path);
        names->time = found.st_mtim;
    }
    return status;
}

void
sf_names_clear(struct sf_names *names)
{
    sf_plan_free(names->plan);
    names->plan = NULL;
}

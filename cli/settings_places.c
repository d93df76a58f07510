/* settings_places.c -- see settings_places.h. */
#include "settings_places.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the files go if nobody says so. */
#define HOME       "/etc/opensm"
#define CACHE_HOME "/var/cache/opensm"

/* The absolute path of the plan.json that 'word' names. */
static char *
find_plan(const char *word)
{
    char *inside = cli_find_in_folder(word, "plan.json");
    char *path = cli_make_absolute(inside ? inside : word);
    free(inside);
    return path;
}

/* The places of the plugin's own files. */
static bool
place_plugin(struct cli_settings_places *places, const char *folder)
{
    const char *home = folder ? folder : HOME;
    bool is_home = !strcmp(home, HOME); /* What changes stands elsewhere. */

    places->options = cli_join(home, "slimfly.conf");
    places->status =
        cli_join(is_home ? CLI_STATUS_FOLDER : home, CLI_STATUS_NAME);
    places->base =
        cli_join(is_home ? CACHE_HOME : home, "slimfly-base.ibnetdiscover");
    return places->options && places->status && places->base;
}

bool
cli_settings_place(struct cli_settings_places *places,
                   const struct cli_settings_words *words,
                   struct sf_settings *settings)
{
    bool is_fine = place_plugin(places, words->folder);
    char *tables = cli_find_in_folder(words->fabric, CLI_TABLES_FILE);

    if (tables) {
        places->tables = cli_make_absolute(tables);
        is_fine = is_fine && places->tables;
        free(tables);
    }
    if (words->plan && access(words->plan, F_OK) == 0) { /* No spec. */
        places->plan = find_plan(words->plan);
        is_fine = is_fine && places->plan;
    }
    if (words->guids) {
        places->guids = cli_make_absolute(words->guids);
        is_fine = is_fine && places->guids;
    }
    places->jobs =
        cli_make_absolute(words->jobs ? words->jobs : CLI_JOBS_FILE);
    is_fine = is_fine && places->jobs;
    settings->jobs = places->jobs;
    settings->has_jobs = words->jobs != NULL;
    settings->options = places->options;
    settings->status = places->status;
    settings->base = places->base;
    settings->tables = places->tables;
    settings->plan_path = places->plan;
    settings->guids = places->guids;
    return is_fine;
}

void
cli_settings_places_clear(struct cli_settings_places *places)
{
    free(places->options);
    free(places->status);
    free(places->base);
    free(places->jobs);
    free(places->plan);
    free(places->guids);
    free(places->tables);
}

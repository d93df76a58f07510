/* settings_places.h -- where the files stand that settings speak of. */
#ifndef SF_CLI_SETTINGS_PLACES_H
#define SF_CLI_SETTINGS_PLACES_H

#include "cli.h"

/* Paths from the root on; NULL: there is none such. */
struct cli_settings_places {
    char *options, *status, *base; /* Of the plugin. */
    char *jobs;
    char *plan, *guids, *tables;
};

/* What the user says. */
struct cli_settings_words {
    const char *folder; /* That the settings go to, from the root on; NULL:
                         * that of OpenSM. */
    const char *fabric;
    const char *plan; /* NULL: none, as the others. */
    const char *guids;
    const char *jobs;
};

/* Decides where everything stands, and tells 'settings'.  On failure says so
 * and returns false.  The caller calls cli_settings_places_clear() in any
 * case, but not before it is done with the settings. */
bool cli_settings_place(struct cli_settings_places *places,
                        const struct cli_settings_words *words,
                        struct sf_settings *settings);
void cli_settings_places_clear(struct cli_settings_places *places);

#endif

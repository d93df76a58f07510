/* settings_files.h -- writes the files of 'slimfly settings'. */
#ifndef SF_CLI_SETTINGS_FILES_H
#define SF_CLI_SETTINGS_FILES_H

#include "cli.h"

/* Writes the files that 'settings' ask for into 'folder', which is made if it
 * is missing.  Unless they may be replaced, files that somebody else wrote are
 * an error that names them, and nothing changes.  Returns an exit code. */
int cli_write_settings(const struct sf_settings *settings, const char *folder,
                       bool may_replace);

/* Says what was written there. */
void cli_tell_settings(const struct sf_settings *settings, const char *folder);

#endif

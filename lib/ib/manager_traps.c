/* manager_traps.c -- traps of the status file in words. */
#include "slimfly/manager.h"

#include <inttypes.h>
#include <stdio.h>

/* What a trap of the specification says [IBTA, 13.4.8.2 and 14.2.5.1]. */
static const struct trap_words {
    uint32_t number, changes;
    bool is_bad;
    const char *words;
} trap_words[] = {
    { 128, 0, false, "link state changed" },
    { 129, 0, true, "link integrity errors passed their threshold" },
    { 130, 0, true, "buffer overruns passed their threshold" },
    { 131, 0, true, "the watchdog of flow control expired" },
    { 144, 0, false, "capabilities changed" },
    { 144, 0x01, false, "node description changed" },
    { 144, 0x02, false, "enabled link width changed" },
    { 144, 0x04, false, "enabled link speed changed" },
    { 144, 0x08, false, "priority of the subnet manager changed" },
    { 145, 0, false, "system image GUID changed" },
    { 256, 0, true, "packets with a wrong M_Key came" },
    { 257, 0, true, "packets with a wrong P_Key came" },
    { 258, 0, true, "packets with a wrong Q_Key came" },
    { 259, 0, true, "packets with a wrong P_Key came" },
};

/* The words for 'trap', or NULL.  Of several changes at once, the words are
 * those of all, that something changed. */
static const struct trap_words *
find_words(const struct sf_manager_trap *trap)
{
    const struct trap_words *found = NULL;

    for (size_t i = 0;
         !trap->vendor && i < sizeof trap_words / sizeof *trap_words; i++) {
        const struct trap_words *words = &trap_words[i];
        if (words->number == trap->number &&
            (words->changes == trap->changes || !words->changes)) {
            found = words;
        }
    }
    return found;
}

/* Who sent 'trap'. */
static void
name_sender(const struct sf_manager_trap *trap, char *text, size_t size)
{
    if (trap->node[0]) {
        snprintf(text, size, "%s", trap->node);
    } else if (trap->guid) {
        snprintf(text, size, "the port 0x%016" PRIx64, trap->guid);
    } else {
        snprintf(text, size, "a port that is not known");
    }
}

void
sf_manager_trap_text(const struct sf_manager_trap *trap,
                     char text[SF_TRAP_TEXT_SIZE])
{
    const struct trap_words *words = find_words(trap);
    char sender[sizeof trap->node];

    name_sender(trap, sender, sizeof sender);
    if (words) {
        snprintf(text, SF_TRAP_TEXT_SIZE, "%s at %s", words->words, sender);
    } else if (trap->vendor) {
        snprintf(text, SF_TRAP_TEXT_SIZE,
                 "notice %" PRIu32 " of the vendor 0x%06" PRIx32 " from %s",
                 trap->number, trap->vendor, sender);
    } else {
        snprintf(text, SF_TRAP_TEXT_SIZE, "notice %" PRIu32 " from %s",
                 trap->number, sender);
    }
}

bool
sf_manager_trap_is_bad(const struct sf_manager_trap *trap)
{
    const struct trap_words *words = find_words(trap);
    return words && words->is_bad;
}

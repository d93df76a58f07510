/* manager_traps.c -- traps of the status file in words. */
#include "slimfly/manager.h"

#include <inttypes.h>
#include <stdio.h>

#define LOCAL_CHANGES 144

/* What a trap of the specification says [IBTA, 13.4.8.2 and 14.2.5.1]. */
static const struct trap_words {
    uint32_t number;
    bool is_bad;
    const char *words;
} trap_words[] = {
    { 128, false, "link state changed" },
    { 129, true, "link integrity errors passed their threshold" },
    { 130, true, "buffer overruns passed their threshold" },
    { 131, true, "the watchdog of flow control expired" },
    { LOCAL_CHANGES, false, "capabilities changed" },
    { 145, false, "system image GUID changed" },
    { 256, true, "packets with a wrong M_Key came" },
    { 257, true, "packets with a wrong P_Key came" },
    { 258, true, "packets with a wrong Q_Key came" },
    { 259, true, "packets with a wrong P_Key came" },
};

/* What the flags of trap 144 say, one bit each. */
static const char *const changed_settings[] = {
    "node description",
    "enabled link width",
    "enabled link speed",
    "priority of the subnet manager",
};
#define CHANGES_SIZE 112 /* For all of them. */
#define N_SETTINGS   (sizeof changed_settings / sizeof *changed_settings)

/* The words for 'trap', or NULL. */
static const struct trap_words *
find_words(const struct sf_manager_trap *trap)
{
    for (size_t i = 0;
         !trap->vendor && i < sizeof trap_words / sizeof *trap_words; i++) {
        if (trap_words[i].number == trap->number) {
            return &trap_words[i];
        }
    }
    return NULL;
}

/* Lists what 'changes' name: "a, b and c". */
static void
list_changes(uint32_t changes, char *text, size_t size)
{
    const char *listed[N_SETTINGS + 1];
    size_t n = 0;
    int length = 0;

    for (size_t i = 0; i < N_SETTINGS; i++) {
        if (changes >> i & 1) {
            listed[n++] = changed_settings[i];
        }
    }
    if (changes >> N_SETTINGS) {
        listed[n] = n ? "other settings" : "settings";
        n++;
    }
    for (size_t i = 0; i < n && length >= 0 && (size_t)length < size; i++) {
        length += snprintf(text + length, size - (size_t)length, "%s%s",
                           i == 0       ? ""
                           : i + 1 == n ? " and "
                                        : ", ",
                           listed[i]);
    }
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
    char sender[sizeof trap->node], changes[CHANGES_SIZE];

    name_sender(trap, sender, sizeof sender);
    if (words && trap->number == LOCAL_CHANGES && trap->changes) {
        list_changes(trap->changes, changes, sizeof changes);
        snprintf(text, SF_TRAP_TEXT_SIZE, "%s changed at %s", changes, sender);
    } else if (words) {
        snprintf(text, SF_TRAP_TEXT_SIZE, "%s at %s", words->words, sender);
    } else if (trap->vendor) {
        snprintf(text, SF_TRAP_TEXT_SIZE,
                 "notice from device %" PRIu32 " of vendor 0x%06" PRIx32
                 " at %s",
                 trap->device, trap->vendor, sender);
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

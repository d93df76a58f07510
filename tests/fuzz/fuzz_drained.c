/* fuzz_drained.c -- any bytes as a list of drained links: no crash, and each
 * entry that was read is the same after it is written and read again. */
#include "fuzz.h"
#include "slimfly/drain.h"

#include <stdio.h>
#include <string.h>

/* Writes an entry into a list of its own, and reads that. */
static void
check(const struct sf_drain_entry *entry)
{
    struct sf_drain_list *list, *again;
    bool is_new;

    if (sf_drain_list_parse("", 0, "fuzz", &list, NULL) != SF_OK) {
        abort();
    }
    if (sf_drain_list_add(list, entry, "why # not\n", &is_new, NULL) ==
        SF_OK) {
        const char *text = list->lines[0].text;
        if (sf_drain_list_parse(text, strlen(text), "fuzz", &again, NULL) !=
                SF_OK ||
            again->n_entries != 1 ||
            !sf_drain_entry_is_same(&again->lines[0].entry, entry) ||
            again->lines[0].entry.with_hosts != entry->with_hosts ||
            !sf_drain_list_remove(again, entry) || again->n_lines) {
            abort();
        }
        sf_drain_list_free(again);
    }
    sf_drain_list_free(list);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_drain_list *list;
    struct sf_error err = { 0 };
    char *text = fuzz_text(data, size);
    enum sf_status status =
        sf_drain_list_parse(text, size, "fuzz", &list, &err);

    if ((status == SF_OK) != !err.text[0]) {
        abort();
    }
    for (uint32_t i = 0; status == SF_OK && i < list->n_lines; i++) {
        if (list->lines[i].is_entry) {
            check(&list->lines[i].entry);
            sf_drain_entry_goes_by(&list->lines[i].entry, text);
        }
    }
    sf_drain_list_free(status == SF_OK ? list : NULL);
    free(text);
    return 0;
}

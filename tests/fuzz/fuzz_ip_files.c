/* fuzz_ip_files.c -- any bytes as a file that the audit of IP reads: no crash,
 * an error says something, and what is read is in range.  The first byte says
 * which kind of file it is. */
#include "fuzz.h"
#include "ip/audit/held.h"

#define N_PORTS 7

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sf_ip_parse *const parsers[] = {
        sf_ip_parse_routes, sf_ip_parse_staticd, sf_ip_parse_sonic,
        sf_ip_parse_owns,   sf_ip_parse_nft,     sf_ip_parse_dump
    };
    uint8_t marks_at[(N_PORTS + 1) * (N_PORTS + 1)] = { 0 };
    struct sf_ip_entries entries = { 0 };
    struct sf_ip_owns owns = { 0 };
    struct sf_ip_marks marks = { .marks = marks_at };
    struct sf_port_names ports;
    struct sf_error err = { 0 };

    if (size == 0 || sf_port_names_parse("swp%d", &ports, NULL) != SF_OK) {
        return 0;
    }
    uint32_t kind = data[0] % (sizeof parsers / sizeof *parsers);
    struct sf_ip_audit audit = { 0 };
    struct sf_ip_dump dump = { .prefix = { .length = 8 },
                               .audit = &audit,
                               .entries = &entries };

    dump.prefix.address.bytes[0] = 10;
    void *into[] = { &entries, &entries, &entries, &owns, &marks, &dump };
    struct sf_ip_reader reader = { "fuzz", &ports, N_PORTS, &err, into[kind] };
    char *text = fuzz_text(data + 1, size - 1);
    enum sf_status status = parsers[kind](&reader, text, size - 1);

    if (status != SF_OK && !err.text[0]) {
        abort();
    }
    sf_ip_entries_sort(&entries);
    for (size_t i = 0; i < entries.n; i++) {
        const struct sf_ip_entry *entry = &entries.items[i];
        const struct sf_ip_entry *found =
            sf_ip_entries_find(&entries, entry->to.address, 0);
        if (entry->out > N_PORTS || !found ||
            found->to.length < entry->to.length) {
            abort();
        }
    }
    for (size_t i = 0; i < owns.n; i++) {
        if (owns.items[i].port > N_PORTS) {
            abort();
        }
    }
    for (size_t i = 0; i < SF_IP_MAX_FINDINGS; i++) {
        free(audit.findings[i]);
    }
    free(entries.items);
    free(owns.items);
    free(text);
    return 0;
}

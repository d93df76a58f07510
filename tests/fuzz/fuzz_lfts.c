/* fuzz_lfts.c -- any bytes as forwarding tables: no crash, an error says
 * something, and what is read can be audited. */
#include "fuzz.h"
#include "slimfly/audit.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct sf_fabric *fabric = fuzz_fabric();
    struct sf_tables *tables;
    struct sf_audit *audit;
    struct sf_error err = { 0 };
    char *text = fuzz_text(data, size);

    if (sf_tables_parse(text, size, "fuzz", fabric, &tables, &err) != SF_OK) {
        if (tables || !err.text[0]) {
            abort();
        }
    } else {
        if (sf_audit_build(fabric, tables, NULL, &audit, NULL) != SF_OK) {
            abort();
        }
        sf_audit_free(audit);
    }
    sf_tables_free(tables);
    free(text);
    return 0;
}

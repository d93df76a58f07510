/* fuzz_sl2vl.c -- any bytes as SL-to-VL tables: no crash, an error says
 * something, and what is read is in range. */
#include "fuzz.h"
#include "slimfly/sl2vl.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct sf_fabric *fabric = fuzz_fabric();
    struct sf_sl2vl *sl2vl;
    struct sf_error err = { 0 };
    char *text = fuzz_text(data, size);

    if (sf_sl2vl_parse(text, size, "fuzz", fabric, &sl2vl, &err) != SF_OK) {
        if (sl2vl || !err.text[0]) {
            abort();
        }
    } else {
        uint32_t last = sl2vl->n_switches - 1;
        size_t n_ports = sl2vl->n_ports[last] + 1;
        size_t n = sl2vl->first[last] + n_ports * n_ports * SF_N_SLS;
        for (size_t i = 0; i < n; i++) {
            if (sl2vl->vls[i] > SF_DROP_VL && sl2vl->vls[i] != SF_NO_VL) {
                abort();
            }
        }
    }
    sf_sl2vl_free(sl2vl);
    free(text);
    return 0;
}

/* fuzz_path_sls.c -- any bytes as path SLs: no crash, an error says something,
 * and what is read is in range. */
#include "fuzz.h"
#include "slimfly/sl2vl.h"

#define MAX_LID 100

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct sf_fabric *fabric = fuzz_fabric();
    struct sf_path_sls *path_sls;
    struct sf_error err = { 0 };
    char *text = fuzz_text(data, size);

    if (sf_path_sls_parse(text, size, "fuzz", fabric, MAX_LID, &path_sls,
                          &err) != SF_OK) {
        if (path_sls || !err.text[0]) {
            abort();
        }
    } else {
        for (size_t i = 0; i < (size_t)fabric->n_switches * (MAX_LID + 1);
             i++) {
            if (path_sls->sls[i] >= SF_N_SLS && path_sls->sls[i] != SF_NO_SL) {
                abort();
            }
        }
    }
    sf_path_sls_free(path_sls);
    free(text);
    return 0;
}

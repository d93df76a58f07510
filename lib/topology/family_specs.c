/* family_specs.c -- the specs of families, and what several of them check. */
#include "slimfly/field.h"
#include "topology/family.h"

static bool
head_of(size_t i, struct sf_spec_head *head)
{
    const struct sf_family *family = sf_families[i];

    if (family) {
        *head = (struct sf_spec_head){ family->name, family->example,
                                       family->params };
    }
    return family != NULL;
}

const struct sf_spec_sort sf_family_specs = {
    .what = "a family of topologies",
    .head = head_of,
    .keeps_given = true,
};

uint32_t
sf_family_find(const char *spec)
{
    size_t i = sf_spec_find(&sf_family_specs, spec);
    return i == SF_NO_HEAD ? SF_NONE : (uint32_t)i;
}

enum sf_status
sf_check_prime_power(uint32_t q, struct sf_error *err)
{
    if (!sf_is_prime_power(q, NULL, NULL)) {
        return sf_fail(err, SF_EINVAL,
                       "q = %u is not a prime power; the nearest are %u and "
                       "%u",
                       q, sf_prime_power_below(q), sf_prime_power_above(q));
    }
    return SF_OK;
}

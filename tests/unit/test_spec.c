/* test_spec.c -- specs that cannot be, and what is said about them. */
#include "helpers.h"
#include "slimfly/random.h"
#include "slimfly/topology.h"
#include "test.h"

#define MAX_SPEC 512

/* A file that exists, for the family that wants one. */
static struct temporary edges;

static bool
wants_file(const struct sf_family *family)
{
    return family->params[0].kind == SF_PARAM_FILE;
}

static const struct sf_param *
positional_param(const struct sf_family *family)
{
    for (int i = 0; i < SF_MAX_PARAMS && family->params[i].key; i++) {
        if (family->params[i].positional) {
            return &family->params[i];
        }
    }
    return NULL;
}

/* Writes the family's example, with parameter 'key', if nonnull, left out. */
static void
example_without(const struct sf_family *family, const char *key,
                char spec[MAX_SPEC])
{
    char example[MAX_SPEC];
    size_t used = 0;
    const struct sf_param *positional = positional_param(family);

    snprintf(example, sizeof example, "%s", strchr(family->example, ':') + 1);
    used += (size_t)snprintf(spec, MAX_SPEC, "%s:", family->name);
    for (char *token = strtok(example, ","); token;
         token = strtok(NULL, ",")) {
        const char *equals = strchr(token, '=');
        const char *its_key = equals ? token : positional->key;
        size_t length = equals ? (size_t)(equals - token) : strlen(its_key);
        if (key && strlen(key) == length &&
            strncmp(its_key, key, length) == 0) {
            continue;
        }
        if (!equals && wants_file(family)) {
            token = edges.name;
        }
        used += (size_t)snprintf(spec + used, MAX_SPEC - used, "%s%s",
                                 spec[used - 1] == ':' ? "" : ",", token);
    }
}

/* The example with 'key' set to 'value', once or twice. */
static void
example_with(const struct sf_family *family, const char *key,
             const char *value, int times, char spec[MAX_SPEC])
{
    example_without(family, key, spec);
    for (int i = 0; i < times; i++) {
        size_t used = strlen(spec);
        snprintf(spec + used, MAX_SPEC - used, "%s%s=%s",
                 spec[used - 1] == ':' ? "" : ",", key, value);
    }
}

/* Refused with SF_EINVAL or SF_ELIMIT and a message that names 'key'. */
static void
check_refused(const char *spec, const char *key)
{
    struct sf_topology *topo = NULL;
    enum sf_status status = sf_topology_build(spec, &topo, NULL);
    CHECK_FOR(status == SF_EINVAL || status == SF_ELIMIT, "%s: status %d",
              spec, (int)status);
    const char *text = refusal(spec, status);
    CHECK_FOR(has_word(text, key), "%s: does not name %s: %s", spec, key,
              text);
}

/* Calls 'check' for every parameter of every family. */
static void
for_every_param(void (*check)(const struct sf_family *family,
                              const struct sf_param *param))
{
    edges = temporary_write("0 1\n1 2\n");
    for (size_t i = 0; sf_families[i]; i++) {
        for (int j = 0; j < SF_MAX_PARAMS && sf_families[i]->params[j].key;
             j++) {
            check(sf_families[i], &sf_families[i]->params[j]);
        }
    }
    temporary_remove(&edges);
}

static void
check_number_limits(const struct sf_family *family,
                    const struct sf_param *param)
{
    char spec[MAX_SPEC], value[64];

    if (param->kind == SF_PARAM_NUMBER) {
        CHECK(param->min <= param->max);
        if (param->min > 0) {
            example_with(family, param->key, "0", 1, spec);
            check_refused(spec, param->key);
            snprintf(value, sizeof value, "%u", param->min - 1);
            example_with(family, param->key, value, 1, spec);
            check_refused(spec, param->key);
        }
        for (uint64_t above = (uint64_t)param->max + 1;
             above <= UINT64_C(1) << 62; above *= 2) {
            snprintf(value, sizeof value, "%llu", (unsigned long long)above);
            example_with(family, param->key, value, 1, spec);
            check_refused(spec, param->key);
        }
        /* What 32 bits would take for the smallest that is allowed. */
        snprintf(value, sizeof value, "%llu",
                 (1ULL << 32) + (unsigned long long)param->min);
        example_with(family, param->key, value, 1, spec);
        check_refused(spec, param->key);
    }
}

TEST(spec_numbers_beyond_their_limits)
{
    for_every_param(check_number_limits);
}

static void
check_not_numbers(const struct sf_family *family, const struct sf_param *param)
{
    static const char *const values[] = {
        "-1",
        "-5",
        "",
        "x",
        "5x",
        "5 ",
        "5.0",
        "5;",
        "5=5",
        "0x5",
        "5e0",
        "--5",
        "99999999999999999999",
        "18446744073709551616",
        "18446744073709551621",
        "-18446744073709551611",
        "100000000000000000000000000000000000000000000000000000000000000005",
        "five",
        "\xc2\xb2",
    };
    char spec[MAX_SPEC];

    if (param->kind == SF_PARAM_NUMBER || param->kind == SF_PARAM_SEED) {
        for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
            example_with(family, param->key, values[i], 1, spec);
            check_refused(spec, param->key);
        }
    }
}

TEST(spec_numbers_that_are_none)
{
    for_every_param(check_not_numbers);
}

static void
check_shapes(const struct sf_family *family, const struct sf_param *param)
{
    static const char *const values[] = {
        "",
        "5",
        "x",
        "5x",
        "x5",
        "5x5x5",
        "0x5",
        "5x0",
        "-1x5",
        "5x-1",
        "5x5 ",
        "5*5",
        "5x5.0",
        "5,5",
        "99999999999999999999x5",
        "5x99999999999999999999",
        "4294967301x5",
        "5x4294967301",
    };
    char spec[MAX_SPEC], value[64];

    if (param->kind != SF_PARAM_SHAPE) {
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        example_with(family, param->key, values[i], 1, spec);
        check_refused(spec, param->key);
    }
    snprintf(value, sizeof value, "%ux5", param->max + 1);
    example_with(family, param->key, value, 1, spec);
    check_refused(spec, param->key);
    snprintf(value, sizeof value, "5x%u", param->max + 1);
    example_with(family, param->key, value, 1, spec);
    check_refused(spec, param->key);
    /* And where it stands without its key. */
    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        snprintf(spec, sizeof spec, "%s:%s", family->name, values[i]);
        refusal(spec, SF_EINVAL);
    }
}

TEST(spec_shapes_that_are_none)
{
    for_every_param(check_shapes);
}

static void
check_missing(const struct sf_family *family, const struct sf_param *param)
{
    char spec[MAX_SPEC];

    if (!param->by_default) {
        example_without(family, param->key, spec);
        if (spec[strlen(spec) - 1] == ':') {
            spec[strlen(spec) - 1] = '\0';
        }
        check_refused(spec, param->key);
    }
}

TEST(spec_parameters_that_are_missing)
{
    for_every_param(check_missing);
}

static void
check_twice(const struct sf_family *family, const struct sf_param *param)
{
    char spec[MAX_SPEC], value[128];

    switch (param->kind) {
    case SF_PARAM_NUMBER:
    case SF_PARAM_SEED:
        snprintf(value, sizeof value, "%u", param->min + 1);
        break;
    case SF_PARAM_SHAPE:
        snprintf(value, sizeof value, "%ux%u", param->min, param->min);
        break;
    case SF_PARAM_FILE:
        snprintf(value, sizeof value, "%s", edges.name);
        break;
    case SF_PARAM_REAL:
        snprintf(value, sizeof value, "%g", param->range.max);
        break;
    case SF_PARAM_CHOICE:
        snprintf(value, sizeof value, "%s", param->words[0]);
        break;
    }
    example_with(family, param->key, value, 2, spec);
    check_refused(spec, param->key);
    if (param->positional) {
        snprintf(spec, sizeof spec, "%s:%s,%s=%s", family->name, value,
                 param->key, value);
        check_refused(spec, param->key);
    }
}

TEST(spec_parameters_given_twice)
{
    for_every_param(check_twice);
}

static void
check_empty(const struct sf_family *family, const struct sf_param *param)
{
    char spec[MAX_SPEC];

    example_with(family, param->key, "", 1, spec);
    check_refused(spec, param->key);
}

TEST(spec_parameters_without_a_value)
{
    for_every_param(check_empty);
}

/* A key that the family does not have, or that only begins like one. */
static void
check_unknown(const struct sf_family *family, const struct sf_param *param)
{
    char spec[MAX_SPEC], key[64];

    example_with(family, "nosuchkey", "1", 1, spec);
    check_refused(spec, "nosuchkey");
    snprintf(key, sizeof key, "%szz", param->key);
    example_with(family, key, "1", 1, spec);
    check_refused(spec, key);
}

TEST(spec_keys_that_are_unknown)
{
    for_every_param(check_unknown);
}

/* What the table says of itself. */
static void
check_table(const struct sf_family *family, const struct sf_param *param)
{
    CHECK(family->name && family->title && family->example);
    CHECK(strncmp(family->example, family->name, strlen(family->name)) == 0);
    CHECK(param->key[0] != '\0' && param->meaning != NULL);
    for (const struct sf_param *other = family->params; other != param;
         other++) {
        CHECK(strcmp(other->key, param->key) != 0);
    }
}

TEST(spec_families_describe_themselves)
{
    static const char *const names[] = { "sf",        "ft2",  "ft2b",    "ft3",
                                         "hx2",       "df",   "xpander", "pf",
                                         "jellyfish", "edges" };

    for_every_param(check_table);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        int n_found = 0;
        for (size_t j = 0; sf_families[j]; j++) {
            n_found += strcmp(sf_families[j]->name, names[i]) == 0;
        }
        CHECK_FOR(n_found == 1, "%d families %s", n_found, names[i]);
    }
}

TEST(spec_without_sense)
{
    static const char *const specs[] = {
        "",
        ":",
        "::",
        ",",
        "=",
        "sf",
        "sf:",
        "sf:,",
        "sf:=",
        "sf:=5",
        "sf:q",
        "sf:5",
        "sf:q=5,",
        "sf:,q=5",
        "sf:q=5,,p=4",
        "sf:q=5:p=4",
        "sf:q=5 p=4",
        "sf:q=5,p",
        "sf:q==5",
        "sf,q=5",
        "sfq=5",
        ":q=5",
        " sf:q=5",
        "sf :q=5",
        "nosuch:q=5",
        "s:q=5",
        "sff:q=5",
        "hx2:13x13,5x5",
        "hx2:p=12,13x13,5x5",
        "ft2",
        "ft2:",
        "sf:q=5\n",
        "sf:q=\x1b[31m5",
        "\x1b[2Jsf:q=5",
        "sf:q\x7f=5",
        "sf:q=%s%s%s%n",
        "%n%s:q=5",
    };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        refusal(specs[i], SF_EINVAL);
    }
    CHECK(has_word(refusal("nosuch:q=5", SF_EINVAL), "nosuch"));
}

TEST(spec_of_a_slim_fly_that_does_not_exist)
{
    static const struct {
        const char *spec, *text;
    } cases[] = {
        { "sf:q=6", "q = 6 is not a prime power; the nearest are 5 and 7" },
        { "sf:q=10", "q = 10 is not a prime power; the nearest are 9 and 11" },
        { "sf:q=28",
          "q = 28 is not a prime power; the nearest are 27 and 29" },
        { "sf:q=126",
          "q = 126 is not a prime power; the nearest are 125 and 127" },
        { "pf:q=6", "q = 6 is not a prime power; the nearest are 5 and 7" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *text = refusal(cases[i].spec, SF_EINVAL);
        CHECK_FOR(strstr(text, cases[i].text), "%s: %s", cases[i].spec, text);
    }
}

/* Each parameter is within its limits, but the whole is too large; that must
 * be seen before anything is drawn. */
TEST(spec_of_something_huge)
{
    static const char *const specs[] = {
        "ft3:ports=1024",
        "hx2:1024x1024",
        "hx2:362x362,links=64",
        "df:a=4096,h=4096",
        "df:a=4096,h=1,g=4097",
        "xpander:k=1024,lift=131072",
        "jellyfish:n=131072,k=1024",
    };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        refusal(specs[i], SF_ELIMIT);
    }
    /* Here a switch alone would have too many ports. */
    check_refused("ft2:leaf=65536,core=65536,up=1024", "up");
    check_refused("ft2:leaf=65536,core=65536", "core");
}

/* Longer than any buffer, wherever the length is. */
TEST(spec_that_is_very_long)
{
    enum {
        LENGTH = 100000
    };
    static char spec[LENGTH + 64];
    static const char *const heads[] = {
        "",     "sf:",    "sf:q=",           "sf:q=5,p=4,",
        "hx2:", "hx2:1x", "jellyfish:seed=", "sf:q=5,p=0"
    };
    static const char fills[] = "x9,=:0";

    for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
        for (const char *fill = fills; *fill; fill++) {
            int length = snprintf(spec, sizeof spec, "%s", heads[i]);
            memset(spec + length, *fill, LENGTH);
            spec[length + LENGTH] = '\0';
            refusal(spec, SF_EINVAL);
        }
    }
}

/* Examples with a few bytes changed, but no digit added, so that what still
 * builds stays small. */
TEST(spec_with_random_damage)
{
    static const char bytes[] = "=,:x-+ .\n%\x80\xff";
    struct sf_random random;

    sf_random_init(&random, 1, 0);
    for (int round = 0; round < 4000; round++) {
        const struct sf_family *family =
            sf_families[(size_t)round % 9]; /* The last reads files. */
        char spec[MAX_SPEC];

        CHECK(!wants_file(family));
        snprintf(spec, sizeof spec, "%s", family->example);
        for (uint32_t n = 1 + sf_random_below(&random, 3); n > 0; n--) {
            uint32_t length = (uint32_t)strlen(spec);
            uint32_t place = sf_random_below(&random, length);
            if (sf_random_below(&random, 2)) {
                memmove(spec + place, spec + place + 1, length - place);
            } else {
                spec[place] =
                    bytes[sf_random_below(&random, sizeof bytes - 1)];
            }
        }

        struct sf_topology *topo = UNSET(struct sf_topology);
        enum sf_status status = sf_topology_build(spec, &topo, NULL);
        if (status == SF_OK) {
            CHECK(topo != NULL && topo->graph != NULL);
            sf_topology_free(topo);
        } else {
            refusal(spec, status);
            CHECK(status == SF_EINVAL || status == SF_ELIMIT);
        }
    }
}

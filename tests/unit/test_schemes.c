/* test_schemes.c -- specs of layers and lanes, and the values that the parser
 * of specs reads: real numbers, words, defaults, one spelling of each. */
#include "base/spec.h"
#include "helpers.h"
#include "slimfly/lanes.h"
#include "slimfly/routing.h"
#include "test.h"

#include <stddef.h>

/* A table with a parameter of each kind. */
static const struct sf_param all_kinds[SF_MAX_PARAMS] = {
    { .key = "share",
      .kind = SF_PARAM_REAL,
      .range = { .min = 0, .max = 1, .above_min = true },
      .positional = true,
      .by_default = "0.25",
      .meaning = "a share" },
    { .key = "below",
      .kind = SF_PARAM_REAL,
      .range = { .min = -1, .max = 1, .below_max = true },
      .by_default = "as it comes",
      .meaning = "a number" },
    { .key = "word",
      .kind = SF_PARAM_CHOICE,
      .words = { "one", "two", "three" },
      .by_default = "two",
      .meaning = "a word" },
    { .key = "number", SF_PARAM_NUMBER, 2, 9, false, "3", "a whole number" },
    { .key = "seed", SF_PARAM_SEED, 0, 0, false, "1", "a seed" },
    { .key = "size", SF_PARAM_SHAPE, 1, 8, false, "2x2", "a shape" },
    { .key = "file", SF_PARAM_FILE, 0, 0, false, "none", "a file" },
};

static bool
head_of(size_t i, struct sf_spec_head *head)
{
    static const struct sf_param none[SF_MAX_PARAMS];

    *head = (struct sf_spec_head){ i ? "plain" : "rich", NULL,
                                   i ? none : all_kinds };
    return i < 2;
}

static const struct sf_spec_sort sort = { .what = "a thing", .head = head_of };

static void
check_spelled(const char *text, const char *canonical)
{
    struct sf_spec spec, again;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_spec_parse(&sort, text, &spec, &err) == SF_OK, "%s: %s", text,
              err.text);
    CHECK_STR(spec.canonical, canonical);
    CHECK_EQ(sf_spec_parse(&sort, canonical, &again, NULL), SF_OK);
    CHECK_STR(again.canonical, canonical);
    sf_spec_clear(&again);
    sf_spec_clear(&spec);
}

TEST(schemes_specs_have_one_spelling)
{
    static const struct {
        const char *text, *canonical;
    } cases[] = {
        { "rich", "rich" },
        { "plain", "plain" },
        { "rich:0.25", "rich" },
        { "rich:share=2.5e-1", "rich" },
        { "rich:0.5", "rich:share=0.5" },
        { "rich:.50", "rich:share=0.5" },
        { "rich:share=5e-1", "rich:share=0.5" },
        { "rich:0.1", "rich:share=0.1" },
        { "rich:0.1000000000000000055511151231257827", "rich:share=0.1" },
        { "rich:0.30000000000000004", "rich:share=0.30000000000000004" },
        { "rich:1e-300", "rich:share=1e-300" },
        { "rich:below=0", "rich:below=0" }, /* Its default is a phrase. */
        { "rich:below=-0.0", "rich:below=0" },
        { "rich:below=-1", "rich:below=-1" },
        { "rich:word=two", "rich" },
        { "rich:word=three", "rich:word=three" },
        { "rich:number=003", "rich" },
        { "rich:number=04,word=one", "rich:word=one,number=4" },
        { "rich:seed=18446744073709551615,1=1", NULL },
        { "rich:seed=18446744073709551615", "rich:seed=18446744073709551615" },
        { "rich:size=02x2", "rich" },
        { "rich:size=8x1", "rich:size=8x1" },
        { "rich:file=a,share=1", "rich:share=1,file=a" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_spec spec;
        if (cases[i].canonical) {
            check_spelled(cases[i].text, cases[i].canonical);
        } else {
            CHECK_EQ(sf_spec_parse(&sort, cases[i].text, &spec, NULL),
                     SF_EINVAL);
            sf_spec_clear(&spec);
        }
    }
}

TEST(schemes_values_are_given_or_defaults)
{
    struct sf_spec spec;

    CHECK_EQ(sf_spec_parse(&sort, "rich:word=one", &spec, NULL), SF_OK);
    CHECK(!spec.values[0].given);
    CHECK_NEAR(spec.values[0].real, 0.25, 0);
    CHECK(!spec.values[1].given);
    CHECK_NEAR(spec.values[1].real, 0, 0);
    CHECK(spec.values[2].given);
    CHECK_EQ(spec.values[2].number, 0);
    CHECK_EQ(spec.values[3].number, 3);
    CHECK_EQ(sf_value_or(&spec.values[3], 7), 7);
    CHECK_EQ(spec.values[5].rows, 2);
    CHECK(!spec.values[6].text);
    CHECK(sf_spec_value(&spec, "word") == &spec.values[2]);
    CHECK(!sf_spec_value(&spec, "words"));
    sf_spec_value(&spec, "word")->number = 2;
    CHECK_EQ(sf_spec_spell(&spec, NULL), SF_OK);
    CHECK_STR(spec.canonical, "rich:word=three");
    sf_spec_clear(&spec);
}

/* A refusal names the key, what was found and what was expected. */
TEST(schemes_refusals_say_what_was_expected)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "", "'' is not a thing; there are rich, plain" },
        { "ric", "'ric' is not a thing; there are rich, plain" },
        { "plain:", "'': plain takes no settings" },
        { "plain:a=1", "'a': plain takes no settings" },
        { "rich:0", "share = 0: expected a number above 0 and up to 1" },
        { "rich:share=1.5",
          "share = 1.5: expected a number above 0 and up to 1" },
        { "rich:share=nan", "share = nan: expected a number above 0" },
        { "rich:share=inf", "share = inf: expected a number above 0" },
        { "rich:share=0x1p-1", "share = 0x1p-1: expected a number" },
        { "rich:share=1e999", "share = 1e999: expected a number" },
        { "rich:share=0.5.5", "share = 0.5.5: expected a number" },
        { "rich:share= 0.5", "share =  0.5: expected a number" },
        { "rich:share=-", "share = -: expected a number" },
        { "rich:share=", "share has no value: expected a number above 0" },
        { "rich:below=1", "below = 1: expected a number from -1 and below 1" },
        { "rich:word=four", "word = four: expected one, two or three" },
        { "rich:word=tw", "word = tw: expected one, two or three" },
        { "rich:word=", "word has no value: expected one, two or three" },
        { "rich:number=1", "number = 1: expected a whole number from 2 to 9" },
        { "rich:number=3.0", "number = 3.0: expected a whole number" },
        { "rich:word=one,word=one", "word is given twice" },
        { "rich:0.5,share=0.5", "share is given twice" },
        { "rich:word=one,0.5",
          "'0.5': expected KEY=VALUE; rich has the keys share, below, word" },
        { "rich:colour=red",
          "'colour' is not a key of rich; it has share, below, word" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_spec spec;
        struct sf_error err = { 0 };
        CHECK_EQ(sf_spec_parse(&sort, cases[i].text, &spec, &err), SF_EINVAL);
        CHECK_FOR(strstr(err.text, cases[i].says), "%s: %s", cases[i].text,
                  err.text);
        sf_spec_clear(&spec);
    }
}

TEST(schemes_params_are_told_to_people)
{
    static const char *const lines[] = {
        "a share; above 0 and up to 1 (default: 0.25)\n",
        "a number; from -1 and below 1 (default: as it comes)\n",
        "a word; one, two or three (default: two)\n",
        "a whole number; 2 to 9 (default: 3)\n",
        "a seed (default: 1)\n",
        "a shape, each 1 to 8 (default: 2x2)\n",
        "a file (default: none)\n",
    };

    CHECK_EQ(sf_params_count(all_kinds), ARRAY_SIZE(lines));
    for (uint32_t i = 0; i < ARRAY_SIZE(lines); i++) {
        char text[200] = "";
        FILE *stream = tmpfile();
        sf_param_write_text(&all_kinds[i], stream);
        rewind(stream);
        text[fread(text, 1, sizeof text - 1, stream)] = '\0';
        fclose(stream);
        CHECK_STR(text, lines[i]);
    }
}

/* Whether any value is in range.  A whole number with the range of a real one
 * would take nothing but 0. */
static bool
has_values(const struct sf_param *param)
{
    switch (param->kind) {
    case SF_PARAM_NUMBER:
    case SF_PARAM_SHAPE:
        return param->max > param->min;
    case SF_PARAM_REAL:
        return param->range.max > param->range.min;
    case SF_PARAM_CHOICE:
        return param->words[0] && param->words[1];
    case SF_PARAM_SEED:
    case SF_PARAM_FILE:
        return true;
    }
    return false;
}

/* What the tables of the schemes say of themselves. */
static void
check_params(const char *name, const struct sf_param *params)
{
    for (uint32_t i = 0; i < sf_params_count(params); i++) {
        CHECK_FOR(params[i].key[0] && params[i].meaning, "%s: parameter %u",
                  name, i);
        CHECK_FOR(params[i].by_default, "%s: a scheme can be used without %s",
                  name, params[i].key);
        CHECK_FOR(has_values(&params[i]), "%s: no value of %s is in range",
                  name, params[i].key);
        CHECK(!params[i].positional || i == 0);
        for (uint32_t j = 0; j < i; j++) {
            CHECK(strcmp(params[i].key, params[j].key) != 0);
        }
    }
}

TEST(schemes_can_be_named_alone)
{
    for (size_t i = 0; sf_layer_schemes[i]; i++) {
        const struct sf_layer_scheme *scheme = sf_layer_schemes[i];
        struct sf_layer_spec spec;
        check_params(scheme->name, scheme->params);
        CHECK_EQ(sf_layer_spec_parse(scheme->name, 0, &spec, NULL), SF_OK);
        CHECK(spec.scheme == scheme);
        CHECK_STR(spec.text, scheme->name);
        CHECK_EQ(spec.n_sets, scheme->is_per_host ? SF_NONE : 1);
        CHECK(!spec.names_sets);
        CHECK_EQ(spec.minimal_first, scheme->minimal_first);
        CHECK_EQ(spec.resists_repair, scheme->resists_repair);
    }
    for (size_t i = 0; sf_lane_schemes[i]; i++) {
        const struct sf_lane_scheme *scheme = sf_lane_schemes[i];
        struct sf_lane_spec spec;
        check_params(scheme->name, scheme->params);
        CHECK_EQ(sf_lane_spec_parse(scheme->name, &spec, NULL), SF_OK);
        CHECK(spec.scheme == scheme);
        CHECK_STR(spec.text, scheme->name);
    }
}

TEST(schemes_sets_of_paths_are_part_of_a_spec)
{
    static const struct {
        const char *text;
        uint32_t n_sets; /* Asked for beside it. */
        const char *canonical;
        uint32_t n_found;
        bool names_sets;
    } cases[] = {
        { NULL, 0, "gates", 1, false },
        { NULL, 3, "gates:sets=3", 3, false },
        { "gates:for=mixed", 0, "gates", 1, false },
        { "gates:for=split", 0, "gates:for=split", 1, false },
        { "gates:sets=2", 0, "gates:sets=2", 2, true },
        { "gates:sets=2", 1, "gates", 1, true },
        { "gates:sets=1", 0, "gates", 1, true },
        { "minimal", 0, "minimal", 1, false },
        { "minimal:sets=2", 0, "minimal:sets=2", 2, true },
        { "gates", SF_NONE, "gates:sets=254", 254, false },
        { "rues:0.5,sets=3", 2, "rues:fraction=0.5,sets=2", 2, true },
        { "ftree", 2, "ftree", SF_NONE, false },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_layer_spec spec;
        CHECK_EQ(
            sf_layer_spec_parse(cases[i].text, cases[i].n_sets, &spec, NULL),
            SF_OK);
        CHECK_STR(spec.text, cases[i].canonical);
        CHECK_EQ(spec.n_sets, cases[i].n_found);
        CHECK_EQ(spec.names_sets, cases[i].names_sets);
    }
}

TEST(schemes_updown_says_what_its_first_layer_does)
{
    struct sf_layer_spec spec;

    CHECK_EQ(sf_layer_spec_parse("updown:first=minimal", 0, &spec, NULL),
             SF_OK);
    CHECK(spec.minimal_first && !spec.resists_repair);
    CHECK_EQ(sf_layer_spec_parse("updown:first=tree", 0, &spec, NULL), SF_OK);
    CHECK(!spec.minimal_first && spec.resists_repair);
    CHECK_STR(spec.text, "updown");
}

TEST(schemes_that_are_none)
{
    struct sf_layer_spec layers;
    struct sf_lane_spec lanes;
    struct sf_error err = { 0 };

    CHECK_EQ(sf_layer_spec_parse("luck:x=1", 0, &layers, &err), SF_EINVAL);
    CHECK(strstr(err.text, "'luck' is not a layer scheme; there are gates, "));
    CHECK(!layers.scheme);
    CHECK_EQ(sf_lane_spec_parse("luck", &lanes, &err), SF_EINVAL);
    CHECK(strstr(err.text, "'luck' is not a lane scheme; there are turns, "));
    CHECK(!lanes.scheme);
    CHECK(!sf_layer_scheme_find("gate"));
    CHECK(!sf_layer_scheme_find("gatess:sets=2"));
    CHECK(sf_layer_scheme_find("gates:sets=2") == sf_layer_schemes[0]);
    CHECK(!sf_lane_scheme_find(""));
    CHECK(sf_lane_scheme_find("turns:x") == sf_lane_schemes[0]);
}

/* The plugin compared a list of members that lacked n_addresses and
 * n_switch_addresses.  Here each byte of the parameters is changed in turn.
 * The initializer has no names, so the compiler asks for a member that is new:
 * it belongs into sf_routing_is_asked() as well. */
TEST(no_member_of_what_was_asked_for_is_forgotten)
{
#define UP_TO_END(member) \
    offsetof(struct sf_routing_params, member) + sizeof asked_for.member
#define WHOLE(member)                                                 \
    {                                                                 \
        offsetof(struct sf_routing_params, member), UP_TO_END(member) \
    }
    static const struct sf_routing_params asked_for = {
        { NULL, 4, 5, false, 6, 1, false, NULL, 0, NULL, 0, 0, NULL },
        7,
        8,
        9,
        false,
        NULL,
        SF_ANY_SL,
        10,
        11
    };
    /* Specs, which are compared as texts; what does not count; padding. */
    static const struct {
        size_t begin, end;
    } others[] = {
        WHOLE(layers.scheme),
        WHOLE(lanes),
        WHOLE(layers.n_threads),
        { offsetof(struct sf_routing_params, layers.turns),
          UP_TO_END(layers.earlier) },
        { UP_TO_END(layers.may_exceed),
          offsetof(struct sf_routing_params, layers.seed) },
        { UP_TO_END(layers.within_parts),
          offsetof(struct sf_routing_params, layers.turns) },
        { UP_TO_END(without_lanes),
          offsetof(struct sf_routing_params, lanes) },
        { UP_TO_END(max_sls), sizeof(struct sf_routing_params) },
    };
    struct sf_routing_asked asked;

    sf_routing_note_asked(&asked, &asked_for);
    CHECK(sf_routing_is_asked(&asked, &asked_for));
    for (size_t i = 0; i < sizeof asked_for; i++) {
        struct sf_routing_params changed;
        bool counts = true;
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            counts &= i < others[k].begin || i >= others[k].end;
        }
        if (counts) {
            memcpy(&changed, &asked_for, sizeof changed);
            ((unsigned char *)&changed)[i] ^= 1;
            CHECK_FOR(!sf_routing_is_asked(&asked, &changed), "byte %zu", i);
        }
    }
#undef WHOLE
#undef UP_TO_END
}

TEST(what_was_asked_for_has_many_spellings)
{
    struct sf_routing_params params = { .layers.scheme = "gates:sets=2",
                                        .lanes = "turns" };
    struct sf_routing_asked asked;

    sf_routing_note_asked(&asked, &params);
    params.layers.scheme = "gates:for=mixed,sets=2";
    params.layers.n_threads = 7;
    CHECK(sf_routing_is_asked(&asked, &params));
    params.layers.scheme = "gates";
    params.n_path_sets = 2;
    CHECK(sf_routing_is_asked(&asked, &params));
    params.n_path_sets = 1;
    CHECK(!sf_routing_is_asked(&asked, &params));
    params.n_path_sets = 2;
    params.lanes = "single";
    CHECK(!sf_routing_is_asked(&asked, &params));
    params.lanes = NULL;
    CHECK(!sf_routing_is_asked(&asked, &params));
}

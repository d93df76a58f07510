/* Names of Ethernet ports: rules read, names made and read back. */
#include "slimfly/port_names.h"
#include "slimfly/random.h"
#include "test.h"

#include <stdlib.h>

static struct sf_port_names
names_of(const char *rule)
{
    struct sf_port_names names;
    struct sf_error err;

    CHECK_FOR(sf_port_names_parse(rule, &names, &err) == SF_OK, "%s",
              err.text);
    return names;
}

TEST(port_names_are_those_of_the_field)
{
    static const struct {
        const char *rule;
        uint32_t number;
        const char *name;
    } cases[] = {
        { "swp%d", 1, "swp1" },
        { "swp%d", 254, "swp254" },
        { "eth%d:first=0", 1, "eth0" },
        { "Ethernet%d:first=0,step=4", 1, "Ethernet0" },
        { "Ethernet%d:first=0,step=4", 32, "Ethernet124" },
        { "Ethernet%d:step=8,first=0", 3, "Ethernet16" },
        { "et-0/0/%d:first=0", 36, "et-0/0/35" },
        { "et-0/0/%d:0", 7, "et-0/0/7:0" },
        { "et-0/0/%d:0:first=0", 7, "et-0/0/6:0" },
        { "Ethernet1/%d", 36, "Ethernet1/36" },
        { "port%02d", 9, "port09" },
        { "port%02d", 100, "port100" },
        { "%d", 17, "17" },
        { "etp%da", 3, "etp3a" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sf_port_names names = names_of(cases[i].rule);
        char name[SF_PORT_NAME_SIZE];
        CHECK_STR(sf_port_name(&names, cases[i].number, name), cases[i].name);
        CHECK_EQ(sf_port_number(&names, cases[i].name), cases[i].number);
    }
}

TEST(port_names_other_spellings_are_no_names)
{
    static const char *const others[] = {
        "",      "swp",  "swp0",  "swp01", "swp-1", "swp 1",
        "swp1 ", "SWP1", "swp1a", "wp1",   "1",     "swp99999999999999999999"
    };
    struct sf_port_names names = names_of("swp%d");
    struct sf_port_names steps = names_of("Ethernet%d:first=0,step=4");

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        CHECK_EQ(sf_port_number(&names, others[i]), 0);
    }
    CHECK_EQ(sf_port_number(&steps, "Ethernet1"), 0);
    CHECK_EQ(sf_port_number(&steps, "Ethernet02"), 0);
}

TEST(port_names_may_be_several)
{
    struct sf_port_names names =
        names_of("Ethernet%d:step=4,first=0|etp%d|Eth1/%d");
    char name[SF_PORT_NAME_SIZE];

    CHECK_STR(names.rule, "Ethernet%d:first=0,step=4|etp%d|Eth1/%d");
    CHECK_STR(sf_port_name(&names, 3, name), "Ethernet8");
    CHECK_EQ(sf_port_number(&names, "Ethernet8"), 3);
    CHECK_EQ(sf_port_number(&names, "etp3"), 3);
    CHECK_EQ(sf_port_number(&names, "Eth1/3"), 3);
    CHECK_EQ(sf_port_number(&names, "Eth2/3"), 0);
    CHECK_EQ(sf_port_number(&names, "3"), 0);
    CHECK_EQ(sf_port_number(&names, ""), 0);
}

TEST(port_names_without_a_rule_are_numbers)
{
    struct sf_port_names none = { 0 };
    char name[SF_PORT_NAME_SIZE];

    CHECK(!sf_port_names_exist(&none));
    CHECK_STR(sf_port_name(&none, 12, name), "12");
    CHECK_EQ(sf_port_number(&none, "12"), 12);
    CHECK_EQ(sf_port_number(&none, "0"), 0);
    CHECK_EQ(sf_port_number(&none, "012"), 0);
}

TEST(port_names_are_spelled_in_one_way)
{
    static const char *const pairs[][2] = {
        { "swp%d:first=1", "swp%d" },
        { "swp%d:step=1,first=01", "swp%d" },
        { "Ethernet%d:step=4,first=0", "Ethernet%d:first=0,step=4" },
        { "p%03d:step=2", "p%03d:step=2" },
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        CHECK_STR(names_of(pairs[i][0]).rule, pairs[i][1]);
    }
}

TEST(port_names_bad_rules_are_refused_with_a_reason)
{
    static const struct {
        const char *rule, *reason;
    } cases[] = {
        { "", "no %d" },
        { "swp", "no %d" },
        { "swp%s", "neither %d" },
        { "swp%", "neither %d" },
        { "swp%5d", "neither %d" },
        { "swp%00d", "neither %d" },
        { "swp%0", "neither %d" },
        { "swp%d%d", "no name has" },
        { "swp %d", "no name has" },
        { "swp%d,4", "no name has" },
        { "sw\"p%d", "no name has" },
        { "sw\xc3\xa4%d", "no name has" },
        { "swp%d:first=x", "options" },
        { "swp%d:first=-1", "options" },
        { "swp%d:first=10000", "options" },
        { "swp%d:first=99999999999999999999999", "options" },
        { "swp%d:step=0", "options" },
        { "swp%d:step=1000", "options" },
        { "swp%d:first=0,first=0", "options" },
        { "swp%d:first=0,", "options" },
        { "swp%d:last=0", "options" },
        { ":first=%d", "no %d" },
        { "abcdefghijklmnopqrstuvwxyz%d", "more than 24" },
        { "abcdefghijklm%dnopqrstuvwxyz", "more than 24" },
        { "swp%d|", "no %d" },
        { "|swp%d", "no %d" },
        { "a%d|b%d|c%d|d%d|e%d", "more than four" },
        { "swp%d|swp%d:first=0", "swp1 would be port 1 and port 2" },
        { "e%d:step=4|x%d|e%d:first=0", "would be" },
        { "p%d:first=00000000000000000000000000000000000000000000000000000000"
          "0000000000000000000000001",
          "too long" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sf_port_names names;
        struct sf_error err;
        CHECK_FOR(sf_port_names_parse(cases[i].rule, &names, &err) ==
                      SF_EINVAL,
                  "%s", cases[i].rule);
        CHECK_FOR(strstr(err.text, cases[i].reason), "%s", err.text);
        CHECK(!sf_port_names_exist(&names));
    }
}

TEST(port_names_of_linux)
{
    static const struct {
        const char *rule;
        uint32_t n_ports;
        const char *reason; /* NULL: fits. */
    } cases[] = {
        { "swp%d", 254, NULL },
        { "Ethernet%d:first=0,step=4", 254, NULL },
        { "et-0/0/%d", 4, "'/'" },
        { "p%d:1", 4, "':'" },
        { "abcdefghijklmn%d", 9, NULL },
        { "abcdefghijklmn%d", 10, "15 characters" },
        { "%d", 4, "a number alone" },
    };
    struct sf_port_names none = { 0 };
    struct sf_error err;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sf_port_names names = names_of(cases[i].rule);
        enum sf_status status =
            sf_port_names_check_linux(&names, cases[i].n_ports, &err);
        CHECK_EQ(status, cases[i].reason ? SF_EINVAL : SF_OK);
        if (cases[i].reason) {
            CHECK_FOR(strstr(err.text, cases[i].reason), "%s", err.text);
        }
    }
    CHECK_EQ(sf_port_names_check_linux(&none, 4, &err), SF_EINVAL);
}

/* Random rules, spelled, read, and their names read back. */
TEST(port_names_go_there_and_back)
{
    static const char *const befores[] = { "swp", "Ethernet",
                                           "",    "et-0/0/",
                                           "p1",  "abcdefghijklmnopqrstu" };
    static const char *const afters[] = { "", "a", "s0", ":1", "/1" };
    static const char *const numbers[] = { "%d", "%02d", "%09d" };
    struct sf_random random;

    sf_random_init(&random, 7, 0);
    for (uint32_t i = 0; i < 2000; i++) {
        char rule[200], name[SF_PORT_NAME_SIZE];
        uint32_t first = sf_random_below(&random, 10000);
        uint32_t step = 1 + sf_random_below(&random, 999);
        snprintf(rule, sizeof rule, "%s%s%s:first=%u,step=%u",
                 befores[sf_random_below(&random, 6)],
                 numbers[sf_random_below(&random, 3)],
                 afters[sf_random_below(&random, 5)], first, step);
        struct sf_port_names names = names_of(rule);
        struct sf_port_names again = names_of(names.rule);
        CHECK(!memcmp(&names, &again, sizeof names));
        for (uint32_t number = 1; number <= 254; number += 11) {
            sf_port_name(&names, number, name);
            CHECK_EQ(sf_port_number(&names, name), number);
        }
    }
}

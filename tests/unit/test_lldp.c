/* Reports of LLDP: what is read of them, which claims make a cable, and memory
 * that runs out. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "slimfly/lldp.h"
#include "slimfly/random.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The fabric of 'spec' with ports swp1, swp2... */
static struct sf_fabric *
planned_of(const char *spec)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_fabric_params params = { .switch_ports = 0 };
    struct sf_fabric *fabric;
    struct sf_error err;

    CHECK(sf_port_names_parse("swp%d", &params.port_names[SF_NODE_SWITCH],
                              &err) == SF_OK);
    CHECK_FOR(sf_fabric_from_topology(topo, &params, &fabric, &err) == SF_OK,
              "%s", err.text);
    sf_topology_free(topo);
    return fabric;
}

/* Parses 'text' or fails the test. */
static struct sf_fabric *
parse(const char *text, const struct sf_fabric *planned)
{
    struct sf_fabric *found = UNSET(struct sf_fabric);
    struct sf_error err;

    CHECK_FOR(sf_lldp_parse(text, strlen(text), "text", planned, &found, NULL,
                            &err) == SF_OK,
              "%s", err.text);
    return found;
}

/* Writes the reports of all switches of 'fabric', in json0 or json. */
static char *
write_reports(const struct sf_fabric *fabric, bool is_json0)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    CHECK(stream);
    for (uint32_t i = 0; i < fabric->n_switches; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        const char *separator = "";
        fprintf(stream, "{\"%s\":{\"lldp\":%s", node->name,
                is_json0 ? "[{\"interface\":[" : "{\"interface\":[");
        for (uint32_t k = 0; k < node->n_ports; k++) {
            uint32_t peer = fabric->ports[node->first_port + k].peer;
            if (peer == SF_NONE) {
                continue;
            }
            const struct sf_port *far = &fabric->ports[peer];
            const char *name = fabric->nodes[far->node].name;
            fprintf(
                stream,
                is_json0 ? "%s{\"name\":\"swp%u\",\"chassis\":[{\"id\":[{"
                           "\"type\":\"mac\",\"value\":\"02:00:00:00:%02x:"
                           "%02x\"}],\"name\":[{\"value\":\"%s\"}]}],\"port\":"
                           "[{\"id\":[{\"type\":\"ifname\",\"value\":\"%s%u"
                           "\"}]}]}"
                         : "%s{\"swp%u\":{\"chassis\":{\"id\":{\"type\":"
                           "\"mac\",\"value\":\"02:00:00:00:%02x:%02x\"},"
                           "\"name\":\"%s\"},\"port\":{\"id\":{\"type\":"
                           "\"ifname\",\"value\":\"%s%u\"}}}}",
                separator, k + 1, far->node >> 8, far->node & 255, name,
                far->node < fabric->n_switches ? "swp" : "eth", far->number);
            separator = ",";
        }
        fprintf(stream, "%s}}\n", is_json0 ? "]}]" : "]}");
    }
    CHECK(fclose(stream) == 0);
    return text;
}

static void
check_same_cables(const struct sf_fabric *planned,
                  const struct sf_fabric *found)
{
    CHECK_EQ(found->n_nodes, planned->n_nodes);
    CHECK_EQ(found->n_switches, planned->n_switches);
    CHECK_EQ(found->n_cables, planned->n_cables);
    CHECK_EQ(found->n_ports, planned->n_ports);
    for (uint32_t i = 0; i < planned->n_nodes; i++) {
        CHECK_STR(found->nodes[i].name, planned->nodes[i].name);
    }
    for (uint32_t i = 0; i < planned->n_ports; i++) {
        CHECK_EQ(found->ports[i].peer, planned->ports[i].peer);
    }
}

TEST(lldp_finds_what_is_there)
{
    static const char *const specs[] = { "sf:q=5",         "ft2:ports=8",
                                         "ft3:ports=4",    "hx2:3x3,p=2",
                                         "df:a=4,h=2,p=2", "pf:q=3" };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_fabric *planned = planned_of(specs[i]);
        for (int is_json0 = 0; is_json0 < 2; is_json0++) {
            char *text = write_reports(planned, is_json0);
            struct sf_fabric *found = parse(text, planned);
            check_same_cables(planned, found);
            CHECK_EQ(found->n_notes, 0);
            CHECK_EQ(found->nodes[1].guid, UINT64_C(0x020000000001));
            CHECK_STR(sf_lldp_port_name(found, 0, 1), "swp1");
            CHECK(sf_lldp_port_name(planned, 0, 1) == NULL);
            sf_fabric_free(found);
            free(text);
        }
        sf_fabric_free(planned);
    }
}

TEST(lldp_needs_a_rule)
{
    struct sf_fabric *planned = planned_of("sf:q=3"), *found;
    struct sf_error err;

    planned->port_names[SF_NODE_SWITCH] = (struct sf_port_names){ 0 };
    CHECK_EQ(sf_lldp_parse("{}", 2, "text", planned, &found, NULL, &err),
             SF_EINVAL);
    CHECK(found == NULL);
    CHECK_FOR(strstr(err.text, "--port-names"), "%s", err.text);
    CHECK_EQ(sf_lldp_discover_by("echo {}", 10, planned, &found, NULL, &err),
             SF_EINVAL);
    CHECK_EQ(sf_lldp_read("lldp:/", planned, &found, NULL, &err), SF_EINVAL);
    sf_fabric_free(planned);
}

TEST(lldp_without_reports_everybody_is_silent)
{
    struct sf_fabric *planned = planned_of("sf:q=3");
    struct sf_fabric *found;
    struct sf_error err;
    uint32_t n_silent = 0;

    CHECK_EQ(sf_lldp_parse(" \n", 2, "text", planned, &found, &n_silent, &err),
             SF_OK);
    CHECK_EQ(found->n_nodes, 0);
    CHECK_EQ(n_silent, planned->n_switches);
    CHECK_EQ(found->n_notes, 1);
    CHECK_STR(found->notes[0].kind, "silent");
    sf_fabric_free(found);
    sf_fabric_free(planned);
}

/* What is claimed of the ports of some switches, for an oracle that knows all
 * pairs: claims[a][b] if port a claims to be joined to port b. */
#define N_SWITCHES 4
#define N_PORTS    3
#define N_SOCKETS  (N_SWITCHES * N_PORTS)

struct claims {
    bool made[N_SOCKETS][N_SOCKETS];
};

static struct claims
make_claims(struct sf_random *random)
{
    struct claims claims = { 0 };

    /* Some cables, and some claims that are in the way. */
    for (uint32_t i = sf_random_below(random, 8); i > 0; i--) {
        uint32_t a = sf_random_below(random, N_SOCKETS);
        uint32_t b = sf_random_below(random, N_SOCKETS);
        claims.made[a][b] = claims.made[b][a] = a != b;
    }
    for (uint32_t i = sf_random_below(random, 6); i > 0; i--) {
        uint32_t a = sf_random_below(random, N_SOCKETS);
        uint32_t b = sf_random_below(random, N_SOCKETS);
        claims.made[a][b] = a != b;
    }
    return claims;
}

/* Writes the claims as reports. */
static char *
write_claims(const struct claims *claims, const struct sf_fabric *planned)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    CHECK(stream);
    for (uint32_t s = 0; s < N_SWITCHES; s++) {
        const char *separator = "";
        fprintf(stream, "{\"%s\": {\"lldp\": {\"interface\": [",
                planned->nodes[s].name);
        for (uint32_t a = s * N_PORTS; a < (s + 1) * N_PORTS; a++) {
            for (uint32_t b = 0; b < N_SOCKETS; b++) {
                if (claims->made[a][b]) {
                    fprintf(stream,
                            "%s{\"swp%u\": {\"chassis\": {\"%s\": {\"id\": "
                            "{\"type\": \"local\", \"value\": \"%u\"}}}, "
                            "\"port\": {\"id\": {\"type\": \"ifname\", "
                            "\"value\": \"swp%u\"}}}}",
                            separator, a % N_PORTS + 1,
                            planned->nodes[b / N_PORTS].name, b / N_PORTS,
                            b % N_PORTS + 1);
                    separator = ", ";
                }
            }
        }
        fputs("]}}}\n", stream);
    }
    CHECK(fclose(stream) == 0);
    return text;
}

/* The one thing that port 'a' claims after all: the only one, or the only one
 * that is claimed of it, too; else N_SOCKETS. */
static uint32_t
settled(const struct claims *claims, uint32_t a, bool *is_doubtfulp)
{
    uint32_t n = 0, n_returned = 0, only = N_SOCKETS, returned = N_SOCKETS;

    for (uint32_t b = 0; b < N_SOCKETS; b++) {
        if (claims->made[a][b]) {
            n++;
            only = b;
            if (claims->made[b][a]) {
                n_returned++;
                returned = b;
            }
        }
    }
    *is_doubtfulp = n > 1 && n_returned != 1;
    return n == 1 ? only : n > 1 && n_returned == 1 ? returned : N_SOCKETS;
}

/* Whether 'a' and 'b' are joined, by the definition in lldp_cables.c: each
 * names the other, or one names the other, which is silent, and nobody else
 * names either. */
static bool
is_joined(const struct claims *claims, uint32_t a, uint32_t b)
{
    bool is_doubtful[N_SOCKETS];
    uint32_t to[N_SOCKETS];

    for (uint32_t i = 0; i < N_SOCKETS; i++) {
        to[i] = settled(claims, i, &is_doubtful[i]);
    }
    if (to[a] == b && to[b] == a) {
        return true;
    }
    if (to[b] == a) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    bool is_alone =
        to[a] == b && to[b] == N_SOCKETS && !is_doubtful[b] && a != b;
    for (uint32_t c = 0; c < N_SOCKETS; c++) {
        is_alone &= c == a || c == b || (to[c] != a && to[c] != b);
    }
    return is_alone;
}

static void
check_claims(const struct claims *claims, const struct sf_fabric *planned)
{
    char *text = write_claims(claims, planned);
    struct sf_fabric *found = parse(text, planned);
    uint32_t n_claims = 0, n_mutual = 0;

    for (uint32_t a = 0; a < N_SOCKETS; a++) {
        uint32_t node =
            sf_fabric_find(found, planned->nodes[a / N_PORTS].name);
        CHECK(node != SF_NONE);
        uint32_t port = sf_fabric_port(found, node, a % N_PORTS + 1);
        for (uint32_t b = 0; b < N_SOCKETS; b++) {
            uint32_t far =
                sf_fabric_find(found, planned->nodes[b / N_PORTS].name);
            uint32_t far_port = sf_fabric_port(found, far, b % N_PORTS + 1);
            CHECK_FOR((found->ports[port].peer == far_port) ==
                          is_joined(claims, a, b),
                      "%u and %u: %s", a, b, text);
            n_claims += claims->made[a][b];
            n_mutual += claims->made[a][b] && claims->made[b][a];
        }
    }
    /* Whatever is not plain gets a note; there is always one on the 14
     * switches that do not report. */
    CHECK_EQ(found->n_notes > 1,
             n_claims > n_mutual || n_claims / 2 > found->n_cables);
    sf_fabric_free(found);
    free(text);
}

TEST(lldp_cables_are_those_of_the_definition)
{
    struct sf_fabric *planned = planned_of("sf:q=3");
    struct sf_random random;

    sf_random_init(&random, 1, 0);
    for (int i = 0; i < 3000; i++) {
        struct claims claims = make_claims(&random);
        check_claims(&claims, planned);
    }
    sf_fabric_free(planned);
}

/* All that a report can have in it: systems with and without names, two of
 * one name, ports by number, text and address, and contradictions. */
static const char full[] =
    "{\"local-chassis\": {\"chassis\": {\"sf-0-0-0\": {\"id\": {\"type\": "
    "\"mac\", \"value\": \"02:00:00:00:00:01\"}}}}}\n"
    "{\"lldp\": {\"interface\": ["
    "{\"swp1\": {\"chassis\": {\"node0000.example.org\": {\"id\": {\"type\": "
    "\"mac\", \"value\": \"02:00:00:00:00:10\"}}}, \"port\": {\"id\": "
    "{\"type\": \"mac\", \"value\": \"02:00:00:00:00:11\"}, \"descr\": "
    "\"eth0\"}}},"
    "{\"swp1\": {\"chassis\": {\"id\": {\"type\": \"mac\", \"value\": "
    "\"02:00:00:00:00:12\"}}, \"port\": {\"id\": {\"type\": \"mac\", "
    "\"value\": \"02:00:00:00:00:12\"}}}},"
    "{\"swp3\": {\"chassis\": {\"sf-0-0-1\": {\"id\": {\"type\": \"mac\", "
    "\"value\": \"02:00:00:00:00:02\"}}}, \"port\": {\"id\": {\"type\": "
    "\"local\", \"value\": \"?\"}}}},"
    "{\"swp4\": {\"chassis\": {\"sonic\": {\"id\": {\"type\": \"mac\", "
    "\"value\": \"02:00:00:00:00:03\"}, \"capability\": [{\"type\": "
    "\"Bridge\", \"enabled\": true}]}}, \"port\": {\"id\": {\"type\": "
    "\"ifname\", \"value\": \"Eth1/7\"}}}},"
    "{\"swp5\": {\"chassis\": {\"sonic\": {\"id\": {\"type\": \"mac\", "
    "\"value\": \"02:00:00:00:00:04\"}}}, \"port\": {\"id\": {\"type\": "
    "\"ifname\", \"value\": \"swp2\"}}}},"
    "{\"weird\": {\"chassis\": {\"sf-0-0-1\": {\"id\": {\"type\": \"mac\", "
    "\"value\": \"02:00:00:00:00:02\"}}}, \"port\": {\"id\": {\"type\": "
    "\"ifname\", \"value\": \"swp9\"}}}}]}}\n"
    "{\"sf-0-0-1\": {\"lldp\": [{\"interface\": [{\"name\": \"swp3\", "
    "\"chassis\": [{\"id\": [{\"type\": \"mac\", \"value\": "
    "\"02:00:00:00:00:01\"}], \"name\": [{\"value\": \"sf-0-0-0\"}]}], "
    "\"port\": [{\"id\": [{\"type\": \"ifname\", \"value\": \"swp3\"}]}]},"
    "{\"name\": \"swp4\", \"chassis\": [{\"id\": [{\"type\": \"mac\", "
    "\"value\": \"02:00:00:00:00:01\"}], \"name\": [{\"value\": "
    "\"sf-0-0-0\"}]}], \"port\": [{\"id\": [{\"type\": \"ifname\", \"value\": "
    "\"swp4\"}]}]}]}]}}\n";

TEST(lldp_report_with_everything)
{
    struct sf_fabric *planned = planned_of("sf:q=3");
    struct sf_fabric *found = parse(full, planned);
    static const char *const kinds[] = { "duplicate", "silent", "unknown_port",
                                         "contradiction" };
    bool is_seen[ARRAY_SIZE(kinds)] = { false };

    for (uint32_t i = 0; i < found->n_notes; i++) {
        for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
            is_seen[k] |= !strcmp(found->notes[i].kind, kinds[k]);
        }
    }
    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
        CHECK_FOR(is_seen[k], "no note of kind %s", kinds[k]);
    }
    uint32_t a = sf_fabric_find(found, "sf-0-0-0");
    uint32_t b = sf_fabric_find(found, "sf-0-0-1");
    uint32_t host = sf_fabric_find(found, "node0000.example.org");
    CHECK(a != SF_NONE && b != SF_NONE && host != SF_NONE);
    CHECK_EQ(found->ports[sf_fabric_port(found, a, 3)].peer,
             sf_fabric_port(found, b, 3));
    CHECK_EQ(found->ports[sf_fabric_port(found, a, 1)].peer,
             sf_fabric_port(found, host, 1));
    CHECK_STR(sf_lldp_port_name(found, host, 1), "eth0");
    /* swp4 leads to a sonic, says sf-0-0-0; to itself, says sf-0-0-1. */
    CHECK_EQ(found->ports[sf_fabric_port(found, b, 4)].peer, SF_NONE);
    sf_fabric_free(found);
    sf_fabric_free(planned);
}

TEST(lldp_nomem)
{
    struct sf_fabric *planned = planned_of("sf:q=3");

    for (unsigned long nth = 1;; nth++) {
        struct sf_fabric *found = UNSET(struct sf_fabric);
        struct sf_error err = { 0 };
        sf_mem_fail_at(nth);
        enum sf_status status =
            sf_lldp_parse(full, strlen(full), "text", planned, &found, NULL,
                          nth % 2 ? &err : NULL);
        /* After a success, the failure must be still to come. */
        void *memory = sf_calloc(1, 1);
        sf_mem_fail_at(0);
        CHECK_EQ(status == SF_OK, memory == NULL);
        free(memory);
        if (status == SF_OK) {
            CHECK(nth > 50);
            sf_fabric_free(found);
            break;
        }
        CHECK_EQ(status, SF_ENOMEM);
        CHECK(found == NULL);
    }
    sf_fabric_free(planned);
}

TEST(fabric_without_hosts)
{
    struct sf_fabric *fabric = planned_of("df:a=4,h=2,p=2");
    uint32_t n_switches = fabric->n_switches;
    uint32_t n_links = fabric->n_cables - (fabric->n_nodes - n_switches);
    struct sf_error err;

    CHECK_EQ(sf_fabric_add_note(fabric, "silent", "one", &err), SF_OK);
    CHECK_EQ(sf_fabric_add_note(fabric, "old", "two", &err), SF_OK);
    CHECK_EQ(fabric->n_notes, 2);
    CHECK_STR(fabric->notes[1].text, "two");
    sf_fabric_drop_hosts(fabric);
    CHECK_EQ(fabric->n_nodes, n_switches);
    CHECK_EQ(fabric->n_cables, n_links);
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        uint32_t peer = fabric->ports[i].peer;
        CHECK(fabric->ports[i].node < n_switches);
        CHECK(peer == SF_NONE || fabric->ports[peer].peer == i);
    }
    sf_fabric_drop_hosts(fabric); /* Nothing left to do. */
    CHECK_EQ(fabric->n_cables, n_links);
    sf_fabric_free(fabric);
}

/* test_lab.c -- what of labs needs no root: what a lab is, written and read
 * back; the notes of what it made; its folder. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "ip/lab/lab.h"
#include "ip_cases.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A lab of a case, with a folder of its own below 'base'; not up. */
static void
make_lab(const struct ip_case *from, const char *base, struct sf_lab *lab)
{
    struct ip_routed routed = ip_route(from, SF_IP_ALTERNATES_LINKS);
    struct sf_error err = { 0 };

    *lab = (struct sf_lab){ .link_rate = 2e6,
                            .host_rate = 8e6,
                            .has_alternates = true };
    CHECK_EQ(sf_lab_folder_make(&lab->folder, base, "x", &err), SF_OK);
    CHECK_EQ(sf_network_copy(routed.network, &lab->network, &err), SF_OK);
    CHECK_EQ(sf_routes_copy(routed.network, routed.routing->routes,
                            &lab->routes, &err),
             SF_OK);
    CHECK_EQ(sf_lab_read_rules(lab, "Eth%d", NULL, &err), SF_OK);
    CHECK_EQ(sf_lab_complete(lab, &routed.addresses, &err), SF_OK);
    ip_routed_clear(&routed);
}

static char *
make_base(void)
{
    char *base = strdup("/tmp/slimfly-test-lab-XXXXXX");

    CHECK(base && mkdtemp(base));
    return base;
}

static void
end_lab(struct sf_lab *lab, char *base)
{
    struct sf_error err = { 0 };

    CHECK_EQ(sf_lab_folder_remove(&lab->folder, &err), SF_OK);
    sf_lab_clear(lab);
    sf_lab_folder_close(&lab->folder);
    CHECK_EQ(rmdir(base), 0);
    free(base);
}

/* Whether two labs have the same tables and names. */
static void
compare(const struct sf_lab *a, const struct sf_lab *b)
{
    const struct sf_fabric *fabric = a->network->fabric;
    struct sf_ip_changes *changes = NULL;
    struct sf_error err = { 0 };
    char names[2][SF_LAB_NAMESPACE_SIZE];

    CHECK_EQ(sf_ip_compare(a->tables, b->tables, &changes, &err), SF_OK);
    CHECK_EQ(changes->n, 0u);
    sf_ip_changes_free(changes);
    CHECK_EQ(fabric->n_nodes, b->network->fabric->n_nodes);
    CHECK_EQ(fabric->n_cables, b->network->fabric->n_cables);
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        CHECK_STR(fabric->nodes[i].name, b->network->fabric->nodes[i].name);
        CHECK_STR(sf_lab_node(a, i), sf_lab_node(b, i));
    }
    for (uint32_t p = 0; p < fabric->n_ports; p++) {
        CHECK_EQ(fabric->ports[p].peer, b->network->fabric->ports[p].peer);
        sf_lab_interface(a, p, names[0]);
        sf_lab_interface(b, p, names[1]);
        CHECK_STR(names[0], names[1]);
    }
}

static void
check_read_back(size_t step)
{
    for (size_t i = 0; i < n_ip_cases; i += step) {
        char *base = make_base();
        struct sf_lab lab, *read = NULL;
        struct sf_error err = { 0 };

        make_lab(&ip_cases[i], base, &lab);
        CHECK_EQ(sf_lab_open(base, "x", SF_LAB_LOOK, &read, &err), SF_EIO);
        CHECK_EQ(sf_lab_state_write(&lab, &err), SF_OK);
        struct sf_lab back = { .folder = { .fd = -1 } };
        char *path = sf_lab_folder_path(&lab.folder, SF_LAB_STATE);
        CHECK_EQ(sf_lab_state_read(&back, path, &err), SF_OK);
        compare(&lab, &back);
        free(path);
        sf_lab_clear(&back);
        end_lab(&lab, base);
    }
}

TEST(lab_is_read_back)
{
    check_read_back(3);
}

TEST_LONG(labs_of_all_families_are_read_back)
{
    check_read_back(1);
}

/* Each allocation of reading fails in turn. */
TEST(lab_without_memory)
{
    static const struct ip_case small = { "hx2:2x2,p=1", 2, 1, false };
    char *base = make_base();
    struct sf_lab lab;
    struct sf_error err = { 0 };
    bool is_read = false;

    make_lab(&small, base, &lab);
    CHECK_EQ(sf_lab_state_write(&lab, &err), SF_OK);
    char *path = sf_lab_folder_path(&lab.folder, SF_LAB_STATE);
    for (unsigned long nth = 1; !is_read; nth++) {
        struct sf_lab back = { .folder = { .fd = -1 } };
        CHECK(nth < 5000);
        sf_mem_fail_at(nth);
        enum sf_status status = sf_lab_state_read(&back, path, &err);
        sf_mem_fail_at(0);
        is_read = status == SF_OK;
        CHECK(is_read || status == SF_ENOMEM);
        sf_lab_clear(&back);
    }
    free(path);
    end_lab(&lab, base);
}

/* Names come first, then inodes; a crash may cut off a line. */
TEST(lab_notes_after_a_crash)
{
    static const struct ip_case small = { "hx2:2x2,p=1", 2, 1, false };
    char *base = make_base();
    struct sf_lab lab;
    struct sf_lab_spaces spaces;
    struct sf_error err = { 0 };

    make_lab(&small, base, &lab);
    CHECK_EQ(sf_lab_spaces_read(&lab.folder, &spaces, &err), SF_OK);
    CHECK_EQ(spaces.n, 0u);
    char *path = sf_lab_folder_path(&lab.folder, SF_LAB_SPACES);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    fputs("x.a\nx.b\nx.c\nx.b 4711\n../etc/passwd\nx.a 47", file);
    fclose(file);
    free(path);
    CHECK_EQ(sf_lab_spaces_read(&lab.folder, &spaces, &err), SF_OK);
    CHECK_EQ(spaces.n, 3u);
    CHECK_STR(spaces.items[1].name, "x.b");
    CHECK_EQ(spaces.items[1].inode, 4711u);
    CHECK_EQ(spaces.items[2].inode, 0u);
    sf_lab_spaces_clear(&spaces);
    end_lab(&lab, base);
}

/* Words that name links. */
TEST(lab_finds_links)
{
    static const struct ip_case small = { "hx2:2x2,p=1", 2, 1, false };
    static const struct {
        const char *word;
        uint32_t n;
    } cases[] = { { "hx2-0-0", 3 },
                  { "hx2-0-0:2", 1 },
                  { "hx2-0-0:Eth2", 1 },
                  { "hx2-0-0--hx2-0-1", 1 },
                  { "node0000", 1 },
                  { "node0000:eth1", 1 },
                  { "hx2-0-0--hx2-1-1", 0 },
                  { "hx2-0-0:9", 0 },
                  { "hx2-0-0:swp2", 0 },
                  { "nobody", 0 },
                  { "--", 0 },
                  { ":", 0 },
                  { "", 0 } };
    char *base = make_base();
    struct sf_lab lab;

    make_lab(&small, base, &lab);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_lab_links links = { 0 };
        struct sf_error err = { 0 };
        enum sf_status status =
            sf_lab_find_links(&lab, cases[i].word, &links, &err);
        CHECK_FOR(links.n == cases[i].n, "'%s': %u links", cases[i].word,
                  links.n);
        CHECK_EQ(status, cases[i].n ? SF_OK : SF_EINVAL);
        CHECK_EQ(err.text[0] == '\0', cases[i].n > 0);
        sf_lab_links_clear(&links);
    }
    end_lab(&lab, base);
}

/* Texts without secrets, and archives of them. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "slimfly/bundle.h"
#include "slimfly/random.h"
#include "test.h"

#include <stdlib.h>

static const char *const users[] = { "alice", "bob", "j.doe" };
static const struct sf_scrub scrub = { .users = users,
                                       .n_users = 3,
                                       .home = "/nfs/people/carol" };

/* 'text' without secrets; the caller frees it. */
static char *
clean(const char *text, size_t length, uint32_t n_removed[SF_N_SECRETS])
{
    uint32_t ignored[SF_N_SECRETS] = { 0 };
    char *result = NULL;
    size_t n;
    struct sf_error err;

    CHECK_FOR(sf_scrub_text(&scrub, text, length, &result, &n,
                            n_removed ? n_removed : ignored, &err) == SF_OK,
              "%s", err.text);
    CHECK_EQ(result[n], '\0');
    return result;
}

TEST(scrub_removes_what_is_secret)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        { "", "" },
        { "lmc 2\n", "lmc 2\n" },
        { "m_key 0x00000000deadbeef\nlmc 2\n", "m_key [removed]\nlmc 2\n" },
        { "m_key...................0x5ec7e7\n",
          "m_key...................[removed]\n" },
        { "Bad M_Key:0xA1 of node 0x2, lid 3\n",
          "Bad M_Key:[removed] of node [removed], lid [removed]\n" },
        { "SA_Key = deadbeef12345678", "SA_Key = [removed]" },
        { "p_key 0x7fff", "p_key 0x7fff" },
        { "password = hunter2 and more\nx", "password = [removed]\nx" },
        { "db.passwd: 'a b' end", "db.passwd: '[removed]' end" },
        { "{\"token\": \"a\\\"b\", \"n\": 1}",
          "{\"token\": \"[removed]\", \"n\": 1}" },
        { "{\"token\": 17, \"n\": 1}", "{\"token\": [removed], \"n\": 1}" },
        { "{\"tokens\": [\"a]\", {\"b\": 1}], \"n\": 1}",
          "{\"tokens\": [removed], \"n\": 1}" },
        { "\"secret\":\n  \"x\"\n", "\"secret\":\n  \"[removed]\"\n" },
        { "Authorization: Bearer abc.def", "Authorization: [removed]" },
        { "run --api-key=xyz --n 2", "run --api-key=[removed]" },
        { "alice_token: xyz", "[user]_token: [removed]" },
        { "http://me:pw@sm1/x http://sm1/x",
          "http://[removed]@sm1/x http://sm1/x" },
        { "plan = /home/dave/plan", "plan = /home/[user]/plan" },
        { "/nfs/people/carol/x /nfs/people/caroline",
          "[home]/x /nfs/people/caroline" },
        { "alice, malice, alice2, bob-plan, j.doe.",
          "[user], malice, alice2, [user]-plan, [user]." },
        { "ssh eve@sm2", "ssh [user]@sm2" },
        { "a eyJhbGciOiJIUzI1NiJ9.e30.x b", "a [removed] b" },
        { "x\n-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\ny",
          "x\n[removed]\ny" },
        { "x\n-----BEGIN PRIVATE KEY-----\nMIIE\n", "x\n[removed]" },
        { "MIIE\n-----END PRIVATE KEY-----\ny", "[removed]\ny" },
        { "password", "password" },
        { "password:\nx", "password:\nx" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *result = clean(cases[i].text, strlen(cases[i].text), NULL);
        CHECK_STR(result, cases[i].expected);
        free(result);
    }
}

TEST(scrub_counts_by_kind)
{
    static const char text[] =
        "m_key 0x1\npassword a\ntoken b\n-----BEGIN X\n-----END X\n"
        "/home/dave alice bob bob\n";
    uint32_t n[SF_N_SECRETS] = { 0 };

    free(clean(text, sizeof text - 1, n));
    CHECK_EQ(n[SF_SECRET_KEY], 1u);
    CHECK_EQ(n[SF_SECRET_PASSWORD], 2u);
    CHECK_EQ(n[SF_SECRET_BLOCK], 1u);
    CHECK_EQ(n[SF_SECRET_HOME], 1u);
    CHECK_EQ(n[SF_SECRET_USER], 3u);
    CHECK_STR(sf_secret_name(SF_SECRET_USER, 1), "user name");
    CHECK_STR(sf_secret_name(SF_SECRET_USER, 3), "user names");
}

/* A secret after its name stays out whatever surrounds the two. */
TEST(scrub_of_random_surroundings)
{
    static const char letters[] = "ab_-. \n\"'=:/@[]{},\\0x";
    static const char *const plants[] = {
        "\npassword = QQQQ\n",    "\n\"token\": \"QQQQ\"\n",
        "\nm_key 0x9QQQQ\n",      " alice@QhostQ /home/QQQQ/x ",
        "\nsecret: [\"QQQQ\"]\n",
    };
    struct sf_random random;

    sf_random_init(&random, 7, 1);
    for (int round = 0; round < 5000; round++) {
        char text[200];
        size_t n = 0, before = sf_random_below(&random, 60);
        const char *plant = plants[sf_random_below(&random, 5)];
        for (size_t i = 0; i < before; i++) {
            text[n++] = letters[sf_random_below(&random, sizeof letters - 1)];
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "%s", plant);
        while (n < 150) {
            text[n++] = letters[sf_random_below(&random, sizeof letters - 1)];
        }
        text[n] = '\0';
        char *result = clean(text, n, NULL);
        CHECK_FOR(!strstr(result, "QQQQ") && !strstr(result, "alice"),
                  "of \"%s\" is left \"%s\"", text, result);
        free(result);
    }
}

/* Fills a bundle and writes it; the bytes, which the caller frees. */
static enum sf_status
make_bundle(char **bytesp, size_t *lengthp, struct sf_error *err)
{
    struct sf_bundle *bundle;
    enum sf_status status = sf_bundle_create(&scrub, &bundle, err);

    *bytesp = NULL;
    if (status != SF_OK) {
        return status;
    }
    sf_bundle_add_text(bundle, "a.txt", "some text", "alice\n", 6);
    sf_bundle_add_file(bundle, "b.txt", "a file", "/nonexistent/file", 100);
    sf_bundle_add_file(bundle, "c.txt", "a folder", "/", 100);
    sf_bundle_leave_out(bundle, "d.txt", "no file", "nobody wanted it");
    FILE *stream = open_memstream(bytesp, lengthp);
    CHECK(stream != NULL);
    status = sf_bundle_write(bundle, 1000000000, stream, err);
    fclose(stream);
    sf_bundle_free(bundle);
    return status;
}

TEST(bundle_is_the_same_bytes_twice)
{
    char *bytes[2];
    size_t lengths[2];
    struct sf_error err;

    for (int i = 0; i < 2; i++) {
        CHECK(make_bundle(&bytes[i], &lengths[i], &err) == SF_OK);
    }
    CHECK_EQ(lengths[0], lengths[1]);
    CHECK(!memcmp(bytes[0], bytes[1], lengths[0]));
    CHECK(!memcmp(bytes[0], "\x1f\x8b", 2));
    free(bytes[1]);
    free(bytes[0]);
}

TEST(bundle_tells_of_any_name)
{
    char *text = NULL;
    size_t length;
    struct sf_bundle *bundle;
    struct sf_error err;

    CHECK(sf_bundle_create(&scrub, &bundle, &err) == SF_OK);
    sf_bundle_leave_out(bundle, "x", "a\033[1m \xff file of alice",
                        "because\n");
    FILE *stream = open_memstream(&text, &length);
    CHECK(sf_bundle_write_json(bundle, "x", stream, &err) == SF_OK);
    fclose(stream);
    CHECK_FOR(strstr(text, "\"a?[1m ? file of [user]\"") != NULL, "%s", text);
    free(text);
    sf_bundle_free(bundle);
}

TEST(bundle_without_memory)
{
    for (unsigned long nth = 1;; nth++) {
        struct sf_error err = { 0 };
        char *bytes;
        size_t length;
        sf_mem_fail_at(nth);
        enum sf_status status = make_bundle(&bytes, &length, &err);
        void *memory = status == SF_OK ? sf_calloc(1, 1) : NULL;
        bool is_noticed = memory == NULL;
        sf_mem_fail_at(0);
        free(memory);
        free(bytes);
        CHECK(is_noticed);
        if (status == SF_OK) {
            CHECK(nth > 5);
            return;
        }
        CHECK_EQ(status, SF_ENOMEM);
        CHECK(err.text[0] != '\0');
    }
}

TEST(bundle_says_that_it_cannot_be_written)
{
    struct sf_bundle *bundle;
    struct sf_error err;
    FILE *full = fopen("/dev/full", "w");

    CHECK(full != NULL);
    setvbuf(full, NULL, _IONBF, 0);
    CHECK(sf_bundle_create(&scrub, &bundle, &err) == SF_OK);
    CHECK_EQ(sf_bundle_write(bundle, 0, full, &err), SF_EIO);
    CHECK(strstr(err.text, "No space left") != NULL);
    sf_bundle_free(bundle);
    fclose(full);
}

TEST(bundle_takes_the_end_of_a_file_from_a_line_on)
{
    char path[] = "/tmp/slimfly-test-XXXXXX", *text = NULL;
    size_t length;
    struct sf_bundle *bundle;
    struct sf_error err;
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");

    for (int i = 0; i < 1000; i++) {
        fprintf(file, "line %d\n", i);
    }
    fclose(file);
    CHECK(sf_bundle_create(&scrub, &bundle, &err) == SF_OK);
    sf_bundle_add_file(bundle, "log", "a log", path, 20);
    remove(path);
    FILE *stream = open_memstream(&text, &length);
    CHECK(sf_bundle_write_json(bundle, "x", stream, &err) == SF_OK);
    fclose(stream);
    /* "line 998\nline 999\n" of the last 20 bytes. */
    CHECK_FOR(strstr(text, "\"bytes\": 18") && strstr(text, "its end"), "%s",
              text);
    free(text);
    sf_bundle_free(bundle);
}

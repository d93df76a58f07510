/* bundle.c -- what to send with a bug report. */
#define _GNU_SOURCE
#include "slimfly/bundle.h"

#include "base/mem.h"
#include "io/archive.h"
#include "slimfly/version.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#define FOLDER   "slimfly-bundle/"
#define ACCOUNT  "CONTENTS.txt"
#define MAX_NAME 80

/* A file of the bundle, or one that is left out.  All texts are scrubbed. */
struct entry {
    char name[MAX_NAME];
    char *what, *why; /* 'why' it is left out; NULL if it is there. */
    char *text;
    size_t length;
};

struct sf_bundle {
    const struct sf_scrub *scrub;
    SF_VEC(struct entry) entries;
    uint32_t n_removed[SF_N_SECRETS];
    enum sf_status status; /* Of the first failure. */
    struct sf_error err;
};

enum sf_status
sf_bundle_create(const struct sf_scrub *scrub, struct sf_bundle **bundlep,
                 struct sf_error *err)
{
    *bundlep = sf_calloc(1, sizeof **bundlep);
    if (!*bundlep) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a bundle");
    }
    (*bundlep)->scrub = scrub;
    return SF_OK;
}

static void
entry_clear(struct entry *entry)
{
    free(entry->text);
    free(entry->why);
    free(entry->what);
}

void
sf_bundle_free(struct sf_bundle *bundle)
{
    if (!bundle) {
        return;
    }
    for (size_t i = 0; i < bundle->entries.n; i++) {
        entry_clear(&bundle->entries.items[i]);
    }
    free(bundle->entries.items);
    free(bundle);
}

/* A sentence of the account, of which a path may be part: without secrets, and
 * without what a terminal or JSON does not take, as in messages. */
static enum sf_status
make_sentence(const struct sf_bundle *bundle, const char *text, char **cleanp,
              struct sf_error *err)
{
    uint32_t ignored[SF_N_SECRETS] = { 0 };
    struct sf_error plain;
    size_t n;

    sf_fail(&plain, SF_EINVAL, "%s", text);
    return sf_scrub_text(bundle->scrub, plain.text, strlen(plain.text), cleanp,
                         &n, ignored, err);
}

/* Adds an entry that has 'text' or a reason 'why' it has none. */
static void
add(struct sf_bundle *bundle, const char *name, const char *what,
    const char *why, const char *text, size_t length)
{
    struct entry entry = { 0 };

    if (bundle->status != SF_OK) {
        return;
    }
    snprintf(entry.name, sizeof entry.name, "%s", name);
    enum sf_status status =
        make_sentence(bundle, what, &entry.what, &bundle->err);
    if (status == SF_OK && why) {
        status = make_sentence(bundle, why, &entry.why, &bundle->err);
    }
    if (status == SF_OK && !why) {
        status = sf_scrub_text(bundle->scrub, text, length, &entry.text,
                               &entry.length, bundle->n_removed, &bundle->err);
    }
    if (status == SF_OK && !sf_vec_push(&bundle->entries, entry)) {
        status =
            sf_fail(&bundle->err, SF_ENOMEM, "out of memory for a bundle");
    }
    if (status != SF_OK) {
        entry_clear(&entry);
    }
    bundle->status = status;
}

void
sf_bundle_add_text(struct sf_bundle *bundle, const char *name,
                   const char *what, const char *text, size_t length)
{
    add(bundle, name, what, NULL, text, length);
}

void
sf_bundle_leave_out(struct sf_bundle *bundle, const char *name,
                    const char *what, const char *why)
{
    add(bundle, name, what, why, NULL, 0);
}

/* Reads the last 'max_size' bytes of 'stream', from the start of a line on.  A
 * file that grows meanwhile gives what it had. */
static enum sf_status
read_end(FILE *stream, size_t max_size, char **textp, size_t *lengthp,
         bool *is_cutp)
{
    off_t size = fseeko(stream, 0, SEEK_END) == 0 ? ftello(stream) : -1;
    size_t wanted = size < 0                    ? max_size
                    : (uint64_t)size < max_size ? (size_t)size
                                                : max_size;

    *is_cutp = size > 0 && (size_t)size > wanted;
    if (size >= 0) {
        fseeko(stream, size - (off_t)wanted, SEEK_SET);
    }
    char *text = sf_calloc(wanted + 1, 1);
    if (!text) {
        return SF_ENOMEM;
    }
    size_t n = fread(text, 1, wanted, stream);
    if (ferror(stream)) {
        free(text);
        return SF_EIO;
    }
    if (*is_cutp) {
        char *newline = memchr(text, '\n', n);
        size_t skipped = newline ? (size_t)(newline + 1 - text) : n;
        n -= skipped;
        memmove(text, text + skipped, n);
    }
    *textp = text;
    *lengthp = n;
    return SF_OK;
}

void
sf_bundle_add_file(struct sf_bundle *bundle, const char *name,
                   const char *what, const char *path, size_t max_size)
{
    char said[600];
    char *text = NULL;
    size_t length = 0;
    bool is_cut = false;

    FILE *stream = fopen(path, "rb");
    enum sf_status status =
        stream ? read_end(stream, max_size, &text, &length, &is_cut) : SF_EIO;
    if (status == SF_EIO) {
        snprintf(said, sizeof said, "%s: %s", path, strerror(errno));
        sf_bundle_leave_out(bundle, name, what, said);
    } else if (status != SF_OK && bundle->status == SF_OK) {
        bundle->status = sf_fail(&bundle->err, status,
                                 "%s: out of memory for "
                                 "it",
                                 path);
    } else {
        snprintf(said, sizeof said, "%s%s: %s", what,
                 is_cut ? ", its end" : "", path);
        sf_bundle_add_text(bundle, name, said, text, length);
    }
    if (stream) {
        fclose(stream);
    }
    free(text);
}

static void
write_entries(const struct sf_bundle *bundle, bool is_there, const char *title,
              FILE *stream)
{
    for (size_t i = 0; i < bundle->entries.n; i++) {
        const struct entry *entry = &bundle->entries.items[i];
        if ((entry->why == NULL) == is_there) {
            fprintf(stream, "%s  %-28s %s%s%s\n", title, entry->name,
                    entry->what, entry->why ? ": " : "",
                    entry->why ? entry->why : "");
            title = "";
        }
    }
}

void
sf_bundle_write_account(const struct sf_bundle *bundle, FILE *stream)
{
    const char *separator = "\nRemoved: ";

    write_entries(bundle, true, "Collected:\n", stream);
    write_entries(bundle, false, "\nLeft out:\n", stream);
    for (enum sf_secret kind = 0; kind < SF_N_SECRETS; kind++) {
        uint32_t n = bundle->n_removed[kind];
        if (n) {
            fprintf(stream, "%s%u %s", separator, n, sf_secret_name(kind, n));
            separator = ", ";
        }
    }
    fprintf(stream,
            "%s\n\nNames, places and GUIDs of switches and hosts, and names "
            "of machines, are still\nthere. Look at the files before you send "
            "them.\n",
            *separator == ',' ? "." : "\nNothing had to be removed.");
}

static json_t *
pack_entries(const struct sf_bundle *bundle, bool is_there)
{
    json_t *list = json_array();

    for (size_t i = 0; i < bundle->entries.n; i++) {
        const struct entry *entry = &bundle->entries.items[i];
        if ((entry->why == NULL) == is_there) {
            json_array_append_new(
                list, is_there
                          ? json_pack("{s:s, s:s, s:I}", "name", entry->name,
                                      "what", entry->what, "bytes",
                                      (json_int_t)entry->length)
                          : json_pack("{s:s, s:s, s:s}", "name", entry->name,
                                      "what", entry->what, "why", entry->why));
        }
    }
    return list;
}

enum sf_status
sf_bundle_write_json(const struct sf_bundle *bundle, const char *path,
                     FILE *stream, struct sf_error *err)
{
    static const char *const keys[SF_N_SECRETS] = {
        [SF_SECRET_KEY] = "keys",     [SF_SECRET_PASSWORD] = "passwords",
        [SF_SECRET_BLOCK] = "blocks", [SF_SECRET_HOME] = "homes",
        [SF_SECRET_USER] = "users",
    };
    json_t *removed = json_object();
    int code = -1;

    for (size_t i = 0; i < SF_N_SECRETS; i++) {
        json_object_set_new(removed, keys[i],
                            json_integer(bundle->n_removed[i]));
    }
    json_t *root =
        json_pack("{s:s, s:i, s:s, s:s, s:o, s:o, s:o}", "schema",
                  "slimfly.bundle", "schema_version", 1, "version", SF_VERSION,
                  "file", path, "collected", pack_entries(bundle, true),
                  "left_out", pack_entries(bundle, false), "removed", removed);
    if (root) {
        code = json_dumpf(root, stream, JSON_INDENT(2));
        fputc('\n', stream);
    }
    json_decref(root);
    return code == 0 ? SF_OK
                     : sf_fail(err, SF_EIO,
                               "the account of the bundle cannot be written "
                               "as JSON");
}

/* Adds the account itself. */
static enum sf_status
archive_account(const struct sf_bundle *bundle, struct sf_archive *archive,
                struct sf_error *err)
{
    char *text = NULL;
    size_t length = 0;

    FILE *stream = open_memstream(&text, &length);
    if (!stream) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %s", ACCOUNT);
    }
    fputs("What 'slimfly bundle' of slimfly " SF_VERSION
          " collected for a bug report.\n\n",
          stream);
    sf_bundle_write_account(bundle, stream);
    enum sf_status status = SF_OK;
    if (fclose(stream) != 0) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %s", ACCOUNT);
    }
    if (status == SF_OK) {
        status = sf_archive_add(archive, FOLDER ACCOUNT, text, length, err);
    }
    free(text);
    return status;
}

enum sf_status
sf_bundle_write(const struct sf_bundle *bundle, int64_t moment, FILE *stream,
                struct sf_error *err)
{
    struct sf_archive *archive;

    if (bundle->status != SF_OK) {
        return sf_fail(err, bundle->status, "%s", bundle->err.text);
    }
    enum sf_status status = sf_archive_begin(stream, moment, &archive, err);
    if (status == SF_OK) {
        status = archive_account(bundle, archive, err);
    }
    for (size_t i = 0; status == SF_OK && i < bundle->entries.n; i++) {
        const struct entry *entry = &bundle->entries.items[i];
        char name[sizeof FOLDER + MAX_NAME];
        snprintf(name, sizeof name, FOLDER "%s", entry->name);
        if (!entry->why) {
            status =
                sf_archive_add(archive, name, entry->text, entry->length, err);
        }
    }
    if (status == SF_OK) {
        status = sf_archive_end(archive, err);
    }
    sf_archive_free(archive);
    return status;
}

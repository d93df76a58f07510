/* verify_guids.c -- the GUID map that a verification amounts to: who is who,
 * so that nobody has to type it. */
#include "base/mem.h"
#include "plan/name_index.h"
#include "report/verify_text.h"

#include <string.h>

/* A map being written. */
struct writer {
    const struct sf_verification *verification;
    uint64_t *given; /* [planned nodes] The GUID that the map in use gives the
                      * node, 0 if none. */
    FILE *stream;
};

/* Whether 'node' was found for sure; a name that a map cannot hold is left
 * to people. */
static bool
is_settled(const struct sf_verification *verification, uint32_t node)
{
    return verification->found_of[node] != SF_NONE &&
           verification->identities[verification->found_of[node]].is_certain &&
           !strpbrk(verification->plan->fabric->nodes[node].name, "\"\n");
}

/* Puts down what the map in use says of planned nodes, so that what is not
 * found today is not forgotten. */
static enum sf_status
collect_given(struct writer *writer, const struct sf_guid_map *map,
              struct sf_error *err)
{
    const struct sf_fabric *planned = writer->verification->plan->fabric;
    struct sf_name_index *index;

    enum sf_status status = sf_name_index_build(planned, &index, err);
    for (uint32_t i = 0; status == SF_OK && map && i < map->n_entries; i++) {
        const struct sf_guid_name *entry = &map->entries[i];
        uint32_t node = sf_name_index_find(index, SF_NODE_SWITCH, entry->name);
        if (node == SF_NONE) {
            node = sf_name_index_find(index, SF_NODE_HOST, entry->name);
        }
        if (node != SF_NONE) {
            writer->given[node] = entry->guid;
        }
    }
    sf_name_index_free(index);
    return status;
}

static void
write_line(const struct writer *writer, uint64_t guid, uint32_t node)
{
    fprintf(writer->stream, "0x%016llx \"", (unsigned long long)guid);
    sf_text_write_name(writer->verification->plan->fabric->nodes[node].name,
                       writer->stream);
    fputc('"', writer->stream);
}

/* Writes what is certain, and what the map in use has of the others. */
static void
write_settled(const struct writer *writer)
{
    const struct sf_verification *verification = writer->verification;

    for (uint32_t i = 0; i < verification->plan->fabric->n_nodes; i++) {
        bool settled = is_settled(verification, i);
        if (settled || writer->given[i]) {
            write_line(
                writer,
                settled ? verification->found->nodes[verification->found_of[i]]
                              .guid
                        : writer->given[i],
                i);
            fputc('\n', writer->stream);
        }
    }
}

/* Writes the guesses so that each becomes valid without its first '#'. */
static void
write_guesses(const struct writer *writer)
{
    const struct sf_verification *verification = writer->verification;
    bool is_first = true;

    for (uint32_t i = 0; i < verification->plan->fabric->n_nodes; i++) {
        if (verification->found_of[i] == SF_NONE ||
            is_settled(verification, i)) {
            continue;
        }
        const struct sf_node *found =
            &verification->found->nodes[verification->found_of[i]];
        if (is_first) {
            fputs("\n# Guessed", writer->stream);
            if (verification->n_labellings > 1) {
                fprintf(writer->stream,
                        ", in one of %u ways that fit equally well",
                        verification->n_labellings);
            }
            fputs(". Check the GUID on the device, then remove the # in "
                  "front:\n",
                  writer->stream);
            is_first = false;
        }
        fputs("# ", writer->stream);
        write_line(writer, found->guid, i);
        fputs(" # found as \"", writer->stream);
        sf_text_write_name(found->name, writer->stream);
        fputs("\"\n", writer->stream);
    }
}

/* Writes what was planned and not found, and what was found and not
 * planned. */
static void
write_others(const struct writer *writer)
{
    const struct sf_verification *verification = writer->verification;
    const char *title = "\n# Not found:\n";

    for (uint32_t i = 0; i < verification->plan->fabric->n_nodes; i++) {
        if (verification->found_of[i] == SF_NONE && !writer->given[i]) {
            fprintf(writer->stream, "%s# \"", title);
            sf_text_write_name(verification->plan->fabric->nodes[i].name,
                               writer->stream);
            fputs("\"\n", writer->stream);
            title = "";
        }
    }
    title = "\n# Found, and not known to the plan:\n";
    for (uint32_t i = 0; i < verification->found->n_nodes; i++) {
        if (verification->identities[i].node == SF_NONE) {
            fprintf(writer->stream, "%s# ", title);
            sf_text_write_found_as(&verification->found->nodes[i],
                                   writer->stream);
            fputc('\n', writer->stream);
            title = "";
        }
    }
}

enum sf_status
sf_verification_write_guids(const struct sf_verification *verification,
                            const struct sf_guid_map *map, FILE *stream,
                            struct sf_error *err)
{
    uint32_t n = verification->plan->fabric->n_nodes, n_settled = 0;
    struct writer writer = { verification, sf_calloc(n, sizeof *writer.given),
                             stream };

    if (!writer.given) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %u GUIDs", n);
    }
    enum sf_status status = collect_given(&writer, map, err);
    if (status == SF_OK) {
        for (uint32_t i = 0; i < n; i++) {
            n_settled += is_settled(verification, i);
        }
        fprintf(stream, "# %s: GUIDs as found, certain for %u of %u nodes.\n",
                verification->plan->spec, n_settled, n);
        write_settled(&writer);
        write_guesses(&writer);
        write_others(&writer);
    }
    free(writer.given);
    return status;
}

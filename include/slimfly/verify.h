/* verify.h -- the difference of a plan and the fabric that was found, and the
 * smallest list of cable-end moves that mends it.
 *
 * Planned and found wiring are two matchings on ports.  First the nodes found
 * are identified with planned ones; then the cables are compared; the
 * difference falls apart into cycles and chains, each mended on its own. */
#ifndef SLIMFLY_VERIFY_H
#define SLIMFLY_VERIFY_H

#include "slimfly/plan.h"

#include <stdio.h>

#pragma GCC visibility push(default)

/* How a node was identified, best first.  Flags, to be combined in
 * sf_verify_params. */
enum sf_identity_source {
    SF_IDENTITY_NONE = 0,
    SF_IDENTITY_MAP = 1 << 0,  /* The GUID map names it. */
    SF_IDENTITY_GUID = 1 << 1, /* It has the GUID of the plan. */
    SF_IDENTITY_NAME = 1 << 2, /* It has the name of the plan, alone. */
    /* Switches: most of its identified hosts are planned on one switch. */
    SF_IDENTITY_HOSTS = 1 << 3,
    /* Its cables, by port number, lead where those of the planned one do. */
    SF_IDENTITY_STRUCTURE = 1 << 4,
};
#define SF_N_IDENTITY_SOURCES 5
#define SF_IDENTITY_ALL       ((1u << SF_N_IDENTITY_SOURCES) - 1)

/* A line of a GUID map. */
struct sf_guid_name {
    uint64_t guid;
    char *name; /* Of a planned node. */
};

struct sf_guid_map {
    uint32_t n_entries;
    struct sf_guid_name *entries; /* By GUID, each once. */
};

/* Reads a GUID map in the format of infiniband-diags (--node-name-map): lines
 * '0xGUID "name"', quotes optional around a single word, # starts a comment.
 * 'path' is "-" for standard input.  SF_EPARSE says path:line. */
enum sf_status sf_guid_map_load(const char *path, struct sf_guid_map **mapp,
                                struct sf_error *err);

/* The same from 'text'; 'path' is for messages. */
enum sf_status sf_guid_map_parse(const char *text, const char *path,
                                 struct sf_guid_map **mapp,
                                 struct sf_error *err);
void sf_guid_map_free(struct sf_guid_map *map);

/* The line of 'map' about 'guid', or NULL. */
const struct sf_guid_name *sf_guid_map_find(const struct sf_guid_map *map,
                                            uint64_t guid);

/* Gives the switches of 'fabric' the names that 'map' has for them:
 * '*n_namedp' of them.  Hosts keep theirs, as they are what machines call
 * themselves. */
enum sf_status sf_guid_map_name_switches(const struct sf_guid_map *map,
                                         struct sf_fabric *fabric,
                                         uint32_t *n_namedp,
                                         struct sf_error *err);

struct sf_verify_params {
    unsigned sources; /* Of identity, flags; 0: all, the best for each node. */
    const struct sf_guid_map *map; /* May be NULL. */
    bool ignores_rates;            /* Never find a link different. */
};

/* What a node found was taken to be. */
struct sf_identity {
    uint32_t node; /* In the plan; SF_NONE if it is not known there. */
    /* How it is known.  With SF_IDENTITY_MAP and no node, the map gives it a
     * name that is not in the plan. */
    enum sf_identity_source source;
    /* Whether that is sure: by map, GUID or name, or because several
     * neighbours agree and no other labelling fits as well.  If not, it is a
     * guess. */
    bool is_certain;
};

/* A node, or a port of it: of the plan, of the fabric found, or both. */
struct sf_end {
    uint32_t node;   /* In the plan; SF_NONE if the plan does not have it. */
    uint32_t found;  /* In the fabric found; SF_NONE if it was not found. */
    uint32_t number; /* Of the port; 0 for the node as a whole. */
};

/* Whether 'end' is one at all. */
static inline bool
sf_end_exists(const struct sf_end *end)
{
    return end->node != SF_NONE || end->found != SF_NONE;
}

/* A cable is right if it joins the two ports that the plan joins.  Every
 * other cable found, and every planned cable that no cable found can become
 * by moving one end, has a verdict of its own. */
enum sf_verdict {
    /* A planned cable that is not there, and no cable found is left over that
     * moving one end would turn into it: mended by a new cable.  Or one whose
     * node is missing (then 'cause' says so). */
    SF_VERDICT_MISSING,
    /* A cable found of which the plan knows nothing and that is of no use to
     * it: mended by removing it. */
    SF_VERDICT_UNEXPECTED,
    /* A cable found with an end in the wrong port: mended by moving that end.
     * 'planned' is the cable that it becomes. */
    SF_VERDICT_MISCONNECTED,
    /* Unexpected, and joins two nodes that the plan joins already. */
    SF_VERDICT_DUPLICATE,
    /* A right cable that runs at another rate than planned. */
    SF_VERDICT_DIFFERENT,
    /* A planned node that was not found. */
    SF_VERDICT_MISSING_SWITCH,
    SF_VERDICT_MISSING_HOST,
    /* A node found that is not planned and that hangs, maybe through others
     * of its kind, on one that is (or nothing at all was identified). */
    SF_VERDICT_UNKNOWN_SWITCH,
    SF_VERDICT_UNKNOWN_HOST,
    /* Two switches that have changed places: each carries, port by port, at
     * least three quarters of the cables planned for the other, and at least
     * three.  The cables concerned have this finding as their 'cause'. */
    SF_VERDICT_EXCHANGED,
    /* The GUID says that it is one planned node, its name another. */
    SF_VERDICT_MISNAMED,
    SF_N_VERDICTS,
};

/* The name of a verdict: "missing", "unknown_switch". */
const char *sf_verdict_name(enum sf_verdict verdict);

struct sf_finding {
    enum sf_verdict verdict;
    /* What the plan says: the cable; the missing node and, for a host, the
     * port that it hangs on; both switches exchanged; the node that it is and
     * the node whose name it bears. */
    struct sf_end planned[2];
    /* What was found: the cable; the unknown node and the planned port that
     * it hangs on, if any; the misnamed node. */
    struct sf_end found[2];
    uint32_t cable; /* Of the plan: planned[]; or SF_NONE. */
    uint32_t move;  /* The move that mends it, or SF_NONE. */
    uint32_t cause; /* The finding that explains it, or SF_NONE. */
};

enum sf_move_kind {
    SF_MOVE,   /* One end of a cable from a port to another. */
    SF_PLUG,   /* A new cable. */
    SF_UNPLUG, /* A cable out of both its ports. */
};

/* The name of a kind: "move". */
const char *sf_move_kind_name(enum sf_move_kind kind);

/* Moves are done in order; the target is free when its turn comes, except
 * where 'until' is later: that end is pulled out at its turn, left hanging,
 * and plugged in after the move 'until', the last one of the same cycle. */
struct sf_move {
    enum sf_move_kind kind;
    struct sf_end kept; /* The end that stays; of a new or removed cable, one
                         * of its ends. */
    struct sf_end from; /* None if a new cable. */
    struct sf_end to;   /* None if a removed one. */
    uint32_t cable;     /* Of the plan, that it becomes; or SF_NONE. */
    uint32_t until;     /* Its own number if the end does not hang. */
    uint32_t then;      /* The move whose hanging end is plugged in after this
                         * one, or SF_NONE. */
    uint32_t finding;   /* That it mends. */
};

struct sf_verification {
    const struct sf_plan *plan;     /* Not owned; must outlive this. */
    const struct sf_fabric *found;  /* Likewise. */
    bool matches;                   /* No findings. */
    struct sf_identity *identities; /* [found->n_nodes] */
    uint32_t *found_of; /* [plan->fabric->n_nodes] Node found, or SF_NONE. */
    uint32_t n_identified;
    uint32_t n_by_source[SF_N_IDENTITY_SOURCES]; /* By number of the flag. */
    uint32_t n_guessed;    /* Identified, but not certain. */
    uint32_t n_labellings; /* Ways to name the switches that fit equally well,
                            * if all of them were told by structure; else 1. */
    uint32_t n_right;      /* Cables, different ones included. */
    uint32_t n_by_verdict[SF_N_VERDICTS];
    uint32_t n_findings;
    struct sf_finding *findings;
    uint32_t n_moves;
    struct sf_move *moves;
    /* So many moves, the first, have nothing to do with switches that were
     * exchanged; those that follow are instead of exchanging them. */
    uint32_t n_moves_besides;
};

/* Compares 'found' with 'plan'; 'params' may be NULL.  On success the caller
 * owns '*verificationp', which keeps pointers to 'plan' and 'found'.  Only
 * memory can run out (SF_ENOMEM).
 *
 * The number of moves is the smallest possible for the identities taken
 * (lib/plan/moves.c argues why).  A node that is missing altogether is one
 * finding and its cables have it as their cause; they are not moves, except
 * for the only cable of a host, which may be all that is missing. */
enum sf_status sf_verify(const struct sf_plan *plan,
                         const struct sf_fabric *found,
                         const struct sf_verify_params *params,
                         struct sf_verification **verificationp,
                         struct sf_error *err);
void sf_verification_free(struct sf_verification *verification);

/* For people: one line if all is as planned, else a summary, the findings and
 * what to do. */
enum sf_status
sf_verification_write_text(const struct sf_verification *verification,
                           FILE *stream, struct sf_error *err);

/* One move or finding as a sentence, without a newline. */
void sf_verification_write_move(const struct sf_verification *verification,
                                uint32_t move, FILE *stream);
void sf_verification_write_finding(const struct sf_verification *verification,
                                   uint32_t finding, FILE *stream);

/* Whether a finding is mended by something else than a move, such as switching
 * on a switch; and that as sentences, without a newline. */
bool sf_verification_has_remedy(const struct sf_verification *verification,
                                uint32_t finding);
void sf_verification_write_remedy(const struct sf_verification *verification,
                                  uint32_t finding, FILE *stream);

/* A GUID map of what was found, to be given to later verifications: what is
 * certain; guesses as comments.  What 'map' (may be NULL), the one in use, has
 * for nodes that were not found is kept. */
enum sf_status
sf_verification_write_guids(const struct sf_verification *verification,
                            const struct sf_guid_map *map, FILE *stream,
                            struct sf_error *err);

/* The name of the node at 'end': the plan's, or else the one it was found
 * with.  It lives as long as the plan and the fabric found, and may hold any
 * bytes. */
const char *sf_verification_name(const struct sf_verification *verification,
                                 const struct sf_end *end);

/* The node found at 'end' if it bears another name than the plan's, which
 * people in front of it would look for in vain; else NULL. */
const struct sf_node *
sf_verification_alias(const struct sf_verification *verification,
                      const struct sf_end *end);

/* What to know before anything is moved: that the nodes may be others than
 * they were taken for. */
enum sf_warning {
    SF_WARNING_LITTLE_AGREES, /* Maybe it is the fabric of another plan. */
    SF_WARNING_AMBIGUOUS,     /* Places fit in several ways (n_labellings). */
    SF_N_WARNINGS,
};

/* Whether 'warning' is called for, and as sentences, without a newline. */
bool sf_verification_warns(const struct sf_verification *verification,
                           enum sf_warning warning);
void sf_verification_write_warning(const struct sf_verification *verification,
                                   enum sf_warning warning, FILE *stream);

/* A drawing (SVG) of the racks concerned: cables as they are in red, as they
 * should be in green. */
enum sf_status
sf_verification_write_svg(const struct sf_verification *verification,
                          FILE *stream, struct sf_error *err);

/* For programs: schema "slimfly.verification".  Findings and moves refer to
 * each other by number, from 0.  'origin' may be NULL. */
enum sf_status
sf_verification_write_json(const struct sf_verification *verification,
                           const struct sf_origin *origin, FILE *stream,
                           struct sf_error *err);

#pragma GCC visibility pop
#endif

/* plan.h -- where everything stands and which cable goes where: racks, units,
 * cables with lengths, labels and the step in which they are wired. */
#ifndef SLIMFLY_PLAN_H
#define SLIMFLY_PLAN_H

#include "slimfly/fabric.h"
#include "slimfly/origin.h"

#pragma GCC visibility push(default)

/* The machine hall.  Lengths in metres. */
struct sf_floor {
    uint32_t rack_units;   /* Height of a rack. */
    uint32_t switch_units; /* Rack units that a switch takes. */
    uint32_t
        hosts_per_unit;     /* Hosts that share a rack unit (dense chassis). */
    uint32_t racks_per_row; /* Racks side by side before the next row. */
    double rack_pitch;      /* From one rack to the next in a row. */
    double row_pitch;       /* From one row to the next. */
    double unit_height;     /* Of a rack unit. */
    double tray_height;     /* Of the cable tray above the racks. */
    double slack;           /* Added to each cable. */
    double copper_max;      /* Longest cable that can be copper. */
};

/* 42 units, 4 hosts in 2 units, 10 racks a row, 0.6 m by 2.4 m, tray 0.3 m
 * above the racks, 0.5 m slack, copper up to 3 m. */
extern const struct sf_floor sf_floor_default;

/* The three wiring steps; host cables come before them. */
enum sf_step {
    SF_STEP_HOSTS,    /* Hosts to their switch. */
    SF_STEP_SUBGROUP, /* Inside a subgroup; other families: in a group. */
    SF_STEP_RACK,     /* Between the subgroups of a rack. */
    SF_STEP_RACKS,    /* Between racks. */
    SF_N_STEPS,
};

enum sf_medium {
    SF_COPPER,
    SF_OPTICAL,
};

/* The name of a medium: "copper". */
const char *sf_medium_name(enum sf_medium medium);

struct sf_cable {
    uint32_t a, b; /* Ports of the fabric: a on the switch of a host cable,
                    * else in the lower group and there on the lower node. */
    enum sf_step step;
    enum sf_medium medium;
    double length;  /* A length that is sold, at least what is needed. */
    char label[16]; /* "C00042": unique, printed on both ends. */
};

/* A rack, or a cabinet of one: a part that is too large for one cabinet (a
 * group of a large Slim Fly) stands in several side by side. */
struct sf_rack {
    char name[24];  /* "R3"; "R3.2" for the second cabinet of part 3. */
    uint32_t group; /* Racks of the same part share this number. */
    uint32_t row, column;
};

struct sf_plan {
    char *spec;   /* Of the topology. */
    char *family; /* Its name. */
    char *title;  /* And its title, for people. */
    struct sf_floor floor;
    struct sf_fabric *fabric; /* With rack and unit of every node. */
    uint32_t n_racks, n_groups;
    struct sf_rack *racks;
    uint32_t n_cables;
    struct sf_cable *cables; /* By step, then by rack and port. */
    uint32_t *cable_of_port; /* [n_ports] Or SF_NONE. */
    char *program, *command; /* That made it (origin.h); NULL: not known. */
};

/* Plans 'topo'.  'floor' may be NULL for the default. */
enum sf_status sf_plan_build(const struct sf_topology *topo,
                             const struct sf_fabric_params *params,
                             const struct sf_floor *floor,
                             struct sf_plan **planp, struct sf_error *err);
void sf_plan_free(struct sf_plan *plan);

/* Sets '*lengthsp' to the length of the cable in each port of the fabric, 0
 * where there is none, [n_ports]; the caller frees it. */
enum sf_status sf_plan_lengths(const struct sf_plan *plan, double **lengthsp,
                               struct sf_error *err);

/* Says what made 'plan'; its file tells. */
enum sf_status sf_plan_set_origin(struct sf_plan *plan,
                                  const struct sf_origin *origin,
                                  struct sf_error *err);

/* Takes the hosts and their cables out of 'plan'.  All other cables keep their
 * labels; racks stay as they are. */
void sf_plan_drop_hosts(struct sf_plan *plan);

/* The part (rack of the paper) in which 'node' stands. */
static inline uint32_t
sf_plan_group(const struct sf_plan *plan, uint32_t node)
{
    return plan->racks[plan->fabric->nodes[node].rack].group;
}

/* Writes "R3 U17" for 'node' into 'place' and returns it. */
#define SF_PLACE_SIZE 40
char *sf_plan_place(const struct sf_plan *plan, uint32_t node,
                    char place[SF_PLACE_SIZE]);

/* A name for a step in the words of the plan's family, for people: "inside the
 * subgroups".  It may be made in 'title'. */
#define SF_STEP_TITLE_SIZE 80
const char *sf_plan_step_title(const struct sf_plan *plan, enum sf_step step,
                               char title[SF_STEP_TITLE_SIZE]);

#pragma GCC visibility pop
#endif

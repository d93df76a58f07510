#include "slimfly/watch.h"

#include "base/mem.h"

static void
add_to_tally(struct sf_tally *tally, bool is_right)
{
    tally->n_right += is_right;
    tally->n_planned += !is_right;
}

/* Counts cable 'i' where it belongs, as planned or as right. */
static void
count_cable(struct sf_watch *watch, uint32_t i, bool is_right)
{
    const struct sf_plan *plan = watch->plan;
    const struct sf_cable *cable = &plan->cables[i];
    const struct sf_fabric *fabric = plan->fabric;
    uint32_t a = fabric->nodes[fabric->ports[cable->a].node].rack;
    uint32_t b = fabric->nodes[fabric->ports[cable->b].node].rack;
    add_to_tally(&watch->all, is_right);
    add_to_tally(&watch->by_step[cable->step], is_right);
    add_to_tally(&watch->by_rack[a], is_right);
    if (a != b) {
        add_to_tally(&watch->by_rack[b], is_right);
    }
}

enum sf_status
sf_watch_new(const struct sf_plan *plan, const struct sf_verify_params *params,
             struct sf_watch **watchp, struct sf_error *err)
{
    struct sf_watch *watch = sf_calloc(1, sizeof *watch);

    *watchp = NULL;
    if (!watch) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    watch->plan = plan;
    watch->params = params ? *params : (struct sf_verify_params){ 0 };
    watch->is_right = sf_calloc(plan->n_cables, sizeof *watch->is_right);
    watch->new_cables = sf_calloc(plan->n_cables, sizeof(uint32_t));
    watch->lost_cables = sf_calloc(plan->n_cables, sizeof(uint32_t));
    watch->by_rack = sf_calloc(plan->n_racks, sizeof *watch->by_rack);
    if (!watch->is_right || !watch->new_cables || !watch->lost_cables ||
        !watch->by_rack) {
        sf_watch_free(watch);
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        count_cable(watch, i, false);
    }
    *watchp = watch;
    return SF_OK;
}

void
sf_watch_free(struct sf_watch *watch)
{
    if (watch) {
        sf_verification_free(watch->verification);
        sf_fabric_free(watch->found);
        free(watch->by_rack);
        free(watch->lost_cables);
        free(watch->new_cables);
        free(watch->is_right);
        free(watch);
    }
}

/* Whether planned cable 'i' joins the two ports that it should. */
static bool
is_right(const struct sf_verification *verification, uint32_t i)
{
    const struct sf_plan *plan = verification->plan;
    const struct sf_fabric *found = verification->found;
    const struct sf_port *a = &plan->fabric->ports[plan->cables[i].a];
    const struct sf_port *b = &plan->fabric->ports[plan->cables[i].b];
    uint32_t node_a = verification->found_of[a->node];
    uint32_t node_b = verification->found_of[b->node];

    if (node_a == SF_NONE || node_b == SF_NONE) {
        return false;
    }
    uint32_t port_a = sf_fabric_port(found, node_a, a->number);
    uint32_t port_b = sf_fabric_port(found, node_b, b->number);
    return port_a != SF_NONE && port_b != SF_NONE &&
           found->ports[port_a].peer == port_b;
}

/* Notes that cable 'i' became right or ceased to be; what changed earlier is
 * forgotten with the first news. */
static void
note_change(struct sf_watch *watch, uint32_t i, bool is_right_now)
{
    if (!watch->is_news) {
        watch->is_news = true;
        watch->n_new = watch->n_lost = 0;
    }
    if (is_right_now) {
        watch->new_cables[watch->n_new++] = i;
    } else {
        watch->lost_cables[watch->n_lost++] = i;
    }
    watch->is_right[i] = is_right_now;
}

enum sf_status
sf_watch_update(struct sf_watch *watch, struct sf_fabric *found,
                uint32_t n_unanswered, struct sf_error *err)
{
    struct sf_verification *verification;

    enum sf_status status =
        sf_verify(watch->plan, found, &watch->params, &verification, err);
    if (status != SF_OK) {
        sf_fabric_free(found);
        return status;
    }
    sf_verification_free(watch->verification);
    sf_fabric_free(watch->found);
    watch->verification = verification;
    watch->found = found;
    watch->n_unanswered = n_unanswered;
    watch->n_updates++;

    watch->is_news = false;
    watch->all.n_right = 0;
    for (int step = 0; step < SF_N_STEPS; step++) {
        watch->by_step[step].n_right = 0;
    }
    for (uint32_t rack = 0; rack < watch->plan->n_racks; rack++) {
        watch->by_rack[rack].n_right = 0;
    }
    for (uint32_t i = 0; i < watch->plan->n_cables; i++) {
        bool is_right_now = is_right(verification, i);
        if (is_right_now) {
            count_cable(watch, i, true);
        }
        if (is_right_now != watch->is_right[i]) {
            note_change(watch, i, is_right_now);
        }
    }
    watch->n_changes += watch->is_news || watch->n_updates == 1;
    return SF_OK;
}

#include "analysis/kept_traffics.h"

#include "base/mem.h"

/* More demands than this are not kept, but made anew: 192 MiB. */
#define MAX_KEPT_DEMANDS ((size_t)8 << 20)

/* One traffic for hosts of one path set, with one seed. */
struct sf_kept_traffic {
    struct sf_traffic *traffic; /* NULL: not kept. */
    uint32_t n_users;           /* Who have it now, */
    uint32_t n_to_come;         /* and who have not given it back. */
};

bool
sf_kept_traffics_begin(struct sf_kept_traffics *all,
                       const struct sf_comparison_params *params)
{
    size_t n = (size_t)params->n_traffics * params->n_seeds;

    *all = (struct sf_kept_traffics){ .params = params,
                                      .lock = PTHREAD_MUTEX_INITIALIZER };
    all->kept = sf_calloc(n, sizeof *all->kept);
    for (size_t i = 0; all->kept && i < n; i++) {
        bool is_first = i % params->n_seeds == 0;
        all->kept[i].n_to_come = params->n_rows + is_first;
    }
    return all->kept != NULL;
}

void
sf_kept_traffics_clear(struct sf_kept_traffics *all)
{
    size_t n =
        all->kept ? (size_t)all->params->n_traffics * all->params->n_seeds : 0;

    for (size_t i = 0; i < n; i++) {
        sf_traffic_free(all->kept[i].traffic);
    }
    free(all->kept);
    all->kept = NULL;
}

static struct sf_kept_traffic *
kept_at(const struct sf_kept_traffics *all, uint32_t number, uint32_t run)
{
    return &all->kept[(size_t)number * all->params->n_seeds + run];
}

/* Uses what is kept, or keeps '*trafficp', if nonnull, as long as there is
 * room and somebody else to come. */
static void
share_traffic(struct sf_kept_traffics *all, struct sf_kept_traffic *kept,
              struct sf_traffic **trafficp)
{
    pthread_mutex_lock(&all->lock);
    if (kept->traffic) {
        sf_traffic_free(*trafficp);
        *trafficp = kept->traffic;
        kept->n_users++;
    } else if (*trafficp && kept->n_to_come > 1 &&
               all->n_demands + (*trafficp)->n_demands <= MAX_KEPT_DEMANDS) {
        kept->traffic = *trafficp;
        kept->n_users++;
        all->n_demands += (*trafficp)->n_demands;
    }
    pthread_mutex_unlock(&all->lock);
}

enum sf_status
sf_kept_traffics_take(struct sf_kept_traffics *all, uint32_t number,
                      uint32_t run, const uint32_t *host_sets, uint32_t n_sets,
                      struct sf_traffic **trafficp, struct sf_error *err)
{
    struct sf_kept_traffic *kept = kept_at(all, number, run);
    struct sf_traffic_params where = { .network = all->params->network,
                                       .host_sets = host_sets,
                                       .n_sets = n_sets,
                                       .seed = all->params->seed + run };

    *trafficp = NULL;
    if (n_sets == 1) {
        share_traffic(all, kept, trafficp);
    }
    if (*trafficp) {
        return SF_OK;
    }
    enum sf_status status =
        sf_traffic_build(all->params->traffics[number], &where, trafficp, err);
    if (status == SF_OK && n_sets == 1) {
        share_traffic(all, kept, trafficp);
    }
    return status;
}

void
sf_kept_traffics_give_back(struct sf_kept_traffics *all, uint32_t number,
                           uint32_t run, struct sf_traffic *traffic)
{
    struct sf_kept_traffic *kept = kept_at(all, number, run);
    struct sf_traffic *used_up = NULL;

    pthread_mutex_lock(&all->lock);
    kept->n_to_come--;
    if (traffic == kept->traffic) {
        kept->n_users--;
        traffic = NULL;
    }
    if (kept->traffic && kept->n_users == 0 && kept->n_to_come == 0) {
        used_up = kept->traffic;
        all->n_demands -= used_up->n_demands;
        kept->traffic = NULL;
    }
    pthread_mutex_unlock(&all->lock);
    sf_traffic_free(used_up);
    sf_traffic_free(traffic); /* One of its own. */
}

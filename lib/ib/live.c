/* live.c -- tables read back from a running fabric.  A child process asks, see
 * child.h, and writes the answers to memory that it shares with its parent:
 * as text they would be hundreds of megabytes. */
#define _GNU_SOURCE
#include "slimfly/live.h"

#include "base/child.h"
#include "base/mem.h"
#include "ib/live_child.h"
#include "ib/live_port.h"
#include "ib/shared_copy.h"
#include "ib/tables.h"
#include "slimfly/ib_addresses.h"

#include <string.h>

bool
sf_is_live(const char *word)
{
    return !strncmp(word, "live", 4) && (!word[4] || word[4] == ':');
}

enum sf_status
sf_live_port_parse(const char *word, struct sf_live_port *port,
                   struct sf_error *err)
{
    const char *device = word[4] ? word + 5 : "";
    const char *colon = strchr(device, ':');
    const char *number = colon ? colon + 1 : "";
    size_t length = colon ? (size_t)(colon - device) : strlen(device);
    size_t n_digits = strspn(number, "0123456789");
    bool has_number = n_digits > 0 && n_digits <= 3 && number[0] != '0';

    *port = (struct sf_live_port){ 0 };
    if ((word[4] && !length) || length >= sizeof port->device ||
        number[n_digits] || (colon && !has_number)) {
        return sf_fail(err, SF_EINVAL,
                       "%s: expected live, live:DEVICE or live:DEVICE:PORT, "
                       "such as live:mlx5_0:1",
                       word);
    }
    memcpy(port->device, device, length);
    for (size_t i = 0; i < n_digits; i++) {
        port->number = 10 * port->number + (number[i] - '0');
    }
    return SF_OK;
}

static enum sf_status
run(const struct sf_child_job *job, unsigned timeout, struct sf_error *err)
{
    struct sf_printed printed = { 0 };
    enum sf_status status = sf_child_run(job, timeout, &printed, err);
    sf_printed_clear(&printed);
    return status;
}

static size_t
size_of_sl2vl(const struct sf_sl2vl *sl2vl)
{
    size_t size = 0;
    for (uint32_t s = 0; s < sl2vl->n_switches; s++) {
        size_t side = sl2vl->n_ports[s] + 1;
        size += side * side * SF_N_SLS;
    }
    return size;
}

/* Reads into 'tables' and, if nonnull, 'sl2vl', which say nothing yet. */
static enum sf_status
read_tables(const char *source, const struct sf_live_port *port,
            const struct sf_fabric *fabric, unsigned timeout,
            const struct sf_tables *tables, const struct sf_sl2vl *sl2vl,
            struct sf_error *err)
{
    struct sf_shared_copy copies[2] = { { 0 } };
    struct sf_tables answers = *tables;
    struct sf_sl2vl lanes = sl2vl ? *sl2vl : (struct sf_sl2vl){ 0 };
    struct sf_live_tables_job aims = { port, fabric, &answers,
                                       sl2vl ? &lanes : NULL };
    struct sf_child_job job = { sf_live_read_tables, &aims, source,
                                "reading of tables", SF_LIVE_NO_DEVICE };

    answers.ports =
        sf_share(&copies[0], tables->ports,
                 (size_t)tables->n_switches * (tables->max_lid + 1));
    if (sl2vl) {
        lanes.vls = sf_share(&copies[1], sl2vl->vls, size_of_sl2vl(sl2vl));
    }
    enum sf_status status =
        answers.ports && (!sl2vl || lanes.vls)
            ? run(&job, timeout, err)
            : sf_fail(err, SF_ENOMEM, "out of memory for tables");
    sf_unshare(&copies[1], status == SF_OK);
    sf_unshare(&copies[0], status == SF_OK);
    return status;
}

enum sf_status
sf_live_tables(const char *source, const struct sf_fabric *fabric,
               unsigned timeout, struct sf_tables **tablesp,
               struct sf_sl2vl **sl2vlp, struct sf_error *err)
{
    struct sf_sl2vl *sl2vl = NULL;
    struct sf_live_port port;

    *tablesp = NULL;
    enum sf_status status = sf_live_port_parse(source, &port, err);
    if (status == SF_OK) {
        status = sf_tables_make(fabric, tablesp, err);
    }
    if (status == SF_OK && sl2vlp) {
        status = sf_sl2vl_make(fabric, &sl2vl, err);
    }
    if (status == SF_OK) {
        status =
            read_tables(source, &port, fabric, timeout, *tablesp, sl2vl, err);
    }
    if (status != SF_OK) {
        sf_sl2vl_free(sl2vl);
        sf_tables_free(*tablesp);
        sl2vl = NULL;
        *tablesp = NULL;
    }
    if (sl2vlp) {
        *sl2vlp = sl2vl;
    }
    return status;
}

/* Which paths are asked for. */
struct path_questions {
    const char *source;
    uint32_t max_lid;
    uint16_t *sources; /* As in struct sf_live_sls_job. */
    uint32_t *homes;
    uint16_t *models;
};

/* The 2^lmc LIDs from 'lid' on live at switch 's'; those from 'model' on are
 * asked for in their place. */
static void
add_lids(struct path_questions *questions, uint32_t s, uint32_t lid,
         uint32_t lmc, uint32_t model)
{
    for (uint32_t k = 0; lid && k < 1u << lmc && lid + k <= questions->max_lid;
         k++) {
        questions->homes[lid + k] = s;
        questions->models[lid + k] = (uint16_t)(model + k);
    }
}

static void
add_switch(struct path_questions *questions, const struct sf_fabric *fabric,
           uint32_t s, bool is_sample)
{
    const struct sf_node *node = &fabric->nodes[s];
    const struct sf_ib_node *own = sf_ib_node(fabric, s);
    const struct sf_ib_port *first = NULL;

    add_lids(questions, s, own->lid, own->lmc, own->lid);
    for (uint32_t i = 0; i < node->n_ports; i++) {
        uint32_t peer = fabric->ports[node->first_port + i].peer;
        if (peer == SF_NONE || fabric->ports[peer].node < fabric->n_switches) {
            continue;
        }
        const struct sf_ib_port *port = sf_ib_port(fabric, peer);
        if (!port->lid) {
            continue;
        }
        first = first ? first : port;
        bool is_alike = is_sample && port->lmc == first->lmc;
        add_lids(questions, s, port->lid, port->lmc,
                 is_alike ? first->lid : port->lid);
    }
    questions->sources[s] = first ? first->lid : own->lid;
}

/* What was learnt about the model of a LID holds for the LID. */
static void
follow_models(const struct path_questions *questions,
              const struct sf_path_sls *path_sls)
{
    for (uint32_t s = 0; s < path_sls->n_switches; s++) {
        uint8_t *sls = sf_path_sls_of(path_sls, s);
        for (uint32_t lid = 1; lid <= questions->max_lid; lid++) {
            if (questions->models[lid]) {
                sls[lid] = sls[questions->models[lid]];
            }
        }
    }
}

static enum sf_status
ask(const struct path_questions *questions, const struct sf_fabric *fabric,
    const struct sf_path_sls *path_sls, unsigned timeout, struct sf_error *err)
{
    struct sf_live_port port;
    struct sf_path_sls answers = *path_sls;
    struct sf_live_sls_job aims = { &port,
                                    fabric,
                                    &answers,
                                    questions->sources,
                                    questions->homes,
                                    questions->models };
    struct sf_child_job job = { sf_live_read_path_sls, &aims,
                                questions->source, "asking for path SLs",
                                SF_LIVE_NO_DEVICE };
    struct sf_shared_copy copy = { 0 };

    enum sf_status status = sf_live_port_parse(questions->source, &port, err);
    if (status != SF_OK) {
        return status;
    }
    answers.sls =
        sf_share(&copy, answers.sls,
                 (size_t)answers.n_switches * (questions->max_lid + 1));
    if (!answers.sls) {
        return sf_fail(err, SF_ENOMEM, "out of memory for path SLs");
    }
    status = run(&job, timeout, err);
    sf_unshare(&copy, status == SF_OK);
    return status;
}

enum sf_status
sf_live_path_sls(const char *source, const struct sf_fabric *fabric,
                 uint32_t max_lid, bool is_sample, unsigned timeout,
                 struct sf_path_sls **path_slsp, struct sf_error *err)
{
    size_t n = fabric->n_switches, n_lids = (size_t)max_lid + 1;
    struct path_questions questions = {
        source, max_lid, sf_calloc(n, sizeof *questions.sources),
        sf_calloc(n_lids, sizeof *questions.homes),
        sf_calloc(n_lids, sizeof *questions.models)
    };

    enum sf_status status = SF_ENOMEM;

    *path_slsp = NULL;
    if (!questions.sources || !questions.homes || !questions.models) {
        sf_fail(err, SF_ENOMEM, "out of memory for path SLs");
        goto done;
    }
    status = sf_path_sls_make(fabric, max_lid, path_slsp, err);
    if (status != SF_OK || !*path_slsp) {
        goto done;
    }
    for (uint32_t s = 0; s < n; s++) {
        add_switch(&questions, fabric, s, is_sample);
    }
    status = ask(&questions, fabric, *path_slsp, timeout, err);
    if (status == SF_OK) {
        follow_models(&questions, *path_slsp);
    } else {
        sf_path_sls_free(*path_slsp);
        *path_slsp = NULL;
    }

done:
    free(questions.models);
    free(questions.homes);
    free(questions.sources);
    return status;
}

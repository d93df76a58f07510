/* ip_plan.c -- see ip_plan.h. */
#define _GNU_SOURCE
#include "ip_plan.h"
#include "routed.h"

#include <stdlib.h>
#include <string.h>

bool
cli_ip_load(struct cli_ip *ip, const struct cli_args *args, const char *word,
            const struct cli_ip_params *params)
{
    struct sf_ip_params addresses = params->addresses;
    struct sf_error err = { 0 };

    *ip = (struct cli_ip){ 0 };
    double start = cli_seconds();
    ip->routing =
        cli_load_routing(args, word, (struct sf_routing_params){ 0 });
    if (!ip->routing) {
        return false;
    }
    const struct sf_network *network = ip->routing->network;
    addresses.n_layers = ip->routing->routes->n_addresses;
    enum sf_status status = sf_ip_plan_addresses(network->fabric, &addresses,
                                                 &ip->addresses, &err);
    if (status == SF_OK) {
        status = sf_ip_encode(network, ip->routing->routes, &ip->addresses,
                              params->alternates, &ip->tables, &err);
    }
    if (status == SF_OK) {
        status = sf_ip_names_build(network->fabric, &ip->names, &err);
    }
    ip->seconds = cli_seconds() - start;
    if (status != SF_OK) {
        cli_fail("%s", err.text);
    }
    return status == SF_OK;
}

void
cli_ip_clear(struct cli_ip *ip)
{
    sf_ip_names_free(ip->names);
    sf_ip_tables_free(ip->tables);
    sf_routing_free(ip->routing);
}

/* A file of a plan, for cli_write_file(). */
struct file_of {
    const struct sf_ip_plan *plan;
    const struct sf_ip_file *file;
    uint32_t node;
};

static enum sf_status
write_one(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct file_of *of = aux;
    return of->file->write(of->plan, of->node, stream, err);
}

/* Writes the files of one kind of subject into 'folder'. */
static int
write_nodes(const struct sf_ip_plan *plan, enum sf_ip_subject subject,
            const char *folder)
{
    const struct sf_fabric *fabric = plan->network->fabric;
    bool is_all = subject == SF_IP_OF_ALL;
    uint32_t first = subject == SF_IP_OF_HOSTS ? fabric->n_switches : 0;
    uint32_t end = is_all                         ? 1
                   : subject == SF_IP_OF_SWITCHES ? fabric->n_switches
                                                  : fabric->n_nodes;
    int code = cli_make_folder(folder);

    for (struct file_of of = { plan, sf_ip_files, 0 }; of.file->name;
         of.file++) {
        if (of.file->subject != subject ||
            (of.file->needs_lanes && !plan->tables->lanes)) {
            continue;
        }
        for (of.node = first; code == CLI_FINE && of.node < end; of.node++) {
            char name[256];
            (void)snprintf(name, sizeof name, "%s%s",
                           is_all ? "" : plan->names->names[of.node],
                           of.file->name);
            code = cli_write_file(folder, name, write_one, &of);
        }
    }
    return code;
}

/* Whether a file of such a name belongs to a plan. */
static bool
is_ours(void *aux, const char *name)
{
    (void)aux;
    for (const struct sf_ip_file *file = sf_ip_files; file->name; file++) {
        size_t n = strlen(name), ending = strlen(file->name);
        if (n >= ending && strcmp(name + n - ending, file->name) == 0) {
            return true;
        }
    }
    return false;
}

int
cli_ip_write(const struct sf_ip_plan *plan, const char *folder)
{
    static const struct {
        enum sf_ip_subject subject;
        const char *name;
    } folders[] = { { SF_IP_OF_SWITCHES, "switches" },
                    { SF_IP_OF_HOSTS, "hosts" },
                    { SF_IP_OF_ALL, "." } };
    int code = CLI_FINE;

    cli_begin_files();
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *path = cli_join(folder, folders[i].name);
        if (code == CLI_FINE) {
            code =
                path ? write_nodes(plan, folders[i].subject, path) : CLI_ERROR;
        }
        if (code == CLI_FINE) {
            code = cli_remove_others(path, is_ours, NULL);
        }
        free(path);
    }
    return cli_end_files(code);
}

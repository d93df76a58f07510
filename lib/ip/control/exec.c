/* exec.c -- a controller of switches on which 'ip' is run by a command, such
 * as ssh.  Links are looked at every so often, as nobody tells of them. */
#define _GNU_SOURCE
#include "ip/control/control_loop.h"

#include "ip/control/commands.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AT_ONCE 16
#define TIMEOUT 10.0

struct exec {
    struct sf_control_exec params;
    const struct sf_fabric *fabric;
    struct sf_ip_names *names; /* That the network knows switches by. */
    struct sf_ip_addresses addresses;
    double interval, next_look;
    char identity[128];
};

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Puts the name of switch 's' into the command, and 'what' behind it; NULL if
 * memory runs out. */
static char *
make_line(const struct exec *exec, uint32_t s, const char *what)
{
    static const char mark[] = "{switch}";
    const char *name = exec->names->names[s];
    char *line = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&line, &size);

    if (!stream) {
        return NULL;
    }
    const char *rest = exec->params.command;
    for (const char *at; (at = strstr(rest, mark));
         rest = at + sizeof mark - 1) {
        fprintf(stream, "%.*s%s", (int)(at - rest), rest, name);
    }
    fprintf(stream, "%s %s", rest, what);
    if (fclose(stream) != 0) {
        free(line);
        return NULL;
    }
    return line;
}

/* One command for each switch in 'wanted'; where[i] is the switch of number i.
 * Returns how many there are. */
static size_t
make_commands(const struct exec *exec, const bool *wanted, const char *what,
              struct sf_command *commands, uint32_t *where,
              struct sf_error *errors)
{
    size_t n = 0;

    for (uint32_t s = 0; s < exec->fabric->n_switches; s++) {
        if (!wanted[s]) {
            continue;
        }
        commands[n] = (struct sf_command){ .line = make_line(exec, s, what),
                                           .err = &errors[s] };
        if (commands[n].line) {
            where[n++] = s;
        } else {
            (void)sf_fail(&errors[s], SF_ENOMEM, "out of memory");
        }
    }
    return n;
}

static void
run(const struct exec *exec, struct sf_command *commands, size_t n)
{
    sf_commands_run(commands, n,
                    exec->params.n_at_once ? exec->params.n_at_once : AT_ONCE,
                    exec->params.timeout > 0 ? exec->params.timeout : TIMEOUT);
}

/* What is done with the output of a command. */
typedef void use_output(const struct exec *exec, uint32_t s,
                        const struct sf_command *command, void *aux);

/* Runs 'what' on the switches in 'wanted' and uses what they print. */
static void
ask(const struct exec *exec, const bool *wanted, const char *what,
    use_output *use, void *aux, struct sf_error *errors)
{
    uint32_t n_switches = exec->fabric->n_switches;
    struct sf_command *commands = sf_calloc(n_switches, sizeof *commands);
    uint32_t *where = sf_calloc(n_switches, sizeof *where);

    if (commands && where) {
        size_t n = make_commands(exec, wanted, what, commands, where, errors);
        run(exec, commands, n);
        for (size_t i = 0; i < n; i++) {
            if (errors[where[i]].status == SF_OK) {
                use(exec, where[i], &commands[i], aux);
            }
            sf_command_clear(&commands[i]);
        }
    } else {
        for (uint32_t s = 0; s < n_switches; s++) {
            (void)sf_fail(&errors[s], SF_ENOMEM, "out of memory");
        }
    }
    free(where);
    free(commands);
}

static enum sf_status
wait_for_time(void *self, double seconds, bool *hot, struct sf_error *err)
{
    struct exec *exec = self;
    double left = exec->next_look - now();
    double most = seconds < left ? seconds : left;

    (void)err;
    if (most > 0) {
        struct timespec pause = {
            (time_t)most, (long)(1e9 * (most - (double)(time_t)most))
        };
        nanosleep(&pause, NULL);
    }
    if (now() >= exec->next_look) {
        memset(hot, true, exec->fabric->n_switches * sizeof *hot);
        exec->next_look = now() + exec->interval;
    }
    return SF_OK;
}

static void
use_links(const struct exec *exec, uint32_t s,
          const struct sf_command *command, void *aux)
{
    (void)sf_ip_read_links(command->output.n ? command->output.items : "",
                           command->output.n, "what 'ip -j link' printed",
                           exec->fabric, &exec->params.ports, s, aux,
                           command->err);
}

static void
read_links(void *self, const bool *wanted, bool *runs, struct sf_error *errors)
{
    ask(self, wanted, "ip -j link show", use_links, runs, errors);
}

static void
use_routes(const struct exec *exec, uint32_t s,
           const struct sf_command *command, void *aux)
{
    struct sf_route_list *lists = aux;

    (void)sf_ip_read_routes(command->output.n ? command->output.items : "",
                            command->output.n, "what 'ip -j route' printed",
                            exec->fabric, &exec->addresses,
                            &exec->params.ports, s, &lists[s], command->err);
}

static void
read_routes(void *self, const bool *wanted, struct sf_route_list *lists,
            struct sf_error *errors)
{
    const struct exec *exec = self;

    ask(exec, wanted,
        exec->addresses.prefix.address.is_v6 ? "ip -j -6 route show table main"
                                             : "ip -j route show table main",
        use_routes, lists, errors);
}

/* Gives a command the changes of its switch to read. */
static bool
give(const struct exec *exec, const struct sf_push_item *items, size_t n,
     const struct sf_ip_tables *tables, struct sf_command *command)
{
    FILE *stream = open_memstream(&command->input, &command->n_input);

    if (!stream) {
        return false;
    }
    sf_ip_write_changes(items, n, tables, &exec->params.ports, stream);
    return fclose(stream) == 0;
}

static void
write_routes(void *self, const struct sf_push_item *items, size_t n,
             const struct sf_ip_tables *tables, struct sf_error *errors)
{
    const struct exec *exec = self;
    struct sf_command *commands =
        sf_calloc(exec->fabric->n_switches, sizeof *commands);
    size_t n_commands = 0;

    for (size_t i = 0; i < n;) {
        uint32_t s = items[i].change.s;
        size_t end = i;
        while (end < n && items[end].change.s == s) {
            end++;
        }
        struct sf_command *command = &commands[n_commands];
        if (commands && errors[s].status == SF_OK) {
            *command = (struct sf_command){
                .line = make_line(exec, s, "ip -force -batch -"),
                .err = &errors[s],
            };
            if (command->line &&
                give(exec, items + i, end - i, tables, command)) {
                n_commands++;
            } else {
                sf_command_clear(command);
                (void)sf_fail(&errors[s], SF_ENOMEM, "out of memory");
            }
        } else if (!commands) {
            (void)sf_fail(&errors[s], SF_ENOMEM, "out of memory");
        }
        i = end;
    }
    run(exec, commands, n_commands);
    for (size_t i = 0; i < n_commands; i++) {
        sf_command_clear(&commands[i]);
    }
    free(commands);
}

static const struct sf_control_ops ops = {
    .wait = wait_for_time,
    .read_links = read_links,
    .read_routes = read_routes,
    .write = write_routes,
};

static enum sf_status
check(const struct sf_control_exec *params, struct sf_error *err)
{
    if (!strstr(params->command, "{switch}")) {
        return sf_fail(err, SF_EINVAL,
                       "the command '%s' does not say where {switch} stands",
                       params->command);
    }
    return SF_OK;
}

enum sf_status
sf_control_exec(const struct sf_control_exec *exec,
                const struct sf_routing *base,
                const struct sf_ip_addresses *addresses,
                enum sf_ip_alternates alternates,
                const struct sf_control_params *params, struct sf_error *err)
{
    const struct sf_fabric *fabric = base->network->fabric;
    struct exec self = { .params = *exec,
                         .fabric = fabric,
                         .addresses = *addresses,
                         .interval = params->interval };
    struct sf_control_switches switches = { &ops, &self, self.identity };
    struct sf_control_folder folder;
    struct sf_core core = { 0 };
    enum sf_status status = check(exec, err);

    if (status == SF_OK) {
        status = sf_ip_names_build(fabric, &self.names, err);
    }
    if (status == SF_OK) {
        status = sf_control_lock(params, NULL, &folder, err);
    }
    if (status != SF_OK) {
        sf_ip_names_free(self.names);
        return status;
    }
    snprintf(self.identity, sizeof self.identity,
             "%u switches, %u ports, prefix %s", fabric->n_switches,
             fabric->n_ports, sf_ip_prefix_text(addresses->prefix).text);
    status = sf_core_init(&core, base, addresses, alternates, err);
    if (status == SF_OK) {
        status = sf_control_run(&core, &switches, &folder, params, err);
    }
    sf_core_clear(&core);
    sf_control_folder_close(&folder);
    sf_ip_names_free(self.names);
    return status;
}

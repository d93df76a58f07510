/* control_report.c -- what a controller tells, line by line. */
#define _GNU_SOURCE
#include "slimfly/ip_controller.h"

#include <jansson.h>
#include <time.h>

/* The time of now, as 2026-01-31T12:00:00.123Z. */
static void
write_time(char text[40])
{
    struct timespec now;
    struct tm parts = { 0 };
    char date[24];

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text, 40, "%s.%03ldZ", date, now.tv_nsec / 1000000);
}

static const char *
name_of(const struct sf_control_event *event, uint32_t node)
{
    return event->fabric->nodes[node].name;
}

static void
write_link(const struct sf_control_event *event, FILE *stream)
{
    const struct sf_port *a = &event->fabric->ports[event->port];
    const struct sf_port *b = &event->fabric->ports[a->peer];

    fprintf(stream, " %s port %u -- %s port %u", name_of(event, a->node),
            a->number, name_of(event, b->node), b->number);
}

static bool
is_about_routes(const struct sf_control_event *event)
{
    return event->kind == SF_CONTROL_STARTED ||
           event->kind == SF_CONTROL_REPAIRED ||
           event->kind == SF_CONTROL_MENDED;
}

void
sf_control_event_write_text(const struct sf_control_event *event, FILE *stream)
{
    char time[40];

    write_time(time);
    fprintf(stream, "%s %s", time, sf_control_kind_name(event->kind));
    if (event->port != SF_NONE) {
        write_link(event, stream);
    }
    if (event->node != SF_NONE) {
        fprintf(stream, " switch %s", name_of(event, event->node));
    }
    if (is_about_routes(event)) {
        fprintf(stream,
                " %llu route%s changed on %u switch%s in %.0f ms (new tables "
                "%.0f, reading and writing %.0f); %u link%s down",
                (unsigned long long)event->n_routes,
                event->n_routes == 1 ? "" : "s", event->n_switches,
                event->n_switches == 1 ? "" : "es", 1e3 * event->after,
                1e3 * event->repair, 1e3 * event->write, event->n_down,
                event->n_down == 1 ? " is" : "s are");
        if (event->n_silent) {
            fprintf(stream,
                    " as far as known: %u of %u switches %s not answer",
                    event->n_silent, event->fabric->n_switches,
                    event->n_silent == 1 ? "does" : "do");
        }
    }
    if (event->n_unreachable) {
        fprintf(stream, "; %llu pairs of switches have no path",
                (unsigned long long)event->n_unreachable);
    }
    if (event->text) {
        fprintf(stream, ": %s", event->text);
    }
    fputc('\n', stream);
}

static json_t *
end_to_json(const struct sf_control_event *event, uint32_t port)
{
    const struct sf_port *of = &event->fabric->ports[port];

    return json_pack("{s:s, s:I}", "node", name_of(event, of->node), "port",
                     (json_int_t)of->number);
}

enum sf_status
sf_control_event_write_json(const struct sf_control_event *event, FILE *stream,
                            struct sf_error *err)
{
    char time[40];

    write_time(time);
    json_t *root = json_pack("{s:s, s:s, s:I, s:I}", "time", time, "event",
                             sf_control_kind_name(event->kind), "down",
                             (json_int_t)event->n_down, "silent",
                             (json_int_t)event->n_silent);
    if (event->port != SF_NONE) {
        json_object_set_new(
            root, "link",
            json_pack(
                "[o, o]", end_to_json(event, event->port),
                end_to_json(event, event->fabric->ports[event->port].peer)));
    }
    if (event->node != SF_NONE) {
        json_object_set_new(root, "switch",
                            json_string(name_of(event, event->node)));
    }
    if (is_about_routes(event)) {
        json_object_set_new(root, "routes",
                            json_integer((json_int_t)event->n_routes));
        json_object_set_new(root, "switches", json_integer(event->n_switches));
        json_object_set_new(root, "unreachable_pairs",
                            json_integer((json_int_t)event->n_unreachable));
        json_object_set_new(root, "seconds", json_real(event->after));
        json_object_set_new(root, "seconds_for_tables",
                            json_real(event->repair));
        json_object_set_new(root, "seconds_for_switches",
                            json_real(event->write));
    }
    if (event->text) {
        json_object_set_new(root, "text", json_string(event->text));
    }
    if (!root) {
        return sf_fail(err, SF_ENOMEM, "cannot make JSON: out of memory");
    }
    json_dumpf(root, stream, JSON_COMPACT | JSON_REAL_PRECISION(6));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}

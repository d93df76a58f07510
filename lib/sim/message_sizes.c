/* message_sizes.c -- how large messages are, as users write it. */
#include "sim/message_sizes.h"

#include "slimfly/simulation.h"

#include <ctype.h>
#include <string.h>

#define DEFAULT_SIZE (1 << 20)
#define MAX_SIZE     1e15

double
sf_sim_size_read(const char *text, const char *end)
{
    static const char units[] = "KMG";
    double size = 0, place = 1;
    bool has_point = false;

    end = end ? end : text + strlen(text);
    if (text == end || !isdigit((unsigned char)*text)) {
        return 0;
    }
    for (; text < end &&
           (isdigit((unsigned char)*text) || (*text == '.' && !has_point));
         text++) {
        has_point = has_point || *text == '.';
        if (*text != '.') {
            place *= has_point ? 10 : 1;
            size = 10 * size + (*text - '0');
        }
    }
    size /= place;
    const char *unit = text < end ? strchr(units, *text) : NULL;
    for (const char *at = units; unit && at <= unit; at++) {
        size *= 1024;
    }
    text += unit != NULL;
    return text == end && size >= 1 && size <= MAX_SIZE ? size : 0;
}

/* Whether 'workload' is the name of a file, in which anything may stand. */
static bool
is_file(const char *workload)
{
    return strncmp(workload, "file:", 5) == 0 ||
           strncmp(workload, "goal:", 5) == 0;
}

const char *
sf_sim_find_plus(const char *text)
{
    if (strncmp(text, "file:", 5) == 0) {
        return text + strlen(text);
    }
    while (*text && !(*text == '+' && !isdigit((unsigned char)text[1]))) {
        text++;
    }
    return text;
}

size_t
sf_sim_jobs_part(const struct sf_sim_jobs *jobs, uint32_t i,
                 const char **fromp)
{
    const char *text = jobs->workload ? jobs->workload : "";
    const char *end = sf_sim_find_plus(text);

    for (; i > 0 && *end; i--) {
        text = end + 1;
        end = sf_sim_find_plus(text);
    }
    *fromp = text;
    return i == 0 ? (size_t)(end - text) : 0;
}

bool
sf_sim_find_size(const char *workload, const char *end, const char **fromp,
                 const char **top)
{
    static const char key[] = "size=";
    const char *colon = memchr(workload, ':', (size_t)(end - workload));

    if (!colon || is_file(workload)) {
        return false;
    }
    for (const char *at = colon; at && at < end;
         at = memchr(at + 1, ',', (size_t)(end - at - 1))) {
        if (strncmp(at + 1, key, sizeof key - 1) == 0) {
            const char *next = memchr(at + 1, ',', (size_t)(end - at - 1));
            *fromp = at + sizeof key;
            *top = next ? next : end;
            return true;
        }
    }
    return false;
}

bool
sf_sim_jobs_has_size(const struct sf_sim_jobs *jobs)
{
    const char *text = jobs->workload ? jobs->workload : "";
    size_t length = strcspn(text, ":+");

    for (size_t i = 0; sf_workload_kinds[i]; i++) {
        const struct sf_workload_kind *kind = sf_workload_kinds[i];
        if (strlen(kind->name) == length &&
            strncmp(kind->name, text, length) == 0) {
            return kind->has_size;
        }
    }
    return true;
}

double
sf_sim_jobs_size(const struct sf_sim_jobs *jobs)
{
    const char *from, *to;
    double size = 0;

    if (jobs->workload &&
        sf_sim_find_size(jobs->workload, sf_sim_find_plus(jobs->workload),
                         &from, &to)) {
        size = sf_sim_size_read(from, to);
    }
    return size > 0 ? size : jobs->size > 0 ? jobs->size : DEFAULT_SIZE;
}

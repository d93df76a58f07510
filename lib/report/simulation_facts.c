#include "report/simulation_facts.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

typedef const char *fact_fn(const struct sf_simulation_row *row, char *cell);

/* How a fact is found and spoken of. */
struct words {
    fact_fn *of;
    const char *title;   /* Of a column. */
    const char *heading; /* Before it where all share it; */
    const char *before;  /* before it everywhere, */
    const char *after;   /* behind it, */
    const char *one;     /* behind "1"; NULL: the same. */
    uint32_t rank;       /* Above 0: it often follows from others, and names
                          * do without it where they can; the lowest first. */
};

/* "64 KiB": the largest unit of which it is a whole number. */
static const char *
write_bytes(double bytes, char *cell)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
    int unit = 0;

    while (unit < 3 && bytes >= 1024 && fmod(bytes, 1024) == 0) {
        bytes /= 1024;
        unit++;
    }
    snprintf(cell, SF_FACT_SIZE_OF_CELL, "%.9g %s", bytes, units[unit]);
    return cell;
}

static const char *
write_count(uint64_t count, char *cell)
{
    snprintf(cell, SF_FACT_SIZE_OF_CELL, "%llu", (unsigned long long)count);
    return cell;
}

static const char *
write_real(double value, const char *unit, char *cell)
{
    snprintf(cell, SF_FACT_SIZE_OF_CELL, "%.6g%s", value, unit);
    return cell;
}

static const char *
text_or_none(const char *text)
{
    return text ? text : "";
}

static bool
has_packets(const struct sf_simulation_row *row)
{
    return row->params.model == SF_SIM_PACKET;
}

static const char *
network_of(const struct sf_simulation_row *row, char *cell)
{
    (void)cell;
    return text_or_none(row->name);
}

static const char *
routing_of(const struct sf_simulation_row *row, char *cell)
{
    (void)cell;
    return text_or_none(row->routing);
}

static const char *
layers_of(const struct sf_simulation_row *row, char *cell)
{
    return row->n_layers ? write_count(row->n_layers, cell) : "";
}

static const char *
lanes_of(const struct sf_simulation_row *row, char *cell)
{
    (void)cell;
    return text_or_none(row->lanes);
}

static const char *
vls_of(const struct sf_simulation_row *row, char *cell)
{
    return row->n_vls ? write_count(row->n_vls, cell) : "";
}

static const char *
sl_of(const struct sf_simulation_row *row, char *cell)
{
    (void)cell;
    return text_or_none(row->one_sl);
}

static const char *
model_of(const struct sf_simulation_row *row, char *cell)
{
    (void)cell;
    return sf_sim_model_name(row->params.model);
}

static const char *
timing_of(const struct sf_simulation_row *row, char *cell)
{
    (void)cell;
    return has_packets(row) ? sf_sim_timing_name(row->params.timing) : "";
}

static const char *
queues_of(const struct sf_simulation_row *row, char *cell)
{
    (void)cell;
    return has_packets(row) ? sf_sim_queues_name(row->params.queues) : "";
}

static const char *
buffer_of(const struct sf_simulation_row *row, char *cell)
{
    return has_packets(row) ? write_bytes(row->params.net.buffer, cell) : "";
}

static const char *
places_of(const struct sf_simulation_row *row, char *cell)
{
    return has_packets(row) ? write_count(row->result.buffer, cell) : "";
}

static const char *
net_of(const struct sf_simulation_row *row, char *cell)
{
    (void)cell;
    return text_or_none(row->params.net.name);
}

static const char *
mtu_of(const struct sf_simulation_row *row, char *cell)
{
    return write_count(row->params.net.mtu, cell);
}

static const char *
cables_of(const struct sf_simulation_row *row, char *cell)
{
    return !has_packets(row) || row->params.timing != SF_SIM_EXACT ? ""
           : row->params.lengths ? "as planned"
                                 : write_real(row->params.length, " m", cell);
}

static const char *
workload_of(const struct sf_simulation_row *row, char *cell)
{
    (void)cell;
    return text_or_none(row->params.jobs.workload);
}

static const char *
size_of(const struct sf_simulation_row *row, char *cell)
{
    return row->params.jobs.load > 0 ||
                   !sf_sim_jobs_has_size(&row->params.jobs) ||
                   strstr(text_or_none(row->params.jobs.workload), "size=")
               ? ""
               : write_bytes(sf_sim_jobs_size(&row->params.jobs), cell);
}

static const char *
nodes_of(const struct sf_simulation_row *row, char *cell)
{
    return row->params.jobs.nodes && strchr(row->params.jobs.nodes, '+')
               ? row->params.jobs.nodes
               : write_count(row->result.n_hosts, cell);
}

static const char *
placement_of(const struct sf_simulation_row *row, char *cell)
{
    (void)cell;
    return text_or_none(row->params.jobs.placement);
}

static const char *
select_of(const struct sf_simulation_row *row, char *cell)
{
    (void)cell;
    return sf_select_name(row->params.select);
}

static const char *
window_of(const struct sf_simulation_row *row, char *cell)
{
    return has_packets(row) && row->params.window
               ? write_count(row->params.window, cell)
               : "";
}

/* Only stripes heed it, and packets of a load are no messages. */
static const char *
eager_of(const struct sf_simulation_row *row, char *cell)
{
    return row->params.eager && row->params.select == SF_SELECT_STRIPE &&
                   !(row->params.jobs.load > 0)
               ? write_bytes((double)row->params.eager, cell)
               : "";
}

static const char *
overhead_of(const struct sf_simulation_row *row, char *cell)
{
    return row->params.overhead > 0
               ? write_real(1e6 * row->params.overhead, " us", cell)
               : "";
}

static const char *
seed_of(const struct sf_simulation_row *row, char *cell)
{
    return write_count(row->params.seed, cell);
}

static const char *
load_of(const struct sf_simulation_row *row, char *cell)
{
    return row->params.jobs.load > 0
               ? write_real(100 * row->params.jobs.load, " %", cell)
               : "";
}

static const struct words words[SF_N_FACTS] = {
    [SF_FACT_NETWORK] = { network_of, "network", "", "", "", NULL, 0 },
    [SF_FACT_ROUTING] = { routing_of, "routing", "routing ", "", "", NULL, 9 },
    [SF_FACT_LAYERS] = { layers_of, "layers", "", "", " layers", " layer", 0 },
    [SF_FACT_LANES] = { lanes_of, "lanes", "", "lanes ", "", NULL, 3 },
    [SF_FACT_VLS] = { vls_of, "VLs", "", "", " VLs", " VL", 2 },
    [SF_FACT_SL] = { sl_of, "SL", "", "all on SL ", "", NULL, 0 },
    [SF_FACT_MODEL] = { model_of, "model", "", "", " model", NULL, 0 },
    [SF_FACT_TIMING] = { timing_of, "timing", "timing ", "", "", NULL, 4 },
    [SF_FACT_QUEUES] = { queues_of, "queues", "queues ", "", "", NULL, 0 },
    [SF_FACT_BUFFER] = { buffer_of, "buffer", "buffer ", "", " a link", NULL,
                         8 },
    [SF_FACT_PLACES] = { places_of, "packets/VL", "", "", " packets a VL",
                         " packet a VL", 1 },
    [SF_FACT_NET] = { net_of, "net", "net ", "", "", NULL, 0 },
    [SF_FACT_MTU] = { mtu_of, "MTU", "", "MTU ", "", NULL, 5 },
    [SF_FACT_CABLES] = { cables_of, "cables", "", "cables ", "", NULL, 6 },
    [SF_FACT_WORKLOAD] = { workload_of, "workload", "", "", "", NULL, 0 },
    [SF_FACT_SIZE] = { size_of, "size", "messages of ", "", "", NULL, 0 },
    [SF_FACT_NODES] = { nodes_of, "nodes", "", "", " nodes", " node", 0 },
    [SF_FACT_PLACEMENT] = { placement_of, "placement", "placement ", "", "",
                            NULL, 0 },
    [SF_FACT_SELECT] = { select_of, "select", "select ", "", "", NULL, 0 },
    [SF_FACT_WINDOW] = { window_of, "window", "", "window ", "", NULL, 0 },
    [SF_FACT_EAGER] = { eager_of, "eager", "", "eager up to ", "", NULL, 0 },
    [SF_FACT_OVERHEAD] = { overhead_of, "overhead", "", "overhead ", "", NULL,
                           0 },
    [SF_FACT_SEED] = { seed_of, "seed", "", "seed ", "", NULL, 7 },
    [SF_FACT_LOAD] = { load_of, "load", "offered ", "load ", "", NULL, 0 },
};

#define MAX_RANK 9

const char *
sf_fact_title(enum sf_sim_fact fact)
{
    return words[fact].title;
}

const char *
sf_fact_of(const struct sf_simulation_row *row, enum sf_sim_fact fact,
           char cell[SF_FACT_SIZE_OF_CELL])
{
    return words[fact].of(row, cell);
}

/* The first row that has the same as row 'i'. */
static uint32_t
find_same(const struct sf_sim_facts *facts, uint32_t i, enum sf_sim_fact fact)
{
    char cell[SF_FACT_SIZE_OF_CELL], other[SF_FACT_SIZE_OF_CELL];
    const char *text = sf_fact_of(facts->rows[i], fact, cell);
    uint32_t k = 0;

    while (k < i &&
           (facts->same[(size_t)k * SF_N_FACTS + fact] != k ||
            strcmp(sf_fact_of(facts->rows[k], fact, other), text) != 0)) {
        k++;
    }
    return k;
}

/* Whether rows 'a' and 'b' agree in the facts of 'which'. */
static bool
agree(const struct sf_sim_facts *facts, uint32_t a, uint32_t b,
      const bool which[SF_N_FACTS])
{
    const uint32_t *same = facts->same;

    for (uint32_t i = 0; i < SF_N_FACTS; i++) {
        if (which[i] && same[(size_t)a * SF_N_FACTS + i] !=
                            same[(size_t)b * SF_N_FACTS + i]) {
            return false;
        }
    }
    return true;
}

/* Finds what varies, and configurations: rows that agree in all of it but the
 * load. */
static void
find_configs(struct sf_sim_facts *facts)
{
    for (uint32_t i = 0; i < facts->n_rows; i++) {
        for (uint32_t fact = 0; fact < SF_N_FACTS; fact++) {
            uint32_t first = find_same(facts, i, (enum sf_sim_fact)fact);
            facts->same[(size_t)i * SF_N_FACTS + fact] = first;
            facts->varies[fact] = facts->varies[fact] || first != 0;
        }
    }
    memcpy(facts->names, facts->varies, sizeof facts->names);
    facts->names[SF_FACT_LOAD] = false;
    for (uint32_t i = 0; i < facts->n_rows; i++) {
        uint32_t k = 0;
        while (k < facts->n_configs &&
               !agree(facts, facts->firsts[k], i, facts->names)) {
            k++;
        }
        facts->config_of[i] = k;
        if (k == facts->n_configs) {
            facts->firsts[facts->n_configs++] = i;
        }
    }
}

/* Whether the facts of 'names' tell all configurations apart. */
static bool
are_apart(const struct sf_sim_facts *facts)
{
    for (uint32_t i = 0; i < facts->n_configs; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (agree(facts, facts->firsts[i], facts->firsts[k],
                      facts->names)) {
                return false;
            }
        }
    }
    return true;
}

/* Drops from names what they can do without. */
static void
shorten_names(struct sf_sim_facts *facts)
{
    for (uint32_t rank = 1; rank <= MAX_RANK; rank++) {
        for (uint32_t i = 0; i < SF_N_FACTS; i++) {
            if (words[i].rank == rank && facts->names[i]) {
                facts->names[i] = false;
                facts->names[i] = !are_apart(facts);
            }
        }
    }
}

enum sf_status
sf_sim_facts_build(const struct sf_simulation_table *table,
                   struct sf_sim_facts *facts, struct sf_error *err)
{
    size_t n = table->n_rows;

    *facts = (struct sf_sim_facts){
        .table = table,
        .rows = sf_calloc(n, sizeof *facts->rows),
        .config_of = sf_calloc(n, sizeof *facts->config_of),
        .firsts = sf_calloc(n, sizeof *facts->firsts),
        .same = sf_calloc(n * SF_N_FACTS, sizeof *facts->same),
    };
    if (!facts->rows || !facts->config_of || !facts->firsts || !facts->same) {
        sf_sim_facts_clear(facts);
        return sf_fail(err, SF_ENOMEM, "report of %zu simulations", n);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (table->rows[i].is_done) {
            facts->rows[facts->n_rows++] = &table->rows[i];
        }
    }
    find_configs(facts);
    shorten_names(facts);
    return SF_OK;
}

void
sf_sim_facts_clear(struct sf_sim_facts *facts)
{
    free(facts->rows);
    free(facts->config_of);
    free(facts->firsts);
    free(facts->same);
    *facts = (struct sf_sim_facts){ 0 };
}

/* Appends what a row has, in words, to 'text', unless it does not fit. */
static void
append(const struct sf_simulation_row *row, enum sf_sim_fact fact,
       bool is_heading, char *text, size_t size)
{
    char cell[SF_FACT_SIZE_OF_CELL];
    const char *what = sf_fact_of(row, fact, cell);
    const struct words *word = &words[fact];
    size_t used = strlen(text);

    if (!*what) {
        return;
    }
    int n =
        snprintf(text + used, size - used, "%s%s%s%s%s", used ? ", " : "",
                 is_heading ? word->heading : "", word->before, what,
                 word->one && !strcmp(what, "1") ? word->one : word->after);
    if (n < 0 || (size_t)n >= size - used) {
        text[used] = '\0';
    }
}

void
sf_sim_facts_name(const struct sf_sim_facts *facts, uint32_t row,
                  char name[SF_FACT_NAME_SIZE])
{
    char text[2 * SF_FACT_NAME_SIZE] = "";

    for (uint32_t i = 0; i < SF_N_FACTS; i++) {
        if (facts->names[i]) {
            append(facts->rows[row], (enum sf_sim_fact)i, false, text,
                   sizeof text);
        }
    }
    if (!*text) {
        append(facts->rows[row], SF_FACT_NETWORK, false, text, sizeof text);
    }
    if (!*text) {
        snprintf(text, sizeof text, "run %u", row + 1);
    }
    sf_sim_clean(text, name, SF_FACT_NAME_SIZE);
}

bool
sf_sim_facts_shared(const struct sf_sim_facts *facts, enum sf_sim_fact first,
                    enum sf_sim_fact last, char *text, size_t size)
{
    text[0] = '\0';
    for (uint32_t i = first; facts->n_rows && i <= last; i++) {
        if (!facts->varies[i]) {
            append(facts->rows[0], (enum sf_sim_fact)i, true, text, size);
        }
    }
    return text[0] != '\0';
}

/* How many bytes the letter at 'text' has; 0 if it is none. */
static size_t
letter_size(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t n = bytes[0] < 0x80   ? 1
               : bytes[0] < 0xc2 ? 0
               : bytes[0] < 0xe0 ? 2
               : bytes[0] < 0xf0 ? 3
               : bytes[0] < 0xf5 ? 4
                                 : 0;

    for (size_t i = 1; i < n; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Too long a form, surrogates, beyond Unicode, no characters. */
    if (bytes[0] < 0x20 || bytes[0] == 0x7f ||
        (bytes[0] == 0xe0 && bytes[1] < 0xa0) ||
        (bytes[0] == 0xed && bytes[1] >= 0xa0) ||
        (bytes[0] == 0xf0 && bytes[1] < 0x90) ||
        (bytes[0] == 0xf4 && bytes[1] >= 0x90) ||
        (bytes[0] == 0xef && bytes[1] == 0xbf && bytes[2] >= 0xbe)) {
        return 0;
    }
    return n;
}

void
sf_sim_clean(const char *text, char *clean, size_t size)
{
    size_t used = 0;

    while (*text) {
        size_t n = letter_size(text);
        if (used + (n ? n : 1) >= size) {
            break;
        }
        if (n) {
            memcpy(clean + used, text, n);
        } else {
            clean[used] = '?';
        }
        used += n ? n : 1;
        text += n ? n : 1;
    }
    clean[used] = '\0';
}

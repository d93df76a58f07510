/* counters.h -- what the ports of a running fabric have counted: traffic and
 * errors; how that grew between two readings; and which ports are up although
 * nobody behind them answers.
 *
 * Nothing here clears a counter.  Reading needs a fabric that is up, since
 * questions for counters go by LID; all else is arithmetic without a clock. */
#ifndef SLIMFLY_COUNTERS_H
#define SLIMFLY_COUNTERS_H

#include "slimfly/fabric.h"

#pragma GCC visibility push(default)

/* The counters of a port: traffic first, then waiting, then errors. */
enum sf_counter {
    SF_COUNTER_XMIT_DATA, /* Bytes here; devices count words of four. */
    SF_COUNTER_RCV_DATA,
    SF_COUNTER_XMIT_PACKETS,
    SF_COUNTER_RCV_PACKETS,
    SF_COUNTER_UNICAST_XMIT_PACKETS,
    SF_COUNTER_UNICAST_RCV_PACKETS,
    SF_COUNTER_MULTICAST_XMIT_PACKETS,
    SF_COUNTER_MULTICAST_RCV_PACKETS,
    SF_COUNTER_XMIT_WAIT, /* In ticks, whose length depends on the device. */
    SF_COUNTER_SYMBOL_ERRORS,
    SF_COUNTER_LINK_RECOVERIES,
    SF_COUNTER_LINK_DOWNED,
    SF_COUNTER_RCV_ERRORS,
    SF_COUNTER_RCV_REMOTE_ERRORS,
    SF_COUNTER_RCV_RELAY_ERRORS,
    SF_COUNTER_XMIT_DISCARDS,
    SF_COUNTER_XMIT_CONSTRAINT_ERRORS,
    SF_COUNTER_RCV_CONSTRAINT_ERRORS,
    SF_COUNTER_INTEGRITY_ERRORS,
    SF_COUNTER_OVERRUN_ERRORS,
    SF_COUNTER_VL15_DROPPED,
    SF_N_COUNTERS,
};
#define SF_FIRST_ERROR_COUNTER SF_COUNTER_SYMBOL_ERRORS

/* What is to be known of a counter. */
struct sf_counter_kind {
    const char *name;   /* As perfquery prints it, "SymbolErrorCounter"; but
                         * "PortXmitBytes", since it prints words. */
    const char *metric; /* In the name of its metric: "symbol_error". */
    unsigned bits;      /* Where a device has no wider one. */
};
extern const struct sf_counter_kind sf_counter_kinds[SF_N_COUNTERS];

/* The counter called 'name', as perfquery prints it; SF_N_COUNTERS if there is
 * none such. */
enum sf_counter sf_counter_find(const char *name);

/* How a port answered the question for its counters. */
enum sf_answer {
    SF_ANSWER_NOT_ASKED, /* It has no LID, or time was up. */
    SF_ANSWER_NONE,      /* In time. */
    SF_ANSWER_REFUSED,
    SF_ANSWER_GIVEN,
};

/* The counters of one port.  Bit i of a set stands for counter i. */
struct sf_port_counters {
    uint64_t guid;   /* Of its node, */
    uint32_t number; /* and the number of the port there: who it is. */
    enum sf_answer answer;
    double at;          /* When, in seconds since some moment in the past. */
    uint32_t known;     /* Set of counters that the port has, */
    uint32_t saturated; /* and of those that stand at their limit: at least
                         * so many. */
    uint64_t values[SF_N_COUNTERS];
};

/* One reading of all ports. */
struct sf_counters {
    uint32_t n_ports;
    struct sf_port_counters *ports; /* [n_ports] As in the fabric that was
                                     * read: port i is fabric->ports[i]. */
    uint32_t n_by_answer[SF_ANSWER_GIVEN + 1];
};

struct sf_counters_params {
    unsigned timeout_ms; /* For one answer; 0: 500. */
    unsigned n_tries;    /* Times that a question is asked; 0: 3. */
    unsigned timeout;    /* Seconds for all; 0: 60.  What was not read until
                          * then is SF_ANSWER_NOT_ASKED. */
};

/* Reads the counters of all ports of switches and hosts of 'fabric', which has
 * LIDs and which this machine is part of.  'source' is as for sf_is_live()
 * (live.h); 'params' may be NULL.  A node that does not answer is asked for
 * one port only.  Partial results are results: see 'n_by_answer'.
 * SF_ENODEVICE: there is no device for it. */
enum sf_status sf_counters_read(const char *source,
                                const struct sf_fabric *fabric,
                                const struct sf_counters_params *params,
                                struct sf_counters **countersp,
                                struct sf_error *err);

/* For tests and other readers: a reading of 'fabric' in which no port was
 * asked.  sf_counters_tally() sets 'n_by_answer'. */
enum sf_status sf_counters_make(const struct sf_fabric *fabric,
                                struct sf_counters **countersp,
                                struct sf_error *err);
void sf_counters_tally(struct sf_counters *counters);
void sf_counters_free(struct sf_counters *counters);

/* How a port's counters grew from one reading to the next. */
struct sf_port_growth {
    double seconds; /* Between both answers; 0 if one is missing, and then the
                     * sets are empty. */
    uint32_t known; /* Counters whose growth is known, at least in part; */
    uint32_t at_least; /* those that grew by so much or more: they reached
                        * their limit or were reset; */
    uint32_t reset;    /* those that became smaller: somebody cleared them, or
                        * the device was restarted.  Their growth is what they
                        * have counted since. */
    uint64_t grown[SF_N_COUNTERS];
};

struct sf_growths {
    uint32_t n_ports;
    struct sf_port_growth *ports; /* [n_ports] As in the later reading. */
    uint32_t n_resets;            /* Ports with a counter that was reset. */
};

/* Compares two readings, of which 'after' is the later one.  Ports are the
 * same by GUID and number, so the fabric may have changed in between. */
enum sf_status sf_counters_compare(const struct sf_counters *before,
                                   const struct sf_counters *after,
                                   struct sf_growths **growthsp,
                                   struct sf_error *err);
void sf_growths_free(struct sf_growths *growths);

/* What a second of 'growth' brought of 'counter'; 0 if that is not known. */
double sf_growth_rate(const struct sf_port_growth *growth,
                      enum sf_counter counter);

/* Bytes a second that a link of 'rate' ("4xEDR") carries in one direction,
 * after its line code; 0 if the rate is not known. */
double sf_rate_bytes(const char *rate);

/* What is seen through a port of a switch. */
enum sf_probe {
    SF_PROBE_UNKNOWN, /* The switch was not asked or did not answer itself. */
    SF_PROBE_DOWN,    /* The port is down, or nothing is plugged in. */
    SF_PROBE_ANSWERS, /* It is up, and what is behind it answers. */
    SF_PROBE_SILENT,  /* It is up, and nothing behind it answers. */
};

struct sf_port_probe {
    uint64_t guid;   /* Of the switch, */
    uint32_t number; /* and the number of the port. */
    enum sf_probe probe;
};

/* One look through all ports of switches. */
struct sf_probes {
    uint32_t n_ports;
    struct sf_port_probe *ports; /* [n_ports] Those of the switches, which are
                                  * the first of a fabric. */
};

/* Asks through every port of every switch of 'fabric' who is there, by the
 * ports on the way, whatever the forwarding tables say.  'is_wanted', if
 * nonnull, [n_ports of the fabric], says which ports are asked; the others are
 * SF_PROBE_UNKNOWN.  Each question is asked once, for 'params->timeout_ms'. */
enum sf_status sf_live_probe(const char *source,
                             const struct sf_fabric *fabric,
                             const bool *is_wanted,
                             const struct sf_counters_params *params,
                             struct sf_probes **probesp, struct sf_error *err);

/* Probes of 'fabric' that know nothing yet, for tests. */
enum sf_status sf_probes_make(const struct sf_fabric *fabric,
                              struct sf_probes **probesp,
                              struct sf_error *err);
void sf_probes_free(struct sf_probes *probes);

/* A port over several sweeps.  It becomes a black hole when it was silent in
 * 'n_silent' of its last 'n_sweeps' sweeps, and is one until it has answered
 * in as many.  Sweeps in which it was not seen do not count.  A port that is
 * down starts anew: that it is down, others say. */
enum sf_silence_state {
    SF_SILENCE_FINE,
    SF_SILENCE_SUSPECT, /* It was silent lately, but not often enough. */
    SF_SILENCE_BLACK_HOLE,
};

struct sf_silence_port {
    uint64_t guid;
    uint32_t number;
    uint32_t history; /* Bit i: silent i sweeps ago. */
    uint32_t n_seen;  /* Sweeps in it, at most n_sweeps. */
    enum sf_silence_state state;
};

struct sf_silence {
    uint32_t n_silent, n_sweeps; /* 1 to 32; the first is not larger. */
    uint32_t n_ports;
    struct sf_silence_port *ports; /* [n_ports] By GUID, then by number. */
    uint32_t n_black_holes;
};

/* Starts with no port.  SF_EINVAL if the numbers are out of range. */
enum sf_status sf_silence_new(uint32_t n_silent, uint32_t n_sweeps,
                              struct sf_silence **silencep,
                              struct sf_error *err);
void sf_silence_free(struct sf_silence *silence);

/* Adds one sweep.  On failure (SF_ENOMEM) nothing has changed. */
enum sf_status sf_silence_update(struct sf_silence *silence,
                                 const struct sf_probes *probes,
                                 struct sf_error *err);

/* The port 'number' of the switch 'guid', or NULL if it was never seen up. */
const struct sf_silence_port *sf_silence_find(const struct sf_silence *silence,
                                              uint64_t guid, uint32_t number);

#pragma GCC visibility pop
#endif

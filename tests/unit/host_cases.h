/* host_cases.h -- small networks with path sources, for hosts and loads.  A
 * packet has 100 bytes.  In slots it takes a second, so that times read as
 * slots; by events it takes 100 ns. */
#ifndef SF_TEST_HOST_CASES_H
#define SF_TEST_HOST_CASES_H

#include "sim/run.h"

#define PACKET 100 /* Bytes. */

struct host_case {
    struct sf_network *network;
    struct sf_wires *wires;
    struct sf_path_source source;
    struct sf_simulation_params params;
    struct sf_run_setup setup;
    struct sf_program program; /* What tests add to it. */
};

/* One switch with 'n_hosts' hosts.  The first VL of a path is its address, the
 * last one 0. */
struct host_case *star_case(uint32_t n_hosts, uint32_t n_addresses,
                            uint32_t n_vls, uint32_t buffer);

/* Two switches with 'n_hosts' each, joined over 'n_paths' others, which carry
 * one host each: address a leads over the a-th of these.  All on VL 0.  Hosts
 * 0..n_hosts-1 are on the first, the next on the second. */
struct host_case *detour_case(uint32_t n_hosts, uint32_t n_paths,
                              uint32_t buffer);

/* The arc by which address 'a' leaves the first switch of a detour. */
uint32_t detour_arc(const struct host_case *c, uint32_t a);

/* A ring of 'n' switches with a host each; packets go up by number, around, on
 * VL 0, and on the last VL once they are past the last switch. */
struct host_case *ring_case(uint32_t n, uint32_t n_vls, uint32_t buffer);

/* Makes it a case for events, with these delays. */
void make_exact(struct host_case *c, double switch_delay, double cable_delay);

/* The seconds that a packet takes. */
double packet_time(const struct host_case *c);

void host_case_free(struct host_case *c);

/* Adds a message of so many packets; or ends the program. */
uint32_t add_message(struct host_case *c, uint32_t from, uint32_t to,
                     uint32_t n_packets, double delay);
void add_wait(struct host_case *c, uint32_t before, uint32_t after);
void end_program(struct host_case *c);

/* Ends the program and runs it, or fails the test. */
struct sf_run run_case(struct host_case *c);

#endif

/* goal.h -- programs as text in GOAL, the form that LogGOPSim reads
 * (src/LogGOPSim/txt2bin.re of spcl/LogGOPSim):
 *
 *     num_ranks 2
 *     rank 0 {
 *       l1: calc 1000 cpu 0
 *       l2: send 4096b to 1 tag 7 cpu 0 nic 0
 *       l2 requires l1
 *     }
 *     rank 1 {
 *       l1: recv 4096b from 0 tag 7
 *       l2: calc 500
 *       l2 irequires l1
 *     }
 *
 * A statement ends with its line or, here, with a semicolon.  Comments are
 * those of C++.  "requires" waits for an end, "irequires" for a start.  Labels
 * belong to their rank and stand above those who wait for them.
 *
 * What it means here:
 *
 *   calc N     N nanoseconds of a CPU.  "calc 0" takes no CPU: it only joins.
 *   send       Starts when all that it requires is over, whether or not the
 *              receive is posted, and ends when all of it has come.  Without
 *              bytes it has one.  To its own rank it takes no time.
 *   recv       Ends when it is posted and the message has come.
 *   cpu N      Computations of a CPU are one after the other.  Messages take
 *              none of it unless hosts need time for each.
 *   nic N      Is read and means nothing: a host has one link.
 *
 * The n-th receive from a rank with a tag gets the n-th send of that rank with
 * it, in the order of the file.  If any receive of a file names no source or
 * no tag, -1 in its place, goal_replay.h says which message each gets. */
#ifndef SF_SIM_WORKLOADS_GOAL_H
#define SF_SIM_WORKLOADS_GOAL_H

#include "sim/program.h"

#include <stddef.h>
#include <stdio.h>

/* How many ranks the file 'path' has. */
enum sf_status sf_goal_count(const char *path, uint32_t *n_ranksp,
                             struct sf_error *err);

/* Adds the program of the file 'path', of 'n_ranks' ranks, to 'program'; rank
 * i runs on hosts[i].  SF_EPARSE: file, line and what was expected.  The file
 * is not kept in memory: what is needed is proportional to the program. */
enum sf_status sf_goal_read(const char *path, const uint32_t *hosts,
                            uint32_t n_ranks, struct sf_program *program,
                            struct sf_error *err);

/* The same for text, which is changed, and after which there is room for one
 * byte more. */
enum sf_status sf_goal_parse(char *text, size_t length, const char *path,
                             const uint32_t *hosts, uint32_t n_ranks,
                             struct sf_program *program, struct sf_error *err);

/* The line of the operation that message number 'number' of those that
 * sf_goal_read() adds comes from.  The file is read once more: no line is kept
 * for each message, of which there may be hundreds of millions.  SF_EPARSE:
 * the file does not have it any more. */
enum sf_status sf_goal_find(const char *path, const uint32_t *hosts,
                            uint32_t n_ranks, uint32_t number, uint32_t *linep,
                            struct sf_error *err);

/* Writes 'program', which is ended, of 'n_ranks' ranks; rank i runs on
 * hosts[i], and nothing on other hosts.  SF_EINVAL: GOAL cannot say it: a
 * message with a delay, time without a CPU, a wait for a message of others. */
enum sf_status sf_goal_write(const struct sf_program *program,
                             const uint32_t *hosts, uint32_t n_ranks,
                             FILE *stream, struct sf_error *err);

#endif

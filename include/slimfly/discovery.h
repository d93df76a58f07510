/* discovery.h -- fabrics from the tools of InfiniBand, and for them. */
#ifndef SLIMFLY_DISCOVERY_H
#define SLIMFLY_DISCOVERY_H

#include "slimfly/fabric.h"

#include <stdio.h>

#pragma GCC visibility push(default)

/* Reads what ibnetdiscover prints, and netlists of ibsim, which are written
 * in the same way with less in them, from the file 'path' ("-": standard
 * input).  SF_EPARSE says file, line and what was expected. */
enum sf_status sf_ibnetdiscover_read(const char *path,
                                     struct sf_fabric **fabricp,
                                     struct sf_error *err);

/* The same from 'length' bytes of 'text', which are changed; 'path' is for
 * messages. */
enum sf_status sf_ibnetdiscover_parse(char *text, size_t length,
                                      const char *path,
                                      struct sf_fabric **fabricp,
                                      struct sf_error *err);

/* Writes 'fabric' as ibnetdiscover prints it, 'comment' in place of its lines
 * about time and place.  ibsim loads that, and the real ibnetdiscover then
 * prints the same nodes again. */
void sf_ibnetdiscover_write(const struct sf_fabric *fabric,
                            const char *comment, FILE *stream);

/* Writes a netlist for ibsim: the same without what ibsim does not read. */
void sf_ibsim_write(const struct sf_fabric *fabric, const char *comment,
                    FILE *stream);

/* Reads the links that OpenSM dumps (opensm-subnet.lst).  It does not say the
 * LMC: that is taken from opensm-lfts.dump in the same folder, if that is
 * there, and is 0 if not, as it is for sf_subnet_lst_parse(). */
enum sf_status sf_subnet_lst_read(const char *path, struct sf_fabric **fabricp,
                                  struct sf_error *err);
enum sf_status sf_subnet_lst_parse(char *text, size_t length, const char *path,
                                   struct sf_fabric **fabricp,
                                   struct sf_error *err);

/* Discovers through libibnetdisc: 'source' is "live" or the like
 * (sf_is_live()) for the fabric that this machine is part of, or the name of a
 * file: a cache that 'ibnetdiscover
 * --cache' wrote, or text as above, of either kind.  The library is run in a
 * child process, since it waits for ever where nobody answers and aborts on
 * damaged caches; after 'timeout' seconds, or when a signal is caught, the
 * child is ended with all that it started and SF_EIO says so.  SF_ENODEVICE:
 * this machine has no device for it, and later has none either.  Switches and
 * hosts that did not answer are missing from the fabric:
 * '*n_unansweredp', if nonnull, gets the number of questions without an
 * answer. */
enum sf_status sf_fabric_discover(const char *source, unsigned timeout,
                                  struct sf_fabric **fabricp,
                                  uint32_t *n_unansweredp,
                                  struct sf_error *err);

/* The same from the standard output of 'command', run by the shell. */
enum sf_status sf_fabric_discover_by(const char *command, unsigned timeout,
                                     struct sf_fabric **fabricp,
                                     uint32_t *n_unansweredp,
                                     struct sf_error *err);

#pragma GCC visibility pop
#endif

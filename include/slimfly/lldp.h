/* lldp.h -- fabrics from what LLDP tells the switches of an Ethernet about
 * their neighbours, as lldpcli prints it: 'lldpcli -f json0 show neighbors'.
 *
 * A report is what one switch or host says.  A cable is found if its two ends
 * name each other, or if one end names the other and nothing contradicts it.
 * What does not fit together is no cable, and a note of the fabric says why
 * (fabric.h).  The kinds of notes:
 *
 *     silent         planned switches that did not report
 *     one_sided      a cable that one end alone names, though both reported
 *     contradiction  reports that cannot all be true
 *     unknown_port   ports whose names the rule does not make
 *     duplicate      a name or an identity that several systems have
 *     old            a report that is much older than the others */
#ifndef SLIMFLY_LLDP_H
#define SLIMFLY_LLDP_H

#include "slimfly/fabric.h"

#pragma GCC visibility push(default)

/* Whether 'source' is "lldp:PATH". */
bool sf_is_lldp(const char *source);

/* Reads all reports of 'source', "lldp:PATH".  PATH is a folder with a file
 * NAME.json for each switch, or one file ("-": standard input) that holds the
 * reports of all: objects {"NAME": REPORT, ...}, or what 'show chassis' and
 * 'show neighbors' print of one switch after the other.
 *
 * 'planned' is the fabric as it should be: it says what nodes and ports are
 * called (port_names, which must have a rule for switches).  Names may have a
 * domain after them.  What the reports say of ports that are not of the
 * fabric, such as those for management, is left out.
 *
 * On success the caller owns '*fabricp'; its nodes have the names that they
 * were found with, and MAC addresses as GUIDs.  '*n_silentp', if nonnull, gets
 * the number of planned switches that did not report.  SF_EPARSE says file and
 * place; SF_EINVAL: 'planned' has no names of ports, or no port in the reports
 * is called so. */
enum sf_status sf_lldp_read(const char *source,
                            const struct sf_fabric *planned,
                            struct sf_fabric **fabricp, uint32_t *n_silentp,
                            struct sf_error *err);

/* The same from 'length' bytes of 'text', like one file; 'path' is for
 * messages. */
enum sf_status sf_lldp_parse(const char *text, size_t length, const char *path,
                             const struct sf_fabric *planned,
                             struct sf_fabric **fabricp, uint32_t *n_silentp,
                             struct sf_error *err);

/* The same from the standard output of 'command', run by the shell.  If there
 * is {} in it, it is run once for each planned switch, several at a time, with
 * the name in place of {}; one that fails did not report.  SF_EIO if it takes
 * longer than 'timeout' seconds, fails, or fails for all switches. */
enum sf_status sf_lldp_discover_by(const char *command, unsigned timeout,
                                   const struct sf_fabric *planned,
                                   struct sf_fabric **fabricp,
                                   uint32_t *n_silentp, struct sf_error *err);

/* What a port of a fabric that was read here calls itself; NULL if 'fabric' is
 * another one, or the name is not known. */
const char *sf_lldp_port_name(const struct sf_fabric *fabric, uint32_t node,
                              uint32_t number);

/* The side table of such fabrics. */
extern const struct sf_side_kind sf_lldp_side;

#pragma GCC visibility pop
#endif

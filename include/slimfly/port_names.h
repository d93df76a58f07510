/* port_names.h -- what the ports of Ethernet switches and hosts are called.
 *
 * Fabrics number ports from 1.  On Ethernet they have names, and a rule makes
 * names of numbers and numbers of names:
 *
 *     swp%d                       swp1, swp2, swp3 ...
 *     eth%d:first=0               eth0, eth1, eth2 ...
 *     Ethernet%d:first=0,step=4   Ethernet0, Ethernet4, Ethernet8 ...
 *     et-0/0/%d:first=0           et-0/0/0, et-0/0/1 ...
 *     Ethernet1/%d                Ethernet1/1, Ethernet1/2 ...
 *     port%02d                    port01, port02 ... port10 ...
 *
 * Letters, digits and -_./: stand for themselves.  %d is the number, %02d and
 * the like the number with leading zeros.  'first' (default 1) is the number
 * in the name of port 1, and 'step' (default 1) is how much further the next
 * one is.
 *
 * A port may go by other names, too, such as the aliases that SONiC sends to
 * its neighbours.  They follow after bars, and are read but never made:
 *
 *     Ethernet%d:first=0,step=4|etp%d|Eth1/%d */
#ifndef SLIMFLY_PORT_NAMES_H
#define SLIMFLY_PORT_NAMES_H

#include "slimfly/error.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)

#define SF_PORT_NAME_SIZE 64  /* Of a name that a rule makes, with its NUL. */
#define SF_PORT_RULE_SIZE 256 /* Of a rule, with its NUL. */
#define SF_MAX_PORT_FORMS 4   /* A name and three other ones. */

/* One form of names. */
struct sf_port_form {
    char before[32], after[32]; /* What stands around the number. */
    uint32_t n_digits;          /* At least so many, by leading zeros. */
    uint32_t first, step;       /* Step is at least 1. */
};

/* A rule; zeros: there are no names, and ports go by their numbers. */
struct sf_port_names {
    char rule[SF_PORT_RULE_SIZE]; /* As text, without defaults. */
    uint32_t n_forms;
    struct sf_port_form forms[SF_MAX_PORT_FORMS]; /* The first makes names. */
};

/* Reads 'rule'.  SF_EINVAL: 'err' says what was found and what was expected,
 * and '*names' is zeros. */
enum sf_status sf_port_names_parse(const char *rule,
                                   struct sf_port_names *names,
                                   struct sf_error *err);

/* Whether there are names. */
static inline bool
sf_port_names_exist(const struct sf_port_names *names)
{
    return names->n_forms > 0;
}

/* Writes the name of port 'number', from 1, into 'name' and returns it: the
 * number itself if there are no names. */
char *sf_port_name(const struct sf_port_names *names, uint32_t number,
                   char name[SF_PORT_NAME_SIZE]);

/* The number of the port called 'name', in one of the forms and spelled as the
 * rule spells it; 0 if there is no such port. */
uint32_t sf_port_number(const struct sf_port_names *names, const char *name);

/* SF_EINVAL if Linux could not name the interfaces of a node with 'n_ports'
 * ports by this rule: at most 15 characters, without '/' and ':', neither "."
 * nor "..", and not numbers alone, which tools would take for an index. */
enum sf_status sf_port_names_check_linux(const struct sf_port_names *names,
                                         uint32_t n_ports,
                                         struct sf_error *err);

#pragma GCC visibility pop
#endif

/* ibnetdisc.h -- libibnetdisc, for the child process of discover.c. */
#ifndef SF_IB_IBNETDISC_H
#define SF_IB_IBNETDISC_H

#include <stdio.h>

/* Discovers the fabric at 'port', a struct sf_live_port, or loads the cache
 * 'path', and prints it to 'stream' as ibnetdiscover does.  Returns an exit
 * code; what went wrong stands on standard error, where libibnetdisc puts it.
 */
int sf_ibnetdisc_print_live(const void *port, FILE *stream);
int sf_ibnetdisc_print_cache(const void *path, FILE *stream);

#endif

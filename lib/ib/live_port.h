/* live_port.h -- the port by which this machine looks at its fabric. */
#ifndef SF_IB_LIVE_PORT_H
#define SF_IB_LIVE_PORT_H

#include "slimfly/live.h"

struct sf_live_port {
    char device[64]; /* "": the first that will do. */
    int number;      /* 0: likewise. */
};

/* The exit code of a child that cannot use the port now nor later. */
#define SF_LIVE_NO_DEVICE 3

/* Reads what sf_is_live() takes for one. */
enum sf_status sf_live_port_parse(const char *word, struct sf_live_port *port,
                                  struct sf_error *err);

#endif

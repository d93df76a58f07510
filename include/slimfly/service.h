/* service.h -- service levels and virtual lanes: how many there can be.  A
 * service level (SL) is what a sender writes into a packet; a virtual lane
 * (VL) is a queue of a link with buffers of its own. */
#ifndef SLIMFLY_SERVICE_H
#define SLIMFLY_SERVICE_H

#define SF_N_SLS   16
#define SF_MAX_VLS 15 /* VL 15 is for management. */

#endif

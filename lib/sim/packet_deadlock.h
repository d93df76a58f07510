/* packet_deadlock.h -- what searches for deadlock share. */
#ifndef SF_SIM_PACKET_DEADLOCK_H
#define SF_SIM_PACKET_DEADLOCK_H

#include "sim/packet.h"

/* Goes from 'channel' to the one that it 'wants' [n_channels], and so on,
 * until one comes again, and lists those between.  Overwrites 'steps'
 * [n_channels].  On failure 'deadlock' is empty. */
enum sf_status sf_deadlock_list_cycle(const uint32_t *wants, uint32_t *steps,
                                      uint32_t n_channels, uint32_t vl_bits,
                                      uint32_t channel,
                                      struct sf_sim_deadlock *deadlock,
                                      struct sf_error *err);

#endif

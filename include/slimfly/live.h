/* live.h -- what the switches of a running fabric hold, and what its subnet
 * manager tells senders. */
#ifndef SLIMFLY_LIVE_H
#define SLIMFLY_LIVE_H

#include "slimfly/sl2vl.h"
#include "slimfly/tables.h"

#pragma GCC visibility push(default)

/* Whether 'word' stands for the fabric that this machine is part of: "live",
 * or, where it has several ports, "live:DEVICE" or "live:DEVICE:PORT", such as
 * "live:mlx5_0:1". */
bool sf_is_live(const char *word);

/* Reads forwarding and SL-to-VL tables back from all switches of 'fabric', by
 * way of the ports between them and this machine, which is part of it: that
 * works however wrong the tables are.  'source' is as for sf_is_live(). SF_EIO
 * if a switch does not answer within 'timeout' seconds, or if what is found in
 * its place is another.  'sl2vlp' may be NULL: SL-to-VL tables, which take
 * longest, are not read then. */
enum sf_status sf_live_tables(const char *source,
                              const struct sf_fabric *fabric, unsigned timeout,
                              struct sf_tables **tablesp,
                              struct sf_sl2vl **sl2vlp, struct sf_error *err);

/* Asks the subnet manager for the SL from each switch to every LID up to
 * 'max_lid': from its first host, or from itself if it has none.  If
 * 'is_sample', only LIDs of switches and of the first host on each are asked
 * for, and those of the other hosts are taken to be the same. */
enum sf_status
sf_live_path_sls(const char *source, const struct sf_fabric *fabric,
                 uint32_t max_lid, bool is_sample, unsigned timeout,
                 struct sf_path_sls **path_slsp, struct sf_error *err);

#pragma GCC visibility pop
#endif

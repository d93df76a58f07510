/* slimfly.h -- the whole library: one header a stage, in the order in which
 * the data flows. */
#ifndef SLIMFLY_SLIMFLY_H
#define SLIMFLY_SLIMFLY_H

#include "slimfly/audit.h"
#include "slimfly/comparison.h"
#include "slimfly/comparison_files.h"
#include "slimfly/design.h"
#include "slimfly/design_formats.h"
#include "slimfly/discovery.h"
#include "slimfly/error.h"
#include "slimfly/fabric.h"
#include "slimfly/field.h"
#include "slimfly/formats.h"
#include "slimfly/graph.h"
#include "slimfly/guide.h"
#include "slimfly/layers.h"
#include "slimfly/lids.h"
#include "slimfly/path_metrics.h"
#include "slimfly/plan.h"
#include "slimfly/plan_files.h"
#include "slimfly/prices.h"
#include "slimfly/progress.h"
#include "slimfly/properties.h"
#include "slimfly/random.h"
#include "slimfly/route_report.h"
#include "slimfly/sl2vl.h"
#include "slimfly/tables.h"
#include "slimfly/throughput.h"
#include "slimfly/topology.h"
#include "slimfly/traffic.h"
#include "slimfly/verify.h"
#include "slimfly/version.h"
#include "slimfly/watch.h"

#endif

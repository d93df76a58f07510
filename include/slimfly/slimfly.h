/* slimfly.h -- the whole library: one header a stage, in the order in which
 * the data flows. */
#ifndef SLIMFLY_SLIMFLY_H
#define SLIMFLY_SLIMFLY_H

#include "slimfly/error.h"
#include "slimfly/field.h"
#include "slimfly/formats.h"
#include "slimfly/graph.h"
#include "slimfly/layers.h"
#include "slimfly/progress.h"
#include "slimfly/properties.h"
#include "slimfly/random.h"
#include "slimfly/topology.h"
#include "slimfly/version.h"

#endif

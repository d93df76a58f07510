/* results_number.h -- what results are counted by that are kept in a folder
 * and found again by a later run. */
#ifndef SF_BASE_RESULTS_NUMBER_H
#define SF_BASE_RESULTS_NUMBER_H

#include "slimfly/version.h"

/* Raise this when results of the same options change: those of routings, of
 * traffic, of throughput, of simulations, of failures or of evaluations.
 * Between two releases the version does not tell builds apart, and figures of
 * both would stand side by side.  It need not be lowered or reset. */
#define SF_RESULTS_NUMBER "2"

/* What the settings of everything that is kept begin with. */
#define SF_RESULTS_OF SF_VERSION " results=" SF_RESULTS_NUMBER

#endif

/* origin.h -- what made a result: results keep it, so that whoever finds one
 * can make it again. */
#ifndef SLIMFLY_ORIGIN_H
#define SLIMFLY_ORIGIN_H

/* Nothing is owned.  What is NULL is not written. */
struct sf_origin {
    const char *program; /* With its version, "slimfly 0.1.0"; */
    const char *command; /* as it was called. */
};

#endif

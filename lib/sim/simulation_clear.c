#include "slimfly/simulation.h"

#include <stdlib.h>

void
sf_simulation_clear(struct sf_simulation *result)
{
    free(result->cycle);
    free(result->jobs);
    free(result->loads);
    free(result->blocked);
    *result = (struct sf_simulation){ 0 };
}

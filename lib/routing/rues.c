#include "routing/scheme.h"
extern const struct sf_layer_scheme sf_scheme_rues; const struct sf_layer_scheme sf_scheme_rues = {.name="rues"};

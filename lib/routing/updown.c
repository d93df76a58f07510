#include "routing/scheme.h"
extern const struct sf_layer_scheme sf_scheme_updown; const struct sf_layer_scheme sf_scheme_updown = {.name="updown"};

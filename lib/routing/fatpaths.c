#include "routing/scheme.h"
extern const struct sf_layer_scheme sf_scheme_fatpaths; const struct sf_layer_scheme sf_scheme_fatpaths = {.name="fatpaths"};

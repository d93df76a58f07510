#include "routing/scheme.h"
extern const struct sf_layer_scheme sf_scheme_ftree; const struct sf_layer_scheme sf_scheme_ftree = {.name="ftree"};

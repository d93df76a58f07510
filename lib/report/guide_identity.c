/* guide_identity.c -- tells plans apart by what their cables join. */
#include "report/guide_parts.h"

static uint64_t
mix_byte(uint64_t hash, unsigned char byte)
{
    return (hash ^ byte) * UINT64_C(0x100000001b3); /* FNV-1a. */
}

/* With the zero at its end, so that "ab", "c" and "a", "bc" differ. */
static uint64_t
mix_text(uint64_t hash, const char *text)
{
    do {
        hash = mix_byte(hash, (unsigned char)*text);
    } while (*text++);
    return hash;
}

static uint64_t
mix_number(uint64_t hash, uint32_t number)
{
    for (int shift = 0; shift < 32; shift += 8) {
        hash = mix_byte(hash, (unsigned char)(number >> shift));
    }
    return hash;
}

static uint64_t
mix_end(uint64_t hash, const struct sf_plan *plan, uint32_t port)
{
    const struct sf_port *at = &plan->fabric->ports[port];
    const struct sf_node *node = &plan->fabric->nodes[at->node];

    hash = mix_text(hash, plan->racks[node->rack].name);
    hash = mix_number(hash, node->unit);
    hash = mix_text(hash, node->name);
    return mix_number(hash, at->number);
}

/* Lengths and media do not count: a cable that is plugged in as it should be
 * stays so when it could have been shorter. */
uint64_t
sf_guide_identity(const struct sf_plan *plan)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (uint32_t i = 0; i < plan->n_cables; i++) {
        hash = mix_text(hash, plan->cables[i].label);
        hash = mix_end(hash, plan, plan->cables[i].a);
        hash = mix_end(hash, plan, plan->cables[i].b);
    }
    return hash;
}

/* entries.c -- the routes of a switch, and which of them counts. */
#include "ip/audit/held.h"

#include <string.h>

int
sf_ip_entry_compare(const struct sf_ip_entry *a, const struct sf_ip_entry *b)
{
    int order = memcmp(a->to.address.bytes, b->to.address.bytes,
                       sizeof a->to.address.bytes);

    return a->to.length != b->to.length ? (int)b->to.length - a->to.length
           : order                      ? order
           : a->metric != b->metric     ? (a->metric < b->metric ? -1 : 1)
                                        : 0;
}

static int
compare(const void *a, const void *b)
{
    return sf_ip_entry_compare(a, b);
}

void
sf_ip_entries_sort(struct sf_ip_entries *entries)
{
    if (entries->n > 0) {
        qsort(entries->items, entries->n, sizeof *entries->items, compare);
    }
}

/* 'address' without the bits behind the first 'length'. */
static struct sf_ip_prefix
cut(struct sf_ip_address address, uint32_t length)
{
    struct sf_ip_prefix prefix = { .address = address,
                                   .length = (uint8_t)length };
    uint32_t kept = length / 8;

    for (uint32_t i = kept; i < 16; i++) {
        uint32_t mask = i == kept ? 0xff00u >> length % 8 : 0;
        prefix.address.bytes[i] &= (uint8_t)mask;
    }
    return prefix;
}

/* The first entry that does not come before 'key'. */
static size_t
lower_bound(const struct sf_ip_entries *entries, const struct sf_ip_entry *key)
{
    size_t low = 0, high = entries->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sf_ip_entry_compare(&entries->items[middle], key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct sf_ip_entry *
sf_ip_entries_find(const struct sf_ip_entries *entries,
                   struct sf_ip_address address, uint32_t down)
{
    size_t at = 0;

    while (at < entries->n) {
        uint32_t length = entries->items[at].to.length;
        struct sf_ip_entry key = { .to = cut(address, length) };
        for (size_t i = lower_bound(entries, &key); i < entries->n; i++) {
            const struct sf_ip_entry *entry = &entries->items[i];
            if (entry->to.length != length ||
                memcmp(entry->to.address.bytes, key.to.address.bytes, 16) !=
                    0) {
                break;
            }
            if (entry->out == 0 || entry->out != down) {
                return entry;
            }
        }
        if (length == 0) {
            break;
        }
        /* On with the next shorter length. */
        key =
            (struct sf_ip_entry){ .to = { .length = (uint8_t)(length - 1) } };
        at = lower_bound(entries, &key);
    }
    return NULL;
}

#include "oracle/timeline_oracle.h"

/* Whether the last 'n' observations up to 'i' all were 'seen'. */
static bool
were(const bool *is_seen, uint32_t i, uint32_t n, bool seen)
{
    if (i + 1 < n) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        if (is_seen[i - k] != seen) {
            return false;
        }
    }
    return true;
}

/* Whether the condition is open after observation 'i': looks back for the last
 * stretch that was long enough to open or to close it. */
static bool
is_open_after(const bool *is_seen, uint32_t i, uint32_t open_after,
              uint32_t close_after)
{
    for (uint32_t k = i + 1; k-- > 0;) {
        if (were(is_seen, k, open_after, true)) {
            return true;
        }
        if (were(is_seen, k, close_after, false)) {
            return false;
        }
    }
    return false;
}

/* Openings in observations up to 'i' that are younger than the window. */
static uint32_t
count_openings(const bool *opens, const int64_t *times, uint32_t i,
               int64_t window)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k <= i; k++) {
        n += opens[k] && times[k] > times[i] - window;
    }
    return n;
}

uint32_t
oracle_condition(const bool *is_seen, const int64_t *times, uint32_t n,
                 uint32_t open_after, uint32_t close_after, uint32_t flap_n,
                 int64_t flap_window, struct oracle_event *events)
{
    bool opens[4096] = { false };
    bool was_open = false, is_flapping = false;
    uint32_t n_events = 0, n_changes = 0;
    int64_t changed = 0;

    for (uint32_t i = 0; i < n; i++) {
        bool is_open = is_open_after(is_seen, i, open_after, close_after);
        bool is_change = is_open != was_open;
        opens[i] = is_open && is_change;
        changed = is_change ? times[i] : changed;
        if (is_change && is_flapping) {
            n_changes++;
        } else if (opens[i]) {
            uint32_t recent = count_openings(opens, times, i, flap_window);
            is_flapping = recent >= flap_n;
            n_changes = 0;
            events[n_events++] = (struct oracle_event){
                i, is_flapping ? SF_EVENT_FLAPPING : SF_EVENT_BEGAN,
                is_flapping ? recent : 1
            };
        } else if (is_change) {
            events[n_events++] = (struct oracle_event){ i, SF_EVENT_ENDED, 1 };
        }
        if (is_flapping && times[i] - changed >= flap_window) {
            is_flapping = false;
            events[n_events++] = (struct oracle_event){
                i, is_open ? SF_EVENT_STEADY : SF_EVENT_ENDED, n_changes
            };
        }
        was_open = is_open;
    }
    return n_events;
}

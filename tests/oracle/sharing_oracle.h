/* sharing_oracle.h -- what flows get of the links that they share, and when
 * messages end, by the definitions and slowly.  Shares no code with lib/sim/.
 */
#ifndef SF_ORACLE_SHARING_H
#define SF_ORACLE_SHARING_H

#include <stdbool.h>
#include <stdint.h>

/* A flow; it crosses the links l with crosses[l]. */
struct oracle_flow {
    const bool *crosses;
    double weight, bound; /* HUGE_VAL: no bound. */
};

/* Fills 'rates' [n_flows] by water filling: again and again, the link with the
 * least capacity left for the weight that is not frozen yet freezes its flows,
 * unless the bound of a flow is reached before. */
void oracle_share(const double *capacities, uint32_t n_links,
                  const struct oracle_flow *flows, uint32_t n_flows,
                  double *rates);

/* Whether 'rates' are max-min fair by the definition, up to the part
 * 'tolerance': no link is overfull, and each flow is at its bound or crosses a
 * link that is full and where none has more for its weight. */
bool oracle_is_fair(const double *capacities, uint32_t n_links,
                    const struct oracle_flow *flows, uint32_t n_flows,
                    const double *rates, double tolerance);

/* A flow with bytes to send.  Those with the same 'message' are one message,
 * which starts at 'start' or 'start' after the end of message 'after', if that
 * is not SF_NONE. */
struct oracle_sending {
    struct oracle_flow flow;
    double bytes, start;
    uint32_t message, after;
    bool is_pooled; /* All of the message have the same bytes, which they
                     * carry together. */
};

/* Fills 'ends' [n_messages] by steps from one start or end to the next, with
 * the rates of oracle_share() in between; HUGE_VAL for what never ends. */
void oracle_send(const double *capacities, uint32_t n_links,
                 const struct oracle_sending *sendings, uint32_t n_sendings,
                 uint32_t n_messages, double *ends);

#endif

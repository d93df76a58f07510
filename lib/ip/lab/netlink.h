/* netlink.h -- requests to the kernel's network configuration (rtnetlink),
 * hundreds in one write.
 *
 * A request is begun, gets attributes and is ended; it goes out with others
 * when the buffer is full or at a flush.  The kernel answers failures only,
 * and the last request of each write, so that a write costs two system calls
 * whatever is in it.  The socket stays in the network namespace in which it
 * was opened. */
#ifndef SF_IP_LAB_NETLINK_H
#define SF_IP_LAB_NETLINK_H

#include "slimfly/error.h"

#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SF_NETLINK_BUFFER 32768

/* Failures that are none for the caller, by bits. */
enum {
    SF_NETLINK_EXISTS = 1,  /* It is there already. */
    SF_NETLINK_MISSING = 2, /* It is not there. */
};

struct sf_netlink {
    int fd;            /* -1: not open. */
    const char *where; /* The node, for messages; NULL: this machine. */
    int passed_over;   /* SF_NETLINK_... */
    uint32_t sequence; /* Of the last request. */
    size_t used, last; /* Bytes in the buffer; where the last request is. */
    _Alignas(8) char buffer[SF_NETLINK_BUFFER];
};

/* Opens a socket of 'protocol', NETLINK_ROUTE or NETLINK_GENERIC, in the
 * network namespace of the calling thread, and closes it; what was not flushed
 * is lost. */
enum sf_status sf_netlink_open(struct sf_netlink *nl, int protocol,
                               const char *where, struct sf_error *err);
void sf_netlink_close(struct sf_netlink *nl);

/* Begins a request; returns room for the header of its type, of 'size' bytes,
 * all zero. */
void *sf_netlink_begin(struct sf_netlink *nl, uint16_t type, uint16_t flags,
                       size_t size);

/* Adds attributes: bytes, a number, a text.  A nest holds those that are added
 * until it is ended with what its beginning returned. */
void sf_netlink_put(struct sf_netlink *nl, uint16_t type, const void *data,
                    size_t length);
void sf_netlink_put_u32(struct sf_netlink *nl, uint16_t type, uint32_t value);
void sf_netlink_put_text(struct sf_netlink *nl, uint16_t type,
                         const char *text);
size_t sf_netlink_nest(struct sf_netlink *nl, uint16_t type);
void sf_netlink_end_nest(struct sf_netlink *nl, size_t nest);

/* Room for a header inside of a nest, as that of veth's peer. */
void *sf_netlink_reserve(struct sf_netlink *nl, size_t size);

/* Ends a request, and sends what waits if there is little room left; sends
 * what waits.  SF_EIO: the kernel refused a request, of this write or of an
 * earlier one. */
enum sf_status sf_netlink_end(struct sf_netlink *nl, struct sf_error *err);
enum sf_status sf_netlink_flush(struct sf_netlink *nl, struct sf_error *err);

/* Sends the request that was begun, a question, and hands every message of the
 * answer to 'take' until one returns false. */
typedef bool sf_netlink_take(void *aux, const struct nlmsghdr *message);
enum sf_status sf_netlink_ask(struct sf_netlink *nl, sf_netlink_take *take,
                              void *aux, struct sf_error *err);

/* What a message and an attribute hold.  The kernel's own macros for that lose
 * the const. */
static inline const void *
sf_netlink_data(const struct nlmsghdr *message)
{
    return (const char *)message + NLMSG_HDRLEN;
}

static inline const void *
sf_netlink_value(const struct rtattr *attribute)
{
    return (const char *)attribute + RTA_LENGTH(0);
}

/* The attribute 'type' behind the header of 'size' bytes of a message; NULL if
 * there is none. */
const struct rtattr *sf_netlink_find(const struct nlmsghdr *message,
                                     size_t size, uint16_t type);

#endif

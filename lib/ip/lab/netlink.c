#define _GNU_SOURCE
#include "ip/lab/netlink.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Requests are far shorter; one that was begun always fits. */
#define LONGEST 4096

enum sf_status
sf_netlink_open(struct sf_netlink *nl, int protocol, const char *where,
                struct sf_error *err)
{
    const int room = 1 << 20;

    nl->where = where;
    nl->passed_over = 0;
    nl->sequence = 0;
    nl->used = nl->last = 0;
    nl->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
    if (nl->fd < 0) {
        return sf_fail(err, SF_EIO, "%s: no netlink socket: %s",
                       where ? where : "this machine", strerror(errno));
    }
    /* The more answers fit, the better; the default does, too. */
    (void)setsockopt(nl->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    return SF_OK;
}

void
sf_netlink_close(struct sf_netlink *nl)
{
    if (nl->fd >= 0) {
        close(nl->fd);
    }
    nl->fd = -1;
}

static struct nlmsghdr *
last_request(struct sf_netlink *nl)
{
    return (struct nlmsghdr *)(void *)(nl->buffer + nl->last);
}

void *
sf_netlink_reserve(struct sf_netlink *nl, size_t size)
{
    char *room = nl->buffer + nl->used;

    memset(room, 0, NLMSG_ALIGN(size));
    nl->used += NLMSG_ALIGN(size);
    return room;
}

void *
sf_netlink_begin(struct sf_netlink *nl, uint16_t type, uint16_t flags,
                 size_t size)
{
    nl->last = nl->used;
    struct nlmsghdr *head = sf_netlink_reserve(nl, sizeof *head);
    head->nlmsg_type = type;
    head->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
    head->nlmsg_seq = ++nl->sequence;
    return sf_netlink_reserve(nl, size);
}

void
sf_netlink_put(struct sf_netlink *nl, uint16_t type, const void *data,
               size_t length)
{
    struct rtattr *attribute = sf_netlink_reserve(nl, RTA_LENGTH(length));

    attribute->rta_type = type;
    attribute->rta_len = (uint16_t)RTA_LENGTH(length);
    if (length) {
        memcpy(RTA_DATA(attribute), data, length);
    }
}

void
sf_netlink_put_u32(struct sf_netlink *nl, uint16_t type, uint32_t value)
{
    sf_netlink_put(nl, type, &value, sizeof value);
}

void
sf_netlink_put_text(struct sf_netlink *nl, uint16_t type, const char *text)
{
    sf_netlink_put(nl, type, text, strlen(text) + 1);
}

size_t
sf_netlink_nest(struct sf_netlink *nl, uint16_t type)
{
    size_t nest = nl->used;

    sf_netlink_put(nl, type, NULL, 0);
    return nest;
}

void
sf_netlink_end_nest(struct sf_netlink *nl, size_t nest)
{
    struct rtattr *attribute = (struct rtattr *)(void *)(nl->buffer + nest);

    attribute->rta_len = (uint16_t)(nl->used - nest);
}

/* What a request asks for, for messages. */
static const char *
name_request(uint16_t type)
{
    static const struct {
        uint16_t type;
        const char *name;
    } names[] = {
        { RTM_NEWLINK, "an interface" },       { RTM_SETLINK, "an interface" },
        { RTM_DELLINK, "an interface" },       { RTM_NEWADDR, "an address" },
        { RTM_NEWROUTE, "a route" },           { RTM_DELROUTE, "a route" },
        { RTM_NEWNEIGH, "a neighbour" },       { RTM_NEWQDISC, "a rate" },
        { RTM_GETROUTE, "a look at a route" },
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].type == type) {
            return names[i].name;
        }
    }
    return "a request";
}

static bool
is_passed_over(const struct sf_netlink *nl, int code)
{
    return code == 0 ||
           (code == EEXIST && nl->passed_over & SF_NETLINK_EXISTS) ||
           ((code == ENOENT || code == ESRCH || code == ENODEV) &&
            nl->passed_over & SF_NETLINK_MISSING);
}

static enum sf_status
fail_request(const struct sf_netlink *nl, const struct nlmsgerr *answer,
             struct sf_error *err)
{
    return sf_fail(err, SF_EIO, "%s: the kernel refused %s: %s",
                   nl->where ? nl->where : "this machine",
                   name_request(answer->msg.nlmsg_type),
                   strerror(-answer->error));
}

static enum sf_status
send_all(struct sf_netlink *nl, struct sf_error *err)
{
    struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
    ssize_t n;

    do {
        n = sendto(nl->fd, nl->buffer, nl->used, 0, (struct sockaddr *)&kernel,
                   sizeof kernel);
    } while (n < 0 && errno == EINTR);
    nl->used = nl->last = 0;
    return n >= 0 ? SF_OK
                  : sf_fail(err, SF_EIO, "%s: netlink: %s",
                            nl->where ? nl->where : "this machine",
                            strerror(errno));
}

static ssize_t
receive(struct sf_netlink *nl, char *answer, size_t size)
{
    ssize_t n;

    do {
        n = recv(nl->fd, answer, size, 0);
    } while (n < 0 && errno == EINTR);
    return n;
}

/* What is done with answers. */
struct taker {
    struct sf_netlink *nl;
    sf_netlink_take *take; /* NULL: nothing. */
    void *aux;
    bool wants_more;
    enum sf_status status; /* The first failure. */
    struct sf_error *err;
};

/* Takes one message; whether it is the answer to the last request. */
static bool
take_message(struct taker *taker, const struct nlmsghdr *head)
{
    if (head->nlmsg_type == NLMSG_ERROR) {
        const struct nlmsgerr *answer = sf_netlink_data(head);
        if (taker->status == SF_OK &&
            !is_passed_over(taker->nl, -answer->error)) {
            taker->status = fail_request(taker->nl, answer, taker->err);
        }
    } else if (head->nlmsg_type != NLMSG_DONE) {
        taker->wants_more =
            taker->wants_more && taker->take && taker->take(taker->aux, head);
        return false;
    }
    return head->nlmsg_seq == taker->nl->sequence;
}

/* Takes answers until that of the last request has come. */
static enum sf_status
take_answers(struct sf_netlink *nl, sf_netlink_take *take, void *aux,
             struct sf_error *err)
{
    _Alignas(8) static _Thread_local char answers[SF_NETLINK_BUFFER];
    struct taker taker = { nl, take, aux, true, SF_OK, err };

    for (;;) {
        ssize_t n = receive(nl, answers, sizeof answers);
        if (n <= 0) {
            return sf_fail(err, SF_EIO, "%s: netlink: %s",
                           nl->where ? nl->where : "this machine",
                           n ? strerror(errno) : "closed");
        }
        size_t at = 0, end = (size_t)n;
        while (at + NLMSG_HDRLEN <= end) {
            const struct nlmsghdr *head = (const void *)(answers + at);
            if (!NLMSG_OK(head, end - at)) {
                break;
            }
            if (take_message(&taker, head)) {
                return taker.status;
            }
            at += NLMSG_ALIGN(head->nlmsg_len);
        }
    }
}

enum sf_status
sf_netlink_flush(struct sf_netlink *nl, struct sf_error *err)
{
    if (!nl->used) {
        return SF_OK;
    }
    last_request(nl)->nlmsg_flags |= NLM_F_ACK;
    enum sf_status status = send_all(nl, err);
    return status == SF_OK ? take_answers(nl, NULL, NULL, err) : status;
}

enum sf_status
sf_netlink_end(struct sf_netlink *nl, struct sf_error *err)
{
    last_request(nl)->nlmsg_len = (uint32_t)(nl->used - nl->last);
    return nl->used + LONGEST > sizeof nl->buffer ? sf_netlink_flush(nl, err)
                                                  : SF_OK;
}

enum sf_status
sf_netlink_ask(struct sf_netlink *nl, sf_netlink_take *take, void *aux,
               struct sf_error *err)
{
    struct nlmsghdr *head = last_request(nl);

    head->nlmsg_len = (uint32_t)(nl->used - nl->last);
    if (!(head->nlmsg_flags & NLM_F_DUMP)) {
        head->nlmsg_flags |= NLM_F_ACK;
    }
    enum sf_status status = send_all(nl, err);
    return status == SF_OK ? take_answers(nl, take, aux, err) : status;
}

const struct rtattr *
sf_netlink_find(const struct nlmsghdr *message, size_t size, uint16_t type)
{
    uint32_t left = message->nlmsg_len - (uint32_t)NLMSG_SPACE(size);
    const char *at = (const char *)message + NLMSG_SPACE(size);

    for (;;) {
        const struct rtattr *attribute = (const void *)at;
        if (!RTA_OK(attribute, left)) {
            return NULL;
        }
        if (attribute->rta_type == type) {
            return attribute;
        }
        uint32_t step = RTA_ALIGN(attribute->rta_len);
        at += step < left ? step : left;
        left -= step < left ? step : left;
    }
}

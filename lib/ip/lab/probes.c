/* probes.c -- see probes.h.
 *
 * One raw socket in each sender's namespace, and all of them in one loop: a
 * window of probes is under way, and the number of a probe is in its
 * identifier and sequence number, which come back in all answers. */
#define _GNU_SOURCE
#include "ip/lab/probes.h"

#include "base/mem.h"
#include "ip/lab/netns.h"
#include "slimfly/progress.h"

#include <errno.h>
#include <netinet/in.h>
/* These go by what netinet/in.h has defined. */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Probes under way at once: fewer than the kernel keeps in its queues. */
#define WINDOW 256

/* What is not answered when nothing has come for this time is lost, and sent
 * again; each time it is given twice as long. */
#define FIRST_IDLE_MS 250
#define N_ROUNDS      5

#define MOST_EVENTS  64
#define STRIDE       7919 /* Neighbours in the list are not sent together. */
#define IPV4_HEADER  20
#define IPV6_HEADER  40
#define REPORT_EVERY 1024

struct prober {
    struct sf_lab *lab;
    struct sf_lab_probe *probes;
    size_t n;
    int *sockets; /* [hosts] -1: sends nothing. */
    int epoll;
    bool is_v6;
    uint32_t *pending; /* [n] Numbers of probes to send in this round. */
    size_t n_pending, n_sent, n_answered, n_done;
    unsigned round;
};

static uint32_t
node_of(const struct sf_lab *lab, uint32_t host)
{
    const struct sf_network *network = lab->network;

    return network->fabric->ports[network->host_ports[host]].node;
}

/* The answers that count are echo replies and errors. */
static void
filter(int fd, bool is_v6)
{
    const int room = 4 << 20, one = 1;
    struct icmp_filter wanted = { ~((1u << ICMP_ECHOREPLY) |
                                    (1u << ICMP_TIME_EXCEEDED) |
                                    (1u << ICMP_DEST_UNREACH)) };

    if (is_v6) {
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &one, sizeof one);
    } else {
        (void)setsockopt(fd, SOL_RAW, ICMP_FILTER, &wanted, sizeof wanted);
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
}

static enum sf_status
open_socket(struct prober *prober, uint32_t host, struct sf_error *err)
{
    struct sf_lab *lab = prober->lab;
    uint32_t node = node_of(lab, host);
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = host };
    enum sf_status status =
        sf_netns_enter(lab->spaces[node], lab->names->names[node], err);

    if (status != SF_OK) {
        return status;
    }
    int fd = socket(prober->is_v6 ? AF_INET6 : AF_INET,
                    SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC,
                    prober->is_v6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP);
    prober->sockets[host] = fd;
    if (fd < 0 || epoll_ctl(prober->epoll, EPOLL_CTL_ADD, fd, &event)) {
        return sf_fail(err, SF_EIO, "%s: no raw socket: %s",
                       lab->names->names[node], strerror(errno));
    }
    filter(fd, prober->is_v6);
    return SF_OK;
}

static enum sf_status
open_sockets(struct prober *prober, struct sf_error *err)
{
    struct sf_netns_home home;
    enum sf_status status = sf_netns_leave(&home, err);

    if (status != SF_OK) {
        return status;
    }
    for (size_t i = 0; status == SF_OK && i < prober->n; i++) {
        uint32_t host = prober->probes[i].sender;
        if (prober->sockets[host] < 0) {
            status = open_socket(prober, host, err);
        }
    }
    sf_netns_return(&home);
    return status;
}

static socklen_t
write_address(struct sf_ip_address address, struct sockaddr_storage *to)
{
    *to = (struct sockaddr_storage){ 0 };
    if (address.is_v6) {
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)to;
        in6->sin6_family = AF_INET6;
        memcpy(&in6->sin6_addr, address.bytes, 16);
        return sizeof *in6;
    }
    struct sockaddr_in *in = (struct sockaddr_in *)to;
    in->sin_family = AF_INET;
    memcpy(&in->sin_addr, address.bytes, 4);
    return sizeof *in;
}

/* Appends an ancillary item to 'message', whose control buffer has room. */
static void
add_control(struct msghdr *message, int level, int type, const void *data,
            size_t length)
{
    struct cmsghdr *item =
        (struct cmsghdr *)(void *)((char *)message->msg_control +
                                   message->msg_controllen);

    item->cmsg_level = level;
    item->cmsg_type = type;
    item->cmsg_len = CMSG_LEN(length);
    memcpy(CMSG_DATA(item), data, length);
    message->msg_controllen += CMSG_SPACE(length);
}

/* Says by which address and with how many hops a packet is sent. */
static void
add_controls(struct msghdr *message, struct sf_ip_address source, int ttl)
{
    if (source.is_v6) {
        struct in6_pktinfo info = { 0 };
        memcpy(&info.ipi6_addr, source.bytes, 16);
        add_control(message, IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof info);
        add_control(message, IPPROTO_IPV6, IPV6_HOPLIMIT, &ttl, sizeof ttl);
    } else {
        struct in_pktinfo info = { 0 };
        memcpy(&info.ipi_spec_dst, source.bytes, 4);
        add_control(message, IPPROTO_IP, IP_PKTINFO, &info, sizeof info);
        add_control(message, IPPROTO_IP, IP_TTL, &ttl, sizeof ttl);
    }
}

static uint16_t
checksum(const uint8_t *bytes, size_t n)
{
    uint32_t sum = 0;

    for (size_t i = 0; i + 1 < n; i += 2) {
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    }
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t) ~(sum + (sum >> 16));
}

/* The echo request of probe 'number'.  The kernel adds the checksum of ICMPv6
 * itself. */
static void
write_echo(bool is_v6, uint32_t number, uint8_t packet[8])
{
    memset(packet, 0, 8);
    packet[0] = is_v6 ? ICMPV6_ECHO_REQUEST : ICMP_ECHO;
    packet[4] = (uint8_t)(number >> 24);
    packet[5] = (uint8_t)(number >> 16);
    packet[6] = (uint8_t)(number >> 8);
    packet[7] = (uint8_t)number;
    if (!is_v6) {
        uint16_t sum = checksum(packet, 8);
        packet[2] = (uint8_t)(sum >> 8);
        packet[3] = (uint8_t)sum;
    }
}

static struct sf_ip_address
address_of(const struct sf_lab *lab, uint32_t host, uint32_t layer)
{
    struct sf_ip_place place = sf_ip_host_place(lab->network, host);

    return sf_ip_port_address(&lab->tables->addresses, layer, place.s,
                              place.port);
}

/* Sends a probe.  What the sender's own kernel refuses is an answer; what it
 * has no room for is lost. */
static void
send_probe(struct prober *prober, uint32_t number)
{
    struct sf_lab_probe *probe = &prober->probes[number];
    uint32_t n_layers = prober->lab->tables->addresses.n_layers;
    uint32_t back = (probe->layer + prober->round) % n_layers;
    _Alignas(8) char control[128] = { 0 };
    uint8_t packet[8];
    struct sockaddr_storage to;
    struct iovec data = { packet, sizeof packet };
    struct msghdr message = { .msg_name = &to,
                              .msg_iov = &data,
                              .msg_iovlen = 1,
                              .msg_control = control };

    write_echo(prober->is_v6, number, packet);
    message.msg_namelen = write_address(
        address_of(prober->lab, probe->target, probe->layer), &to);
    add_controls(&message, address_of(prober->lab, probe->sender, back),
                 probe->ttl);
    if (sendmsg(prober->sockets[probe->sender], &message, 0) < 0 &&
        (errno == ENETUNREACH || errno == EHOSTUNREACH ||
         errno == EADDRNOTAVAIL || errno == ENETDOWN)) {
        probe->answer = SF_LAB_UNREACHABLE;
        probe->from = node_of(prober->lab, probe->sender);
        prober->n_answered++;
    }
}

static uint32_t
read_number(const uint8_t *echo)
{
    return (uint32_t)echo[4] << 24 | (uint32_t)echo[5] << 16 |
           (uint32_t)echo[6] << 8 | echo[7];
}

/* Which probe a packet answers and how; SF_NONE if none. */
static uint32_t
read_answer(bool is_v6, const uint8_t *packet, size_t n,
            enum sf_lab_answer *answer)
{
    size_t header = is_v6 ? 0 : (size_t)(packet[0] & 15) * 4;
    const uint8_t *icmp = packet + header;

    if (n < header + 8) {
        return SF_NONE;
    }
    if (icmp[0] == (is_v6 ? ICMPV6_ECHO_REPLY : ICMP_ECHOREPLY)) {
        *answer = SF_LAB_ARRIVED;
        return read_number(icmp);
    }
    if (icmp[0] == (is_v6 ? ICMPV6_TIME_EXCEED : ICMP_TIME_EXCEEDED)) {
        *answer = SF_LAB_EXPIRED;
    } else if (icmp[0] == (is_v6 ? ICMPV6_DEST_UNREACH : ICMP_DEST_UNREACH)) {
        *answer = SF_LAB_UNREACHABLE;
    } else {
        return SF_NONE;
    }
    /* The packet that it is about comes behind. */
    size_t quoted = is_v6 ? IPV6_HEADER
                    : n >= header + 8 + IPV4_HEADER
                        ? (size_t)(icmp[8] & 15) * 4
                        : n;
    return n >= header + 8 + quoted + 8 ? read_number(icmp + 8 + quoted)
                                        : SF_NONE;
}

static struct sf_ip_address
read_address(const struct sockaddr_storage *from)
{
    struct sf_ip_address address = { .is_v6 = from->ss_family == AF_INET6 };

    if (address.is_v6) {
        memcpy(address.bytes, &((const struct sockaddr_in6 *)from)->sin6_addr,
               16);
    } else {
        memcpy(address.bytes, &((const struct sockaddr_in *)from)->sin_addr,
               4);
    }
    return address;
}

/* Takes all that has come for a sender; returns whether something has. */
static bool
take_answers(struct prober *prober, uint32_t sender)
{
    uint8_t packet[2048];
    struct sockaddr_storage from;
    bool has_come = false;

    for (;;) {
        socklen_t length = sizeof from;
        enum sf_lab_answer answer = SF_LAB_NO_ANSWER;
        ssize_t n = recvfrom(prober->sockets[sender], packet, sizeof packet, 0,
                             (struct sockaddr *)&from, &length);
        if (n < 0 && errno == EAGAIN) {
            return has_come;
        }
        uint32_t number =
            n >= 1 ? read_answer(prober->is_v6, packet, (size_t)n, &answer)
                   : SF_NONE;
        if (number >= prober->n || prober->probes[number].sender != sender ||
            prober->probes[number].answer) {
            continue;
        }
        uint32_t layer;
        prober->probes[number].answer = (uint8_t)answer;
        prober->probes[number].from = sf_ip_find_node(
            &prober->lab->tables->addresses, prober->lab->network->fabric,
            read_address(&from), &layer);
        prober->n_answered++;
        has_come = true;
    }
}

/* Waits for answers; false if nothing comes for a time. */
static bool
await_answers(struct prober *prober)
{
    struct epoll_event events[MOST_EVENTS];
    int patience = FIRST_IDLE_MS << prober->round;
    bool has_come = false;

    do {
        int n = epoll_wait(prober->epoll, events, MOST_EVENTS, patience);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        for (int i = 0; i < n; i++) {
            has_come |= take_answers(prober, events[i].data.u32);
        }
    } while (!has_come);
    return true;
}

/* Sends what is pending, at most a window at a time. */
static void
run_round(struct prober *prober)
{
    size_t given_up = 0;

    prober->n_sent = prober->n_answered = 0;
    while (prober->n_answered + given_up < prober->n_pending) {
        while (prober->n_sent < prober->n_pending &&
               prober->n_sent < prober->n_answered + given_up + WINDOW) {
            send_probe(prober, prober->pending[prober->n_sent++]);
        }
        if (prober->n_answered + given_up < prober->n_sent &&
            !await_answers(prober)) {
            given_up = prober->n_sent - prober->n_answered;
        }
        if (prober->n_answered % REPORT_EVERY < WINDOW) {
            sf_progress_report("sending probes",
                               prober->n_done + prober->n_answered, prober->n);
        }
    }
    prober->n_done += prober->n_answered;
}

static size_t
common_divisor(size_t a, size_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

/* Finds what is still to be sent, in an order that spreads over senders. */
static void
list_pending(struct prober *prober)
{
    size_t n = prober->n, step = STRIDE;

    while (common_divisor(step, n) != 1) {
        step++;
    }
    prober->n_pending = 0;
    for (size_t i = 0, at = 0; i < n; i++) {
        if (!prober->probes[at].answer &&
            !(prober->round && prober->probes[at].is_optional)) {
            prober->pending[prober->n_pending++] = (uint32_t)at;
        }
        at = (at + step) % n;
    }
}

static enum sf_status
run_rounds(struct prober *prober, uint64_t *lostp, struct sf_error *err)
{
    enum sf_status status = open_sockets(prober, err);

    *lostp = 0;
    for (; status == SF_OK && prober->round < N_ROUNDS; prober->round++) {
        list_pending(prober);
        *lostp += prober->round ? prober->n_pending : 0;
        if (!prober->n_pending) {
            break;
        }
        run_round(prober);
    }
    return status;
}

enum sf_status
sf_lab_send_probes(struct sf_lab *lab, struct sf_lab_probe *probes, size_t n,
                   uint64_t *lostp, struct sf_error *err)
{
    uint32_t n_hosts = sf_network_count_hosts(lab->network);
    struct prober prober = {
        .lab = lab,
        .probes = probes,
        .n = n,
        .sockets = sf_calloc(n_hosts, sizeof *prober.sockets),
        .pending = sf_calloc(n, sizeof *prober.pending),
        .epoll = epoll_create1(EPOLL_CLOEXEC),
        .is_v6 = lab->tables->addresses.prefix.address.is_v6,
    };
    enum sf_status status = SF_OK;

    for (uint32_t h = 0; prober.sockets && h < n_hosts; h++) {
        prober.sockets[h] = -1;
    }
    if (!prober.sockets || !prober.pending) {
        status = sf_fail(err, SF_ENOMEM, "%zu probes", n);
    } else if (prober.epoll < 0) {
        status = sf_fail(err, SF_EIO, "epoll: %s", strerror(errno));
    } else {
        status = run_rounds(&prober, lostp, err);
    }
    for (uint32_t h = 0; prober.sockets && h < n_hosts; h++) {
        if (prober.sockets[h] >= 0) {
            close(prober.sockets[h]);
        }
    }
    if (prober.epoll >= 0) {
        close(prober.epoll);
    }
    free(prober.pending);
    free(prober.sockets);
    return status;
}

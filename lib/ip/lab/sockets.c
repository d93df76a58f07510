/* sockets.c -- real TCP flows through a lab, from one process with sockets in
 * all hosts: so that hundreds start together, also on a machine with two
 * cores. */
#define _GNU_SOURCE
#include "ip/lab/measure.h"

#include "base/mem.h"
#include "ip/lab/netns.h"
#include "slimfly/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mptcp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PORT        5201
#define CONNECT_MS  60000 /* A guard against what hangs. */
#define MOST_EVENTS 256
#define CHUNK       65536
#define WAIT_MS     20
/* Room at the receiver.  MPTCP needs it where paths are unequal: what came by
 * a fast one waits for what comes by a slow one. */
#define RECEIVE_BUFFER 2000000
#define SUBFLOW_TRIES  250 /* Every WAIT_MS. */

#ifndef SOL_MPTCP
#define SOL_MPTCP 284
#endif
#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

/* A connection: a socket at each end. */
struct connection {
    int sender, receiver;
    uint32_t flow;
};

struct run {
    struct sf_lab *lab;
    const struct sf_lab_flows *flows;
    const struct sf_lab_measure_params *params;
    int *listeners; /* [hosts] -1: receives nothing. */
    uint32_t n;
    struct connection *connections; /* [n] */
    int epoll;
    uint64_t *bytes; /* [flows] Received since the count began. */
    char *chunk;
};

static double
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint32_t
node_of(const struct sf_lab *lab, uint32_t host)
{
    return lab->network->fabric->ports[lab->network->host_ports[host]].node;
}

static const char *
name_of(const struct sf_lab *lab, uint32_t host)
{
    return lab->names->names[node_of(lab, host)];
}

/* A socket address of 'host' in 'layer'. */
static socklen_t
write_address(const struct sf_lab *lab, uint32_t host, uint32_t layer,
              uint16_t port, struct sockaddr_storage *to)
{
    struct sf_ip_place place = sf_ip_host_place(lab->network, host);
    struct sf_ip_address address = sf_ip_port_address(
        &lab->tables->addresses, layer, place.s, place.port);

    *to = (struct sockaddr_storage){ 0 };
    if (address.is_v6) {
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)to;
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons(port);
        memcpy(&in6->sin6_addr, address.bytes, 16);
        return sizeof *in6;
    }
    struct sockaddr_in *in = (struct sockaddr_in *)to;
    in->sin_family = AF_INET;
    in->sin_port = htons(port);
    memcpy(&in->sin_addr, address.bytes, 4);
    return sizeof *in;
}

static enum sf_status
fail_socket(const struct run *run, uint32_t host, const char *what,
            struct sf_error *err)
{
    return run->flows->is_mptcp && errno == EPROTONOSUPPORT
               ? sf_fail(err, SF_EIO, "this kernel has no MPTCP")
               : sf_fail(err, SF_EIO, "%s: %s: %s", name_of(run->lab, host),
                         what, strerror(errno));
}

/* A socket in the namespace of 'host'. */
static enum sf_status
open_socket(const struct run *run, uint32_t host, int *fdp,
            struct sf_error *err)
{
    struct sf_lab *lab = run->lab;
    bool is_v6 = lab->tables->addresses.prefix.address.is_v6;
    enum sf_status status = sf_netns_enter(lab->spaces[node_of(lab, host)],
                                           name_of(lab, host), err);

    if (status != SF_OK) {
        return status;
    }
    *fdp = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC,
                  run->flows->is_mptcp ? IPPROTO_MPTCP : IPPROTO_TCP);
    return *fdp >= 0 ? SF_OK : fail_socket(run, host, "no socket", err);
}

static enum sf_status
listen_at(struct run *run, uint32_t host, struct sf_error *err)
{
    const int one = 1, room = RECEIVE_BUFFER;
    bool is_v6 = run->lab->tables->addresses.prefix.address.is_v6;
    struct sockaddr_in any = { .sin_family = AF_INET,
                               .sin_port = htons(PORT) };
    struct sockaddr_in6 any6 = { .sin6_family = AF_INET6,
                                 .sin6_port = htons(PORT) };
    int *fd = &run->listeners[host];

    if (*fd >= 0) {
        return SF_OK;
    }
    enum sf_status status = open_socket(run, host, fd, err);
    if (status != SF_OK) {
        return status;
    }
    (void)setsockopt(*fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    (void)setsockopt(*fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
    int refused = is_v6 ? bind(*fd, (struct sockaddr *)&any6, sizeof any6)
                        : bind(*fd, (struct sockaddr *)&any, sizeof any);
    return refused || listen(*fd, 1024)
               ? fail_socket(run, host, "no listener", err)
               : SF_OK;
}

/* Waits until 'fd' is ready. */
static bool
await(int fd, short what)
{
    struct pollfd item = { fd, what, 0 };
    int n;

    do {
        n = poll(&item, 1, CONNECT_MS);
    } while (n < 0 && errno == EINTR);
    errno = n == 0 ? ETIMEDOUT : errno;
    return n > 0;
}

static void
set_nonblocking(int fd)
{
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/* Connects by the address of 'layer' at both ends. */
static bool
connect_in(const struct run *run, const struct connection *connection,
           uint32_t layer)
{
    uint32_t from = run->flows->from[connection->flow];
    uint32_t to = run->flows->to[connection->flow];
    struct sockaddr_storage own, other;
    socklen_t n_own = write_address(run->lab, from, layer, 0, &own);
    socklen_t n_other = write_address(run->lab, to, layer, PORT, &other);
    int problem = 0;
    socklen_t n_problem = sizeof problem;

    set_nonblocking(connection->sender);
    if (bind(connection->sender, (struct sockaddr *)&own, n_own) ||
        (connect(connection->sender, (struct sockaddr *)&other, n_other) &&
         errno != EINPROGRESS) ||
        !await(connection->sender, POLLOUT) ||
        getsockopt(connection->sender, SOL_SOCKET, SO_ERROR, &problem,
                   &n_problem)) {
        return false;
    }
    errno = problem;
    return problem == 0;
}

static enum sf_status
open_connection(struct run *run, struct connection *connection, uint32_t layer,
                struct sf_error *err)
{
    uint32_t from = run->flows->from[connection->flow];
    uint32_t to = run->flows->to[connection->flow];
    enum sf_status status = listen_at(run, to, err);

    if (status == SF_OK) {
        status = open_socket(run, from, &connection->sender, err);
    }
    if (status != SF_OK) {
        return status;
    }
    if (!connect_in(run, connection, layer)) {
        return fail_socket(run, from, "no connection", err);
    }
    int listener = run->listeners[to];
    connection->receiver =
        await(listener, POLLIN)
            ? accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)
            : -1;
    return connection->receiver >= 0
               ? SF_OK
               : fail_socket(run, to, "no connection came", err);
}

static enum sf_status
check_cancelled(const struct run *run, struct sf_error *err)
{
    return run->params->is_cancelled && run->params->is_cancelled()
               ? sf_fail(err, SF_EIO, "interrupted")
               : SF_OK;
}

static enum sf_status
open_connections(struct run *run, struct sf_error *err)
{
    uint32_t per_flow = run->flows->is_mptcp ? 1 : run->flows->n_layers;
    struct sf_netns_home home;
    enum sf_status status = sf_netns_leave(&home, err);

    if (status != SF_OK) {
        return status;
    }
    for (uint32_t i = 0; status == SF_OK && i < run->n; i++) {
        sf_progress_report("connecting", i, run->n);
        run->connections[i].flow = i / per_flow;
        status = check_cancelled(run, err);
        if (status == SF_OK) {
            status =
                open_connection(run, &run->connections[i], i % per_flow, err);
        }
    }
    sf_netns_return(&home);
    return status;
}

/* Subflows beside the first of an MPTCP connection. */
static uint32_t
count_subflows(int fd)
{
    struct mptcp_info info = { 0 };
    socklen_t length = sizeof info;

    return getsockopt(fd, SOL_MPTCP, MPTCP_INFO, &info, &length)
               ? 0
               : info.mptcpi_subflows;
}

/* Waits for the subflows of MPTCP, which come up after the first data; counts
 * those that do not. */
static uint32_t
await_subflows(const struct run *run)
{
    uint32_t n_missing = 0;

    for (uint32_t i = 0; i < run->n; i++) {
        (void)!write(run->connections[i].sender, "", 1);
    }
    for (int k = 0; k < SUBFLOW_TRIES; k++) {
        n_missing = 0;
        for (uint32_t i = 0; i < run->n; i++) {
            uint32_t n = count_subflows(run->connections[i].sender) + 1;
            n_missing +=
                n < run->flows->n_layers ? run->flows->n_layers - n : 0;
        }
        if (!n_missing) {
            break;
        }
        poll(NULL, 0, WAIT_MS);
    }
    return n_missing;
}

/* Item 2i is the sender of connection i, 2i + 1 its receiver. */
static enum sf_status
watch(struct run *run, struct sf_error *err)
{
    for (uint32_t i = 0; i < 2 * run->n; i++) {
        const struct connection *connection = &run->connections[i / 2];
        struct epoll_event event = { .events = i % 2 ? EPOLLIN : EPOLLOUT,
                                     .data.u32 = i };
        if (epoll_ctl(run->epoll, EPOLL_CTL_ADD,
                      i % 2 ? connection->receiver : connection->sender,
                      &event)) {
            return sf_fail(err, SF_EIO, "epoll: %s", strerror(errno));
        }
    }
    return SF_OK;
}

/* Feeds a sender or drains a receiver; false if the connection broke. */
static bool
serve(struct run *run, uint32_t item)
{
    const struct connection *connection = &run->connections[item / 2];
    ssize_t n;

    if (item % 2) {
        n = recv(connection->receiver, run->chunk, CHUNK, 0);
        run->bytes[connection->flow] += n > 0 ? (uint64_t)n : 0;
    } else {
        n = send(connection->sender, run->chunk, CHUNK, MSG_NOSIGNAL);
    }
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Lets data flow until 'end'. */
static enum sf_status
flow_until(struct run *run, double end, struct sf_error *err)
{
    struct epoll_event events[MOST_EVENTS];
    enum sf_status status = SF_OK;

    while (status == SF_OK && now() < end) {
        int n = epoll_wait(run->epoll, events, MOST_EVENTS, WAIT_MS);
        for (int i = 0; i < n && status == SF_OK; i++) {
            uint32_t item = events[i].data.u32;
            uint32_t flow = run->connections[item / 2].flow;
            if (!serve(run, item)) {
                status = fail_socket(run, run->flows->from[flow],
                                     "connection broke", err);
            }
        }
        if (status == SF_OK) {
            status = check_cancelled(run, err);
        }
    }
    return status;
}

static enum sf_status
count_bytes(struct run *run, struct sf_lab_rates *result, struct sf_error *err)
{
    double start = now();
    enum sf_status status = watch(run, err);

    sf_progress_report("letting flows settle", 0, 0);
    if (status == SF_OK) {
        status = flow_until(run, start + run->params->warmup, err);
    }
    sf_progress_report("counting bytes", 0, 0);
    memset(run->bytes, 0, run->flows->n * sizeof *run->bytes);
    start = now();
    if (status == SF_OK) {
        status = flow_until(run, start + run->params->seconds, err);
    }
    double seconds = now() - start;
    for (uint32_t f = 0; f < run->flows->n; f++) {
        result->measured[f] = 8 * (double)run->bytes[f] / seconds;
    }
    return status;
}

/* Ends a connection at once, so that what it still holds does not disturb who
 * comes next. */
static void
close_now(int fd)
{
    const struct linger none = { 1, 0 };

    if (fd >= 0) {
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
        close(fd);
    }
}

static void
clear(struct run *run)
{
    for (uint32_t i = 0; run->connections && i < run->n; i++) {
        close_now(run->connections[i].sender);
        close_now(run->connections[i].receiver);
    }
    for (uint32_t h = 0;
         run->listeners && h < sf_network_count_hosts(run->lab->network);
         h++) {
        if (run->listeners[h] >= 0) {
            close(run->listeners[h]);
        }
    }
    if (run->epoll >= 0) {
        close(run->epoll);
    }
    free(run->chunk);
    free(run->bytes);
    free(run->connections);
    free(run->listeners);
}

/* Makes room for all; sockets are not open yet. */
static bool
make_room(struct run *run)
{
    uint32_t n_hosts = sf_network_count_hosts(run->lab->network);

    run->listeners = sf_calloc(n_hosts, sizeof *run->listeners);
    run->connections = sf_calloc(run->n, sizeof *run->connections);
    run->bytes = sf_calloc(run->flows->n, sizeof *run->bytes);
    run->chunk = sf_calloc(CHUNK, 1);
    for (uint32_t h = 0; run->listeners && h < n_hosts; h++) {
        run->listeners[h] = -1;
    }
    for (uint32_t i = 0; run->connections && i < run->n; i++) {
        run->connections[i].sender = run->connections[i].receiver = -1;
    }
    run->epoll = epoll_create1(EPOLL_CLOEXEC);
    return run->listeners && run->connections && run->bytes && run->chunk &&
           run->epoll >= 0;
}

enum sf_status
sf_lab_send_flows(struct sf_lab *lab, const struct sf_lab_flows *flows,
                  const struct sf_lab_measure_params *params,
                  struct sf_lab_rates *result, struct sf_error *err)
{
    uint32_t n_hosts = sf_network_count_hosts(lab->network);
    struct run run = { .lab = lab,
                       .flows = flows,
                       .params = params,
                       .n = flows->n * (flows->is_mptcp ? 1 : flows->n_layers),
                       .epoll = -1 };
    enum sf_status status = sf_lab_need_files(
        lab->network->fabric->n_nodes + n_hosts + 2 * run.n, err);

    if (status == SF_OK && !make_room(&run)) {
        status = sf_fail(err, SF_ENOMEM, "%u connections", run.n);
    }
    if (status == SF_OK) {
        status = open_connections(&run, err);
    }
    if (status == SF_OK) {
        result->n_connections = run.n;
        result->n_paths_missing = flows->is_mptcp ? await_subflows(&run) : 0;
        status = count_bytes(&run, result, err);
    }
    clear(&run);
    return status;
}

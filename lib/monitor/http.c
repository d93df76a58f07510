/* http.c -- the web server (http.h), by libmicrohttpd. */
#define _GNU_SOURCE
#include "monitor/http.h"

#include "base/mem.h"
#include "monitor/unconst.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Seconds after which a client that takes nothing is given up. */
#define IDLE_SECONDS 30
/* Milliseconds after which a browser tries a lost stream again. */
#define RETRY_MS "3000"

static const struct {
    const char *path, *type;
} documents[SF_HTTP_N_DOCUMENTS] = {
    [SF_HTTP_PAGE] = { "/", "text/html; charset=utf-8" },
    [SF_HTTP_SCRIPT] = { "/monitor.js", "text/javascript; charset=utf-8" },
    [SF_HTTP_STYLE] = { "/monitor.css", "text/css; charset=utf-8" },
    [SF_HTTP_PLAN] = { "/plan.json", "application/json" },
    [SF_HTTP_STATE] = { "/state.json", "application/json" },
    [SF_HTTP_EVENTS] = { "/events.json", "application/json" },
    [SF_HTTP_METRICS] = { "/metrics",
                          "text/plain; version=0.0.4; charset=utf-8" },
};

/* A frame of the stream. */
struct frame {
    uint64_t id; /* 0: none. */
    char *text;  /* NULL: not used yet. */
};

/* A client of the stream of events. */
struct stream {
    struct sf_http *http;
    struct MHD_Connection *connection;
    struct stream *next, *previous;
    uint64_t position; /* Of the next frame of the ring. */
    bool is_waiting;   /* Its connection is suspended. */
    bool wants_beat;
    char *sending; /* What is being sent; owned. */
    size_t offset, length;
};

struct sf_http {
    struct MHD_Daemon *daemon;
    struct sf_http_params params;
    char *token;
    int socket;
    uint16_t port;
    pthread_mutex_t lock; /* Of all that follows. */
    struct MHD_Response *documents[SF_HTTP_N_DOCUMENTS];
    struct frame ring[SF_HTTP_RING];
    uint64_t position; /* Frames so far. */
    struct stream *streams;
    uint32_t n_streams;
    uint64_t n_requests;
    bool is_ending;
};

/* What every answer says: nothing is loaded from elsewhere, nothing is shown
 * inside of another page, nothing is kept. */
static void
add_headers(struct MHD_Response *response, const char *type)
{
    static const char *const headers[][2] = {
        { "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; "
          "connect-src 'self'; img-src data:; base-uri 'none'; form-action "
          "'self'; frame-ancestors 'none'" },
        { "X-Content-Type-Options", "nosniff" },
        { "Referrer-Policy", "no-referrer" },
        { "Cross-Origin-Resource-Policy", "same-origin" },
        { "Cross-Origin-Opener-Policy", "same-origin" },
        { "Cache-Control", "no-store" },
    };

    MHD_add_response_header(response, "Content-Type", type);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    }
}

/* Answers with a sentence, and one more header if 'name' is nonnull. */
static enum MHD_Result
answer_text(struct MHD_Connection *connection, unsigned code, const char *text,
            const char *name, const char *value)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        strlen(text), sf_unconst(text), MHD_RESPMEM_MUST_COPY);
    if (!response) {
        return MHD_NO;
    }
    add_headers(response, "text/plain; charset=utf-8");
    if (name) {
        MHD_add_response_header(response, name, value);
    }
    enum MHD_Result result = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result
answer_document(struct sf_http *http, struct MHD_Connection *connection,
                enum sf_http_document document)
{
    enum MHD_Result result = MHD_NO;

    pthread_mutex_lock(&http->lock);
    bool is_there = http->documents[document] != NULL;
    if (is_there) {
        result = MHD_queue_response(connection, MHD_HTTP_OK,
                                    http->documents[document]);
    }
    pthread_mutex_unlock(&http->lock);
    return is_there ? result
                    : answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                                  "not known yet\n", "Retry-After", "1");
}

static enum MHD_Result
answer_job(struct sf_http *http, struct MHD_Connection *connection)
{
    const char *nodes = MHD_lookup_connection_value(
        connection, MHD_GET_ARGUMENT_KIND, "nodes");
    char *body = http->params.find_job(http->params.aux, nodes ? nodes : "");
    struct MHD_Response *response =
        body ? MHD_create_response_from_buffer(strlen(body), body,
                                               MHD_RESPMEM_MUST_FREE)
             : NULL;
    if (!response) {
        free(body);
        return MHD_NO;
    }
    add_headers(response, "application/json");
    enum MHD_Result result =
        MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

/* The number of the oldest frame in the ring. */
static uint64_t
oldest_frame(const struct sf_http *http)
{
    return http->position > SF_HTTP_RING ? http->position - SF_HTTP_RING : 0;
}

/* Gives a stream its next text to send; false if there is none.  The lock is
 * held. */
static bool
take_frame(struct stream *stream)
{
    struct sf_http *http = stream->http;
    const char *text = NULL;

    if (stream->position < oldest_frame(http)) {
        stream->position = http->position;
        text = "event: resync\ndata: {}\n\n";
    } else if (stream->position < http->position) {
        text = http->ring[stream->position++ % SF_HTTP_RING].text;
    } else if (stream->wants_beat) {
        text = ":\n\n";
    }
    stream->wants_beat = false;
    free(stream->sending);
    stream->sending = text ? sf_strdup(text) : NULL;
    stream->offset = 0;
    stream->length = stream->sending ? strlen(stream->sending) : 0;
    return stream->sending != NULL;
}

/* Fills in what comes next; with nothing to send, the connection sleeps. */
static ssize_t
read_stream(void *closure, uint64_t position, char *buffer, size_t size)
{
    struct stream *stream = closure;
    struct sf_http *http = stream->http;
    ssize_t n = 0;

    (void)position;
    pthread_mutex_lock(&http->lock);
    if (stream->offset == stream->length && !take_frame(stream)) {
        if (http->is_ending) {
            n = MHD_CONTENT_READER_END_OF_STREAM;
        } else {
            stream->is_waiting = true;
            MHD_suspend_connection(stream->connection);
        }
    } else {
        size_t left = stream->length - stream->offset;
        size_t part = left < size ? left : size;
        memcpy(buffer, stream->sending + stream->offset, part);
        stream->offset += part;
        n = (ssize_t)part;
    }
    pthread_mutex_unlock(&http->lock);
    return n;
}

static void
end_stream(void *closure)
{
    struct stream *stream = closure;
    struct sf_http *http = stream->http;

    pthread_mutex_lock(&http->lock);
    if (stream->previous) {
        stream->previous->next = stream->next;
    } else {
        http->streams = stream->next;
    }
    if (stream->next) {
        stream->next->previous = stream->previous;
    }
    http->n_streams--;
    pthread_mutex_unlock(&http->lock);
    free(stream->sending);
    free(stream);
}

/* Where a stream goes on that has seen the event 'id' last. */
static uint64_t
find_position(const struct sf_http *http, uint64_t id)
{
    uint64_t oldest = oldest_frame(http);

    for (uint64_t at = http->position; at > oldest; at--) {
        uint64_t its = http->ring[(at - 1) % SF_HTTP_RING].id;
        if (its && its <= id) {
            return at;
        }
    }
    return id && oldest < http->position ? oldest : http->position;
}

/* Puts a stream among the others; false if there are too many.  The lock is
 * held. */
static bool
add_stream(struct sf_http *http, struct stream *stream)
{
    const char *last = MHD_lookup_connection_value(
        stream->connection, MHD_HEADER_KIND, "Last-Event-ID");

    if (http->n_streams == SF_HTTP_MAX_STREAMS || http->is_ending) {
        return false;
    }
    stream->position =
        last ? find_position(http, strtoull(last, NULL, 10)) : http->position;
    stream->next = http->streams;
    if (http->streams) {
        http->streams->previous = stream;
    }
    http->streams = stream;
    http->n_streams++;
    return true;
}

static enum MHD_Result
answer_stream(struct sf_http *http, struct MHD_Connection *connection)
{
    static const char hello[] = "retry: " RETRY_MS "\n\n";
    struct stream *stream = sf_calloc(1, sizeof *stream);

    if (!stream) {
        return MHD_NO;
    }
    stream->http = http;
    stream->connection = connection;
    stream->sending = sf_strdup(hello);
    stream->length = stream->sending ? sizeof hello - 1 : 0;
    pthread_mutex_lock(&http->lock);
    bool is_added = add_stream(http, stream);
    pthread_mutex_unlock(&http->lock);
    if (!is_added) {
        free(stream->sending);
        free(stream);
        return answer_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                           "too many clients follow the events\n",
                           "Retry-After", "30");
    }
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, 4096, read_stream, stream, end_stream);
    if (!response) {
        end_stream(stream);
        return MHD_NO;
    }
    add_headers(response, "text/event-stream");
    enum MHD_Result result =
        MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

/* Compares in a time that does not tell where they differ. */
static bool
is_token(const struct sf_http *http, const char *word)
{
    size_t length = strlen(http->token);
    size_t other = word ? strlen(word) : 0;
    unsigned char difference = other != length;

    for (size_t i = 0; i < length; i++) {
        unsigned char c = other ? (unsigned char)word[i % other] : 0;
        difference |= (unsigned char)(c ^ (unsigned char)http->token[i]);
    }
    return !difference;
}

static bool
is_allowed(const struct sf_http *http, struct MHD_Connection *connection)
{
    static const char bearer[] = "Bearer ";
    const char *header = MHD_lookup_connection_value(
        connection, MHD_HEADER_KIND, "Authorization");

    if (!http->token) {
        return true;
    }
    if (header && !strncasecmp(header, bearer, sizeof bearer - 1)) {
        return is_token(http, header + sizeof bearer - 1);
    }
    return is_token(http, MHD_lookup_connection_value(
                              connection, MHD_COOKIE_KIND, "slimfly-token"));
}

static const char login_page[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<title>slimfly monitor</title></head><body><main>"
    "<h1>slimfly monitor</h1>"
    "<form><label>Token <input name=\"token\" type=\"password\" "
    "autocomplete=\"current-password\" autofocus></label> "
    "<button>Open</button></form></main></body></html>\n";

/* Who knows the token gets a cookie, and goes on without it in the address. */
static enum MHD_Result
answer_stranger(struct sf_http *http, struct MHD_Connection *connection,
                const char *path)
{
    const char *word = MHD_lookup_connection_value(
        connection, MHD_GET_ARGUMENT_KIND, "token");
    bool is_known = word && is_token(http, word);
    struct MHD_Response *response = MHD_create_response_from_buffer(
        is_known ? 0 : sizeof login_page - 1, sf_unconst(login_page),
        MHD_RESPMEM_PERSISTENT);
    unsigned code = is_known ? MHD_HTTP_SEE_OTHER : MHD_HTTP_UNAUTHORIZED;
    char cookie[512];

    if (!response) {
        return MHD_NO;
    }
    add_headers(response, "text/html; charset=utf-8");
    if (is_known) {
        snprintf(cookie, sizeof cookie,
                 "slimfly-token=%s; Path=/; HttpOnly; SameSite=Strict%s",
                 http->token, http->params.certificate ? "; Secure" : "");
        MHD_add_response_header(response, "Set-Cookie", cookie);
        MHD_add_response_header(response, "Location", path);
    } else {
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    }
    enum MHD_Result result = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return result;
}

/* Whether the request names this machine as its browser sees it.  Another name
 * that leads to the loopback address would let other pages read ours. */
static bool
is_own_name(const struct sf_http *http, struct MHD_Connection *connection)
{
    const char *host =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    char name[80];

    if (!host || http->token || !http->params.listen->is_loopback) {
        return true;
    }
    size_t length =
        host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    if (length >= sizeof name || length > strlen(host)) {
        return false;
    }
    memcpy(name, host, length);
    name[length] = '\0';
    return !strcasecmp(name, "localhost") || !strncmp(name, "127.", 4) ||
           !strcmp(name, "[::1]");
}

static enum MHD_Result
answer(struct sf_http *http, struct MHD_Connection *connection,
       const char *path)
{
    if (!is_own_name(http, connection)) {
        return answer_text(connection, MHD_HTTP_FORBIDDEN,
                           "this address is asked for by another name\n", NULL,
                           NULL);
    }
    if (!is_allowed(http, connection)) {
        return answer_stranger(http, connection, "/");
    }
    for (int i = 0; i < SF_HTTP_N_DOCUMENTS; i++) {
        if (!strcmp(path, documents[i].path)) {
            return answer_document(http, connection, (enum sf_http_document)i);
        }
    }
    if (!strcmp(path, "/job.json")) {
        return answer_job(http, connection);
    }
    return answer_text(connection, MHD_HTTP_NOT_FOUND, "no such page\n", NULL,
                       NULL);
}

static enum MHD_Result
handle(void *closure, struct MHD_Connection *connection, const char *path,
       const char *method, const char *version, const char *data,
       size_t *data_sizep, void **contextp)
{
    static int seen;
    struct sf_http *http = closure;
    bool is_get = !strcmp(method, MHD_HTTP_METHOD_GET);

    (void)version, (void)data, (void)data_sizep;
    if (!is_get && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
        return answer_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                           "only GET and HEAD: nothing can be changed here\n",
                           "Allow", "GET, HEAD");
    }
    if (!*contextp) {
        *contextp = &seen; /* It is called again when all was read. */
        return MHD_YES;
    }
    pthread_mutex_lock(&http->lock);
    http->n_requests++;
    pthread_mutex_unlock(&http->lock);
    return is_get && !strcmp(path, "/events") &&
                   is_own_name(http, connection) &&
                   is_allowed(http, connection)
               ? answer_stream(http, connection)
               : answer(http, connection, path);
}

/* Opens the socket ourselves, since that tells why it cannot be. */
static enum sf_status
open_socket(struct sf_http *http, struct sf_error *err)
{
    const struct sf_monitor_listen *listen_on = http->params.listen;
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = { 0 };
    bool is_v6 = strchr(listen_on->address, ':') != NULL;
    socklen_t size = is_v6 ? sizeof address.v6 : sizeof address.v4;
    int one = 1;

    if (is_v6) {
        address.v6.sin6_family = AF_INET6;
        address.v6.sin6_port = htons(listen_on->port);
        inet_pton(AF_INET6, listen_on->address, &address.v6.sin6_addr);
    } else {
        address.v4.sin_family = AF_INET;
        address.v4.sin_port = htons(listen_on->port);
        inet_pton(AF_INET, listen_on->address, &address.v4.sin_addr);
    }
    http->socket = socket(is_v6 ? AF_INET6 : AF_INET,
                          SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (http->socket >= 0) {
        setsockopt(http->socket, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    }
    if (http->socket < 0 || bind(http->socket, &address.any, size) != 0 ||
        listen(http->socket, SF_HTTP_MAX_CLIENTS) != 0 ||
        getsockname(http->socket, &address.any, &size) != 0) {
        return sf_fail(err, SF_EIO, "cannot listen on %s, port %u: %s",
                       listen_on->address, listen_on->port, strerror(errno));
    }
    http->port = ntohs(is_v6 ? address.v6.sin6_port : address.v4.sin_port);
    return SF_OK;
}

/* Starts the thread, which is to catch no signals. */
static enum sf_status
start_daemon(struct sf_http *http, struct sf_error *err)
{
    bool has_tls = http->params.certificate != NULL;
    /* With epoll, it does not see that a client has closed its half. */
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL |
                     MHD_ALLOW_SUSPEND_RESUME | (has_tls ? MHD_USE_TLS : 0u);
    struct MHD_OptionItem tls[] = {
        { MHD_OPTION_HTTPS_MEM_CERT, 0, sf_unconst(http->params.certificate) },
        { MHD_OPTION_HTTPS_MEM_KEY, 0, sf_unconst(http->params.key) },
        { MHD_OPTION_END, 0, NULL },
    };
    struct MHD_OptionItem nothing[] = { { MHD_OPTION_END, 0, NULL } };
    sigset_t all, old;

    if (has_tls && MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES) {
        return sf_fail(err, SF_EINVAL,
                       "this libmicrohttpd was built without TLS");
    }
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    http->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, handle, http, MHD_OPTION_LISTEN_SOCKET,
        http->socket, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)SF_HTTP_MAX_CLIENTS, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_SECONDS, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_ARRAY, has_tls ? tls : nothing, MHD_OPTION_END);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return http->daemon
               ? SF_OK
               : sf_fail(err, SF_EINVAL,
                         has_tls ? "cannot start the web server: certificate "
                                   "and key must be in PEM and fit together"
                                 : "cannot start the web server");
}

enum sf_status
sf_http_start(const struct sf_http_params *params, struct sf_http **httpp,
              struct sf_error *err)
{
    struct sf_http *http = sf_calloc(1, sizeof *http);

    *httpp = NULL;
    if (!http) {
        return sf_fail(err, SF_ENOMEM, "out of memory for the web server");
    }
    http->params = *params;
    http->socket = -1;
    pthread_mutex_init(&http->lock, NULL);
    http->token = params->token ? sf_strdup(params->token) : NULL;
    enum sf_status status =
        params->token && !http->token
            ? sf_fail(err, SF_ENOMEM, "out of memory for the web server")
            : open_socket(http, err);
    if (status == SF_OK) {
        status = start_daemon(http, err);
    }
    if (status != SF_OK) {
        sf_http_stop(http);
        return status;
    }
    *httpp = http;
    return SF_OK;
}

/* Wakes the streams that wait.  The lock is held. */
static void
wake_streams(struct sf_http *http)
{
    for (struct stream *stream = http->streams; stream;
         stream = stream->next) {
        if (stream->is_waiting) {
            stream->is_waiting = false;
            MHD_resume_connection(stream->connection);
        }
    }
}

void
sf_http_stop(struct sf_http *http)
{
    if (!http) {
        return;
    }
    pthread_mutex_lock(&http->lock);
    http->is_ending = true;
    wake_streams(http);
    pthread_mutex_unlock(&http->lock);
    if (http->daemon) {
        MHD_stop_daemon(http->daemon);
    } else if (http->socket >= 0) {
        close(http->socket);
    }
    for (int i = 0; i < SF_HTTP_N_DOCUMENTS; i++) {
        if (http->documents[i]) {
            MHD_destroy_response(http->documents[i]);
        }
    }
    for (int i = 0; i < SF_HTTP_RING; i++) {
        free(http->ring[i].text);
    }
    pthread_mutex_destroy(&http->lock);
    free(http->token);
    free(http);
}

uint16_t
sf_http_port(const struct sf_http *http)
{
    return http->port;
}

void
sf_http_publish(struct sf_http *http, enum sf_http_document document,
                char *body, size_t length)
{
    struct MHD_Response *response =
        body ? MHD_create_response_from_buffer(length, body,
                                               MHD_RESPMEM_MUST_FREE)
             : NULL;
    if (!response) {
        free(body);
        return;
    }
    add_headers(response, documents[document].type);
    pthread_mutex_lock(&http->lock);
    struct MHD_Response *old = http->documents[document];
    http->documents[document] = response;
    pthread_mutex_unlock(&http->lock);
    if (old) {
        MHD_destroy_response(old);
    }
}

void
sf_http_emit(struct sf_http *http, const char *type, const char *data,
             uint64_t id)
{
    char *text = NULL;
    int n = id ? asprintf(&text, "id: %llu\nevent: %s\ndata: %s\n\n",
                          (unsigned long long)id, type, data)
               : asprintf(&text, "event: %s\ndata: %s\n\n", type, data);
    if (n < 0) {
        return;
    }
    pthread_mutex_lock(&http->lock);
    struct frame *frame = &http->ring[http->position++ % SF_HTTP_RING];
    free(frame->text);
    *frame = (struct frame){ id, text };
    wake_streams(http);
    pthread_mutex_unlock(&http->lock);
}

void
sf_http_beat(struct sf_http *http)
{
    pthread_mutex_lock(&http->lock);
    for (struct stream *stream = http->streams; stream;
         stream = stream->next) {
        stream->wants_beat = true;
    }
    wake_streams(http);
    pthread_mutex_unlock(&http->lock);
}

uint32_t
sf_http_n_streams(struct sf_http *http)
{
    pthread_mutex_lock(&http->lock);
    uint32_t n = http->n_streams;
    pthread_mutex_unlock(&http->lock);
    return n;
}

uint64_t
sf_http_n_requests(struct sf_http *http)
{
    pthread_mutex_lock(&http->lock);
    uint64_t n = http->n_requests;
    pthread_mutex_unlock(&http->lock);
    return n;
}

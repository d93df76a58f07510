/* no_http.c -- in place of http.c where libmicrohttpd is missing. */
#include "monitor/http.h"

#include <stdlib.h>

enum sf_status
sf_http_start(const struct sf_http_params *params, struct sf_http **httpp,
              struct sf_error *err)
{
    (void)params;
    *httpp = NULL;
    return sf_fail(err, SF_EINVAL,
                   "this slimfly was built without libmicrohttpd and has no "
                   "web server; --listen none works without");
}

void
sf_http_stop(struct sf_http *http)
{
    (void)http;
}

uint16_t
sf_http_port(const struct sf_http *http)
{
    (void)http;
    return 0;
}

void
sf_http_publish(struct sf_http *http, enum sf_http_document document,
                char *body, size_t length)
{
    (void)http, (void)document, (void)length;
    free(body);
}

void
sf_http_emit(struct sf_http *http, const char *type, const char *data,
             uint64_t id)
{
    (void)http, (void)type, (void)data, (void)id;
}

void
sf_http_beat(struct sf_http *http)
{
    (void)http;
}

uint32_t
sf_http_n_streams(struct sf_http *http)
{
    (void)http;
    return 0;
}

uint64_t
sf_http_n_requests(struct sf_http *http)
{
    (void)http;
    return 0;
}

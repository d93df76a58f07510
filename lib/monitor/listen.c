/* listen.c -- addresses to listen on. */
#include "slimfly/monitor.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static bool
is_loopback(const char *address, bool is_v6)
{
    struct in6_addr v6;
    struct in_addr v4;

    if (is_v6) {
        return inet_pton(AF_INET6, address, &v6) == 1 &&
               IN6_IS_ADDR_LOOPBACK(&v6);
    }
    return inet_pton(AF_INET, address, &v4) == 1 &&
           ntohl(v4.s_addr) >> 24 == 127;
}

static bool
is_address(const char *address, bool is_v6)
{
    unsigned char bytes[16];
    return inet_pton(is_v6 ? AF_INET6 : AF_INET, address, bytes) == 1;
}

/* Reads a port, from 0 on; false if it is none. */
static bool
parse_port(const char *text, uint16_t *portp)
{
    size_t n = strspn(text, "0123456789");
    unsigned long port =
        n > 0 && n <= 5 && !text[n] ? strtoul(text, NULL, 10) : 1ul << 16;
    *portp = (uint16_t)port;
    return port < 1ul << 16;
}

enum sf_status
sf_monitor_listen_parse(const char *word, struct sf_monitor_listen *listen,
                        struct sf_error *err)
{
    bool is_v6 = word[0] == '[';
    const char *start = word + is_v6;
    size_t length = strcspn(start, is_v6 ? "]" : ":");
    const char *rest = start + length + (is_v6 && start[length]);

    *listen = (struct sf_monitor_listen){ .port = SF_MONITOR_PORT };
    if (length >= sizeof listen->address || (is_v6 && !start[length]) ||
        (rest[0] &&
         (rest[0] != ':' || !parse_port(rest + 1, &listen->port)))) {
        return sf_fail(err, SF_EINVAL,
                       "%s: expected ADDRESS:PORT, such as 127.0.0.1:%d or "
                       "[::1]:%d",
                       word, SF_MONITOR_PORT, SF_MONITOR_PORT);
    }
    memcpy(listen->address, start, length);
    if (!length || !strcmp(listen->address, "localhost")) {
        strcpy(listen->address, "127.0.0.1");
        is_v6 = false;
    }
    if (!is_address(listen->address, is_v6)) {
        return sf_fail(err, SF_EINVAL,
                       "%s: expected an address in numbers, such as "
                       "127.0.0.1 or [::1], or localhost; found '%s'",
                       word, listen->address);
    }
    listen->is_loopback = is_loopback(listen->address, is_v6);
    return SF_OK;
}

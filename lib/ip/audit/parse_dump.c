/* parse_dump.c -- reading the routes that a switch holds, as 'ip -j route'
 * prints them.  Routes of others count, too, where they take packets of the
 * plan. */
#include "ip/audit/held.h"

#include <jansson.h>
#include <string.h>

static const char *
text_of(const json_t *item, const char *key)
{
    const char *text = json_string_value(json_object_get(item, key));

    return text ? text : "";
}

static bool
has_flag(const json_t *item, const char *flag)
{
    const json_t *flags = json_object_get(item, "flags");

    for (size_t i = 0; i < json_array_size(flags); i++) {
        const char *text = json_string_value(json_array_get(flags, i));
        if (text && !strcmp(text, flag)) {
            return true;
        }
    }
    return false;
}

static bool
is_inside(struct sf_ip_prefix inner, struct sf_ip_prefix outer)
{
    bool is_so = inner.address.is_v6 == outer.address.is_v6 &&
                 inner.length >= outer.length;

    for (uint32_t bit = 0; is_so && bit < outer.length; bit++) {
        uint8_t mask = (uint8_t)(0x80u >> bit % 8);
        is_so =
            !((inner.address.bytes[bit / 8] ^ outer.address.bytes[bit / 8]) &
              mask);
    }
    return is_so;
}

/* The next hop of a route, of which there may be several. */
static const json_t *
next_hop(const struct sf_ip_reader *reader, const json_t *item)
{
    const struct sf_ip_dump *dump = reader->aux;
    const json_t *hops = json_object_get(item, "nexthops");

    if (json_array_size(hops) == 0) {
        return item;
    }
    sf_ip_find_fault(dump->audit,
                     "%s: %s has %zu next hops, and packets of a connection "
                     "may take any of them",
                     reader->path, text_of(item, "dst"),
                     json_array_size(hops));
    return json_array_get(hops, 0);
}

/* Where packets leave by a route over 'hop'; 0: nowhere. */
static uint32_t
find_out(const struct sf_ip_reader *reader, const json_t *item,
         const json_t *hop)
{
    const struct sf_ip_dump *dump = reader->aux;
    const char *dev = text_of(hop, "dev");
    uint32_t port = sf_port_number(reader->ports, dev);

    if (port == 0 || port > reader->n_ports) {
        sf_ip_find_fault(dump->audit,
                         "%s: %s leads to '%.60s', which is no port of the "
                         "network",
                         reader->path, text_of(item, "dst"), dev);
        return 0;
    }
    /* The kernel would not use it, but for want of a setting. */
    if (has_flag(item, "linkdown") || has_flag(hop, "linkdown")) {
        sf_ip_find_fault(dump->audit,
                         "%s: %s is sent to %s, which has no link: "
                         "ignore_routes_with_linkdown is not set",
                         reader->path, text_of(item, "dst"), dev);
        return 0;
    }
    return port;
}

static enum sf_status
take_item(const struct sf_ip_reader *reader, const json_t *item)
{
    const struct sf_ip_dump *dump = reader->aux;
    struct sf_ip_entry entry = { 0 };
    const char *to = text_of(item, "dst"), *type = text_of(item, "type");
    bool is_unicast = !*type || !strcmp(type, "unicast");

    if (!*to) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s: expected routes with 'dst', as 'ip -j route' "
                       "prints them",
                       reader->path);
    }
    if (sf_ip_prefix_parse(to, &entry.to, NULL) != SF_OK ||
        !is_inside(entry.to, dump->prefix) ||
        (is_unicast && !strcmp(text_of(item, "dev"), "lo")) ||
        has_flag(item, "dead")) {
        return SF_OK;
    }
    if (is_unicast) {
        const json_t *hop = next_hop(reader, item);
        entry.out = find_out(reader, item, hop);
        entry.has_via = sf_ip_address_parse(text_of(hop, "gateway"),
                                            &entry.via, NULL) == SF_OK;
    }
    json_int_t metric = json_integer_value(json_object_get(item, "metric"));
    entry.metric =
        metric < 0 || metric > UINT32_MAX ? UINT32_MAX : (uint32_t)metric;
    return sf_ip_entries_add(dump->entries, &entry, reader->err);
}

enum sf_status
sf_ip_parse_dump(struct sf_ip_reader *reader, char *text, size_t length)
{
    const struct sf_ip_dump *dump = reader->aux;
    enum sf_status status = SF_OK;
    json_error_t error;
    json_t *root = json_loadb(text, length, 0, &error);

    if (!json_is_array(root)) {
        status = sf_fail(reader->err, SF_EPARSE, "%s:%d: %s", reader->path,
                         root ? 1 : error.line,
                         root ? "expected an array, as 'ip -j route' prints it"
                              : error.text);
    }
    for (size_t i = 0; status == SF_OK && i < json_array_size(root); i++) {
        status = take_item(reader, json_array_get(root, i));
    }
    if (status == SF_OK && dump->entries->n == 0) {
        sf_ip_find_fault(dump->audit, "%s: no route within %s%s", reader->path,
                         sf_ip_prefix_text(dump->prefix).text,
                         dump->prefix.address.is_v6
                             ? "; for IPv6 it is 'ip -6 -j route'"
                             : "");
    }
    json_decref(root);
    return status;
}

#include "ip/lab/lab.h"

#include "slimfly/ip_files.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum sf_status
sf_lab_check_name(const char *name, struct sf_error *err)
{
    size_t length = strlen(name);
    bool is_good = length >= 1 && length < SF_LAB_NAME_SIZE &&
                   name[0] != '-' && name[length - 1] != '-';

    for (size_t i = 0; i < length; i++) {
        is_good =
            is_good && (isalnum((unsigned char)name[i]) || name[i] == '-');
    }
    return is_good ? SF_OK
                   : sf_fail(err, SF_EINVAL,
                             "'%s' is no name of a lab: expected at most %d "
                             "letters, digits and '-', none of them at an end",
                             name, SF_LAB_NAME_SIZE - 1);
}

const char *
sf_lab_name(const struct sf_lab *lab)
{
    return lab->folder.name;
}

const char *
sf_lab_node(const struct sf_lab *lab, uint32_t node)
{
    return lab->names->names[node];
}

void
sf_lab_namespace(const struct sf_lab *lab, uint32_t node,
                 char text[SF_LAB_NAMESPACE_SIZE])
{
    snprintf(text, SF_LAB_NAMESPACE_SIZE, "%s.%s", lab->folder.name,
             lab->names->names[node]);
}

uint32_t
sf_lab_find(const struct sf_lab *lab, const char *name)
{
    const struct sf_fabric *fabric = lab->network->fabric;
    uint32_t found = sf_fabric_find(fabric, name);

    for (uint32_t i = 0; found == SF_NONE && i < fabric->n_nodes; i++) {
        if (!strcmp(lab->names->names[i], name)) {
            found = i;
        }
    }
    return found;
}

static const struct sf_port_names *
rule_of(const struct sf_lab *lab, uint32_t node)
{
    return node < lab->network->fabric->n_switches ? &lab->switch_ports
                                                   : &lab->host_ports;
}

enum sf_status
sf_lab_read_rules(struct sf_lab *lab, const char *switch_ports,
                  const char *host_ports, struct sf_error *err)
{
    const struct sf_fabric *fabric = lab->network->fabric;
    enum sf_status status =
        sf_port_names_parse(switch_ports ? switch_ports : SF_IP_SWITCH_PORTS,
                            &lab->switch_ports, err);

    if (status == SF_OK) {
        status = sf_port_names_parse(
            host_ports ? host_ports : SF_IP_HOST_PORTS, &lab->host_ports, err);
    }
    for (uint32_t i = 0; status == SF_OK && i < fabric->n_nodes; i++) {
        status = sf_port_names_check_linux(rule_of(lab, i),
                                           fabric->nodes[i].n_ports, err);
    }
    return status;
}

void
sf_lab_interface(const struct sf_lab *lab, uint32_t port,
                 char text[SF_LAB_PORT_SIZE])
{
    const struct sf_port *of = &lab->network->fabric->ports[port];
    char name[SF_PORT_NAME_SIZE];

    snprintf(text, SF_LAB_PORT_SIZE, "%.*s", SF_LAB_PORT_SIZE - 1,
             sf_port_name(rule_of(lab, of->node), of->number, name));
}

uint32_t
sf_lab_port_number(const struct sf_lab *lab, uint32_t node, const char *text)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);

    return isdigit((unsigned char)text[0]) && !*end && number <= SF_MAX_PORTS
               ? (uint32_t)number
               : sf_port_number(rule_of(lab, node), text);
}

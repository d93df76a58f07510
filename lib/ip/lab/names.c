#include "ip/lab/lab.h"

#include <ctype.h>
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

void
sf_lab_interface(const struct sf_lab *lab, uint32_t port,
                 char text[SF_LAB_PORT_SIZE])
{
    const struct sf_fabric *fabric = lab->network->fabric;
    const struct sf_port *of = &fabric->ports[port];

    if (fabric->nodes[of->node].kind == SF_NODE_SWITCH) {
        snprintf(text, SF_LAB_PORT_SIZE, "swp%u", of->number);
    } else {
        snprintf(text, SF_LAB_PORT_SIZE, "eth%u", of->number - 1);
    }
}

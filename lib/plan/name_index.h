/* name_index.h -- the planned node of a name that was found. */
#ifndef SF_PLAN_NAME_INDEX_H
#define SF_PLAN_NAME_INDEX_H

#include "slimfly/fabric.h"

/* The names of a plan, sorted. */
struct sf_name_index;
enum sf_status sf_name_index_build(const struct sf_fabric *planned,
                                   struct sf_name_index **indexp,
                                   struct sf_error *err);
void sf_name_index_free(struct sf_name_index *index);

/* The planned node of that kind whose name is exactly 'name', or SF_NONE if
 * there is none or there are several. */
uint32_t sf_name_index_exact(const struct sf_name_index *index,
                             enum sf_node_kind kind, const char *name);

/* The same, or else for a node description that holds the name among other
 * things: the first word of a host's ("node0003 HCA-1"), what stands between
 * ';' and ':' in a switch's ("MF0;sf-0-0-1:MQM8700/U1"); or the name with a
 * domain after it ("sf-0-0-1.example.org"). */
uint32_t sf_name_index_find(const struct sf_name_index *index,
                            enum sf_node_kind kind, const char *name);

/* Whether the name 'found' of a node of that kind is 'planned', or holds it
 * in that way. */
bool sf_name_is(enum sf_node_kind kind, const char *found,
                const char *planned);

#endif

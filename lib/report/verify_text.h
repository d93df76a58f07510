/* verify_text.h -- what writers of verifications for people share. */
#ifndef SF_REPORT_VERIFY_TEXT_H
#define SF_REPORT_VERIFY_TEXT_H

#include "slimfly/verify.h"

/* Writes a name with nothing in it that a terminal might act on. */
void sf_text_write_name(const char *name, FILE *stream);

/* Writes what a node calls itself: '"localhost" 0x0002c90300a1b2c3'. */
void sf_text_write_found_as(const struct sf_node *node, FILE *stream);

/* Writes what people call the port of 'end' into 'name' and returns it: the
 * plan's name for it or, on a node that is not planned, the one it was found
 * with. */
const char *sf_text_port_name(const struct sf_verification *verification,
                              const struct sf_end *end,
                              char name[SF_PORT_NAME_SIZE]);

/* Writes what the discovery had to say, a line each, at most 'max' of them. */
void sf_text_write_notes(const struct sf_fabric *found, uint32_t max,
                         FILE *stream);

/* Writes an end with its place and, if the node has another name than planned,
 * what it was found as: 'sf-0-0-1 port 8 (R0 U41, found as "switch" 0x...)'.
 */
void sf_text_write_placed(const struct sf_verification *verification,
                          const struct sf_end *end, FILE *stream);

#endif

/* verify_text.h -- what writers of verifications for people share. */
#ifndef SF_REPORT_VERIFY_TEXT_H
#define SF_REPORT_VERIFY_TEXT_H

#include "slimfly/fabric.h"

#include <stdio.h>

/* Writes a name with nothing in it that a terminal might act on. */
void sf_text_write_name(const char *name, FILE *stream);

/* Writes what a node calls itself: '"localhost" 0x0002c90300a1b2c3'. */
void sf_text_write_found_as(const struct sf_node *node, FILE *stream);

#endif

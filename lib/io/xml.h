/* xml.h -- text inside XML: GraphML, SVG, HTML. */
#ifndef SF_IO_XML_H
#define SF_IO_XML_H

#include <stdio.h>

/* Writes 'text' so that it stands for itself in content and in attributes. */
void sf_xml_write(const char *text, FILE *stream);

#endif

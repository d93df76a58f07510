/* monitor_page.h -- the page of the monitor: three files, compiled in. */
#ifndef SF_MONITOR_MONITOR_PAGE_H
#define SF_MONITOR_MONITOR_PAGE_H

enum sf_monitor_file {
    SF_MONITOR_HTML,
    SF_MONITOR_JS,
    SF_MONITOR_CSS,
};

/* Such a file, which the caller frees; NULL if memory ran out. */
char *sf_monitor_page(enum sf_monitor_file file);

#endif

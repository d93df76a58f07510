/* change_report.h -- a change of tables, told to people and to programs: what
 * its mixtures can do, and the steps by which it is safe. */
#ifndef SLIMFLY_CHANGE_REPORT_H
#define SLIMFLY_CHANGE_REPORT_H

#include "slimfly/mixture.h"
#include "slimfly/origin.h"
#include "slimfly/steps.h"

#pragma GCC visibility push(default)

/* Size of the text of sf_steps_describe(). */
#define SF_STEPS_TEXT_SIZE (SF_ERROR_TEXT_SIZE + 160)

/* One sentence on 'steps', such as "safe in every mixture in 3 steps". */
void sf_steps_describe(const struct sf_steps *steps,
                       char text[SF_STEPS_TEXT_SIZE]);

/* For people, and for programs: schema "slimfly.change".  'steps' and
 * 'origin' may be NULL. */
void sf_change_write_text(const struct sf_mixture *mixture,
                          const struct sf_steps *steps,
                          const struct sf_fabric *fabric, FILE *stream);
enum sf_status sf_change_write_json(const struct sf_mixture *mixture,
                                    const struct sf_steps *steps,
                                    const struct sf_fabric *fabric,
                                    const struct sf_origin *origin,
                                    FILE *stream, struct sf_error *err);

#pragma GCC visibility pop
#endif

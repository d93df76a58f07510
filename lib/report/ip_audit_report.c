/* ip_audit_report.c -- what an audit of IP found, for people and programs. */
#include "slimfly/ip_audit.h"

#include "base/plural.h"

#include <inttypes.h>
#include <jansson.h>

static const char *const verdicts[] = {
    [SF_IP_NOT_ASKED] = "not-asked",
    [SF_IP_SAFE] = "safe",
    [SF_IP_DEADLOCK] = "deadlock",
};

static void
write_lanes(const struct sf_ip_audit *audit, FILE *stream)
{
    if (audit->lanes == SF_IP_NOT_ASKED) {
        fputs("  no lanes\n", stream);
        return;
    }
    fprintf(stream, "  lanes: %u, %s\n", audit->n_classes,
            audit->lanes == SF_IP_SAFE
                ? "no packets can wait for each other in a circle"
                : "packets can deadlock");
    if (audit->lanes_diverted == SF_IP_SAFE) {
        fputs("  lanes while packets take alternates: the same\n", stream);
    } else if (audit->lanes_diverted == SF_IP_DEADLOCK &&
               audit->lanes == SF_IP_SAFE) {
        fprintf(stream,
                "  lanes while packets take alternates: can deadlock (%s); "
                "plan with --alternates lanes for lossless traffic\n",
                audit->cycle_diverted);
    }
}

void
sf_ip_audit_write_text(const struct sf_ip_audit *audit, FILE *stream)
{
    uint64_t n_asked =
        audit->n_protected + audit->n_unprotected + audit->n_astray;

    fprintf(stream,
            "%u %s, %u %s, %u %s: %" PRIu64 " %s, %" PRIu64
            " routes%s in %" PRIu64 " files\n",
            audit->n_switches,
            sf_plural(audit->n_switches, "switch", "switches"), audit->n_hosts,
            sf_plural(audit->n_hosts, "host", "hosts"), audit->n_layers,
            sf_plural(audit->n_layers, "layer", "layers"), audit->n_addresses,
            sf_plural(audit->n_addresses, "address", "addresses"),
            audit->n_routes, audit->are_held ? " that switches hold" : "",
            audit->n_files);
    fprintf(stream,
            "  paths: %" PRIu64 " of %" PRIu64
            " arrive, in %.2f hops in the mean and %u at most\n",
            audit->n_good, audit->n_paths,
            audit->n_good ? (double)audit->n_hops / (double)audit->n_good : 0.,
            audit->max_hops);
    fprintf(stream,
            "  with the first link down: %" PRIu64 " of %" PRIu64
            " arrive by an alternate (%.1f %%), %" PRIu64
            " have none, %" PRIu64 " go astray\n",
            audit->n_protected, n_asked,
            n_asked ? 100. * (double)audit->n_protected / (double)n_asked : 0.,
            audit->n_unprotected, audit->n_astray);
    write_lanes(audit, stream);
    for (uint64_t i = 0; i < audit->n_findings && i < SF_IP_MAX_FINDINGS;
         i++) {
        fprintf(stream, "finding: %s\n",
                audit->findings[i] ? audit->findings[i] : "(out of memory)");
    }
    if (audit->n_findings > SF_IP_MAX_FINDINGS) {
        fprintf(stream, "and %" PRIu64 " more findings\n",
                audit->n_findings - SF_IP_MAX_FINDINGS);
    }
    fprintf(stream, "%s\n", sf_ip_audit_is_clean(audit) ? "OK" : "NOT OK");
}

enum sf_status
sf_ip_audit_write_json(const struct sf_ip_audit *audit, FILE *stream,
                       struct sf_error *err)
{
    json_t *findings = json_array();
    for (uint64_t i = 0; i < audit->n_findings && i < SF_IP_MAX_FINDINGS;
         i++) {
        json_array_append_new(
            findings,
            json_string(audit->findings[i] ? audit->findings[i] : ""));
    }
    json_t *root = json_pack(
        "{s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, "
        "s:I, s:I, s:s, s:s, s:s, s:s, s:I, s:o, s:s}",
        "kind", "slimfly-ip-audit", "ok", sf_ip_audit_is_clean(audit),
        "switches", (json_int_t)audit->n_switches, "hosts",
        (json_int_t)audit->n_hosts, "layers", (json_int_t)audit->n_layers,
        "addresses", (json_int_t)audit->n_addresses, "routes",
        (json_int_t)audit->n_routes, "files", (json_int_t)audit->n_files,
        "paths", (json_int_t)audit->n_paths, "good_paths",
        (json_int_t)audit->n_good, "hops", (json_int_t)audit->n_hops,
        "max_hops", (json_int_t)audit->max_hops, "protected",
        (json_int_t)audit->n_protected, "unprotected",
        (json_int_t)audit->n_unprotected, "astray",
        (json_int_t)audit->n_astray, "lanes", verdicts[audit->lanes],
        "lanes_diverted", verdicts[audit->lanes_diverted], "cycle",
        audit->cycle, "cycle_diverted", audit->cycle_diverted, "n_findings",
        (json_int_t)audit->n_findings, "findings", findings, "routes_of",
        audit->are_held ? "switches" : "files");
    if (!root) {
        return sf_fail(err, SF_ENOMEM, "out of memory for JSON");
    }
    json_dumpf(root, stream, JSON_INDENT(2));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}

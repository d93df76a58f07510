/* stacks.c -- what MPI and collectives libraries must be told to use
 * all layers and the right service levels.
 *
 * Names, defaults and limits are those of UCX 1.13 to 1.21, Open MPI 4.1,
 * MVAPICH2 2.3.7, NCCL 2.30 and RCCL 2.21. */
#include "settings/settings_writers.h"

static uint32_t
at_most(uint32_t n, uint32_t limit)
{
    return n < limit ? n : limit;
}

void
sf_settings_write_head(const char *text, const char *file, FILE *stream)
{
    sf_settings_comment(text, stream);
    fprintf(stream, "# In a shell: set -a; . ./%s; set +a\n", file);
}

enum sf_status
sf_settings_write_ucx(const struct sf_settings *settings, FILE *stream,
                      struct sf_error *err)
{
    uint32_t n = settings->n_layers;

    (void)err;
    sf_settings_write_head(
        "Environment for UCX, and so for MPI libraries over UCX. The "
        "same lines can stand in UCX's configuration file, ucx.conf.",
        "ucx.env", stream);
    sf_settings_comment_warning(settings, "ucx", stream);
    fputc('\n', stream);
    sf_settings_comment("Addresses of a port that are used, one a layer. The "
                        "default is 0, the first layer alone. UCX makes as "
                        "many paths of it (UCX_IB_NUM_PATHS=auto), and leaves "
                        "out what the LMC of the fabric does not have.",
                        stream);
    if (n > 1) {
        fprintf(stream, "UCX_IB_LID_PATH_BITS=0-%u\n", n - 1);
        fputc('\n', stream);
        sf_settings_comment("Paths that share a large message; the default "
                            "is 2, and UCX documents 4 as the most. Small "
                            "(eager) messages take one, which "
                            "UCX_MAX_EAGER_RAILS changes.",
                            stream);
        fprintf(stream, "UCX_MAX_RNDV_RAILS=%u\n", at_most(n, SF_ADVICE_FEW));
    } else {
        fputs("UCX_IB_LID_PATH_BITS=0\n", stream);
    }
    fputc('\n', stream);
    sf_settings_comment("The one service level of all traffic. 'auto' may "
                        "choose another where adaptive routing is on "
                        "(UCX_IB_AR_ENABLE).",
                        stream);
    fputs("UCX_IB_SL=0\n", stream);
    return SF_OK;
}

enum sf_status
sf_settings_write_openmpi(const struct sf_settings *settings, FILE *stream,
                          struct sf_error *err)
{
    (void)err;
    sf_settings_comment("For openmpi-mca-params.conf: Open MPI over UCX. What "
                        "UCX does with layers and service levels is for UCX "
                        "to be told (ucx.env).",
                        stream);
    sf_settings_comment_warning(settings, "openmpi", stream);
    fputs("\n# Messages between processes.\npml = ucx\n"
          "\n# One-sided communication.\nosc = ucx\n",
          stream);
    return SF_OK;
}

enum sf_status
sf_settings_write_openib(const struct sf_settings *settings, FILE *stream,
                         struct sf_error *err)
{
    (void)err;
    sf_settings_comment("For openmpi-mca-params.conf: Open MPI up to 4.1 over "
                        "its old openib BTL, which Open MPI 5 no longer has.",
                        stream);
    sf_settings_comment_warning(settings, "openib", stream);
    fputs("\n# This transport instead of UCX.\npml = ob1\n"
          "btl = openib,vader,self\n"
          "\n# Since Open MPI 4.0 it leaves InfiniBand to UCX unless told.\n"
          "btl_openib_allow_ib = true\n"
          "\n# LIDs of a port that are used; 0 is all that the LMC gives, the "
          "default is 1.\nbtl_openib_max_lmc = 0\n",
          stream);
    if (sf_settings_need_path_sls(settings)) {
        fputc('\n', stream);
        sf_settings_comment("Asks the subnet manager for the service level "
                            "of each path; known only to builds with "
                            "--enable-openib-dynamic-sl ('ompi_info --param "
                            "btl openib --level 9' lists it then).",
                            stream);
        fputs("btl_openib_ib_path_record_service_level = 1\n", stream);
    } else {
        fputs("\n# The one service level of all traffic.\n"
              "btl_openib_ib_service_level = 0\n",
              stream);
    }
    return SF_OK;
}

enum sf_status
sf_settings_write_mvapich2(const struct sf_settings *settings, FILE *stream,
                           struct sf_error *err)
{
    (void)err;
    sf_settings_write_head("Environment for MVAPICH2 2.", "mvapich2.env",
                           stream);
    sf_settings_comment_warning(settings, "mvapich2", stream);
    if (settings->n_layers > 1) {
        fputc('\n', stream);
        sf_settings_comment("Hot-spot avoidance: each connection of a pair of "
                            "processes goes to another address of the port, "
                            "so to another layer. Only in builds with "
                            "--enable-hsam; others ignore it and use the "
                            "first layer.",
                            stream);
        fputs("MV2_USE_HSAM=1\n\n", stream);
        sf_settings_comment("Connections of a pair of processes, one a layer; "
                            "MVAPICH2 takes no more than 4.",
                            stream);
        fprintf(stream, "MV2_NUM_QP_PER_PORT=%u\n",
                at_most(settings->n_layers, SF_ADVICE_FEW));
    }
    fputc('\n', stream);
    if (sf_settings_need_path_sls(settings)) {
        sf_settings_comment("Asks the subnet manager for the service level "
                            "of each path; only in builds that define "
                            "ENABLE_QOS_SUPPORT.",
                            stream);
        fputs("MV2_PATH_SL_QUERY=1\n", stream);
    } else {
        fputs("# The one service level of all traffic.\n"
              "MV2_DEFAULT_SERVICE_LEVEL=0\n",
              stream);
    }
    return SF_OK;
}

enum sf_status
sf_settings_write_nccl(const struct sf_settings *settings, FILE *stream,
                       struct sf_error *err)
{
    (void)err;
    sf_settings_write_head(
        "Environment for NCCL, and for RCCL, which reads the same "
        "variables. For NCCL the same lines can stand in "
        "/etc/nccl.conf. Both send to the first address of a port "
        "only, so they use the first layer, whatever the LMC is.",
        "nccl.env", stream);
    sf_settings_comment_warning(settings, "nccl", stream);
    fputs("\n# The one service level of all traffic.\nNCCL_IB_SL=0\n", stream);
    return SF_OK;
}

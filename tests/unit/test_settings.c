/* test_settings.c -- warnings for every kind of lane scheme, those that are
 * still to come included. */
#include "helpers.h"
#include "slimfly/settings.h"
#include "test.h"

#include <string.h>

static const char *const stacks[] = { "ucx", "openmpi", "openib", "mvapich2",
                                      "nccl" };

TEST(settings_warn_of_path_sls)
{
    struct sf_lane_scheme lanes = { .name = "x", .is_safe = true };
    struct sf_lanes made = { .scheme = &lanes, .n_vls = 2 };
    struct sf_routes routes = { .lanes = &made };
    struct sf_routing routing = { .routes = &routes };
    struct sf_settings settings = { .routing = &routing };
    char text[SF_SETTINGS_WARNING_SIZE];

    for (size_t i = 0; i < ARRAY_SIZE(stacks); i++) {
        CHECK(sf_settings_warning(&settings, stacks[i], text));
        CHECK(strstr(text, "lanes 'x' protect against deadlock only if"));
        CHECK(strstr(text, "safe with any")); /* It is whole. */
    }
    CHECK(!sf_settings_warning(&settings, "opensm", text));
    lanes.ignores_sls = true;
    for (size_t i = 0; i < ARRAY_SIZE(stacks); i++) {
        CHECK(!sf_settings_warning(&settings, stacks[i], text));
    }
    lanes = (struct sf_lane_scheme){ .name = "x" };
    CHECK(sf_settings_warning(&settings, "opensm", text));
    for (size_t i = 0; i < ARRAY_SIZE(stacks); i++) {
        CHECK(!sf_settings_warning(&settings, stacks[i], text));
    }
    CHECK(sf_settings_warning(&settings, "file", text));
    CHECK(!sf_settings_warning(&settings, "slurm", text));
}

/* What the file of 'part' has to say with 'lanes'. */
static void
read_part(const struct sf_lane_scheme *lanes, const char *part, char *text,
          size_t size)
{
    struct sf_lanes made = { .scheme = lanes, .n_vls = 2 };
    struct sf_routes routes = { .lanes = &made };
    struct sf_routing routing = { .routes = &routes };
    struct sf_settings settings = { .n_layers = 4, .routing = &routing };
    FILE *stream = tmpfile();

    for (const struct sf_settings_file *file = sf_settings_files; file->name;
         file++) {
        if (!strcmp(file->part, part)) {
            CHECK_EQ(file->write(&settings, stream, NULL), SF_OK);
        }
    }
    rewind(stream);
    text[fread(text, 1, size - 1, stream)] = '\0';
    fclose(stream);
}

TEST(settings_ask_for_path_sls)
{
    static const struct sf_lane_scheme asks = { .name = "x", .is_safe = true },
                                       asks_not = { .name = "y",
                                                    .is_safe = true,
                                                    .ignores_sls = true };
    static const char *const parts[] = { "openib", "mvapich2" };
    static const char *const settings[] = {
        "\nbtl_openib_ib_path_record_service_level = 1\n",
        "\nMV2_PATH_SL_QUERY=1\n"
    };
    char text[8192];

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        read_part(&asks, parts[i], text, sizeof text);
        CHECK(strstr(text, settings[i]));
        CHECK(strstr(text, "\n# WARNING: lanes 'x'"));
        read_part(&asks_not, parts[i], text, sizeof text);
        CHECK(!strstr(text, settings[i]));
        CHECK(!strstr(text, "WARNING"));
    }
}

/* cmd_simulate.c -- slimfly simulate: what workloads get of a network. */
#include "cli.h"
#include "kept.h"
#include "result_output.h"
#include "shared_work.h"
#include "simulate_options.h"
#include "workloads.h"

/* The whole question. */
struct job {
    struct cli_subject_params how;
    struct cli_subjects subjects;
    struct cli_runs_params params;
    struct cli_runs runs;
    struct cli_kept kept;
};

static const char *
file_name(size_t i)
{
    return sf_simulation_files[i].name;
}

static bool
has_file(const void *of, size_t i)
{
    const struct sf_simulation_file *file = &sf_simulation_files[i];
    return !file->has || file->has(of);
}

static enum sf_status
write_file(const void *of, size_t i, FILE *stream, struct sf_error *err)
{
    return sf_simulation_files[i].write(of, stream, err);
}

static int
simulate(const struct cli_args *args, struct job *job)
{
    const char *folder = cli_text(args, OPT_OUTPUT);
    struct cli_runs *runs = &job->runs;
    struct sf_error err = { 0 };

    if (sf_simulation_sweep(runs->tasks, runs->n, job->how.n_threads,
                            folder ? &job->kept.simulations : NULL,
                            &err) != SF_OK) {
        return cli_fail("simulate: %s", err.text);
    }
    bool has_deadlock = false;
    for (uint32_t i = 0; i < runs->n; i++) {
        struct sf_simulation_row *row = &runs->rows[i];
        row->params = runs->tasks[i].params;
        row->result = runs->tasks[i].result;
        row->wall = runs->tasks[i].wall;
        has_deadlock = has_deadlock || row->result.n_cycle > 0;
    }
    struct sf_simulation_table table = { .program = "slimfly " SF_VERSION,
                                         .command =
                                             args->line ? args->line : "",
                                         .rows = runs->rows,
                                         .n_rows = runs->n };
    struct cli_results results = {
        &table,     file_name,     cli_simulation_format,     has_file,
        write_file, &table.figure, folder ? &job->kept : NULL
    };
    int code = cli_write_results(args, &results);
    return code == CLI_FINE && has_deadlock ? CLI_FINDINGS : code;
}

/* Makes the folder of --output, if there is one, and finds again what an
 * earlier run has finished. */
static bool
open_folder(const struct cli_args *args, struct job *job)
{
    const char *folder = cli_text(args, OPT_OUTPUT);
    return !folder || (cli_make_folder(folder) == CLI_FINE &&
                       cli_kept_open(&job->kept, folder));
}

static int
run(const struct cli_args *args)
{
    struct job job = { 0 };
    int code = CLI_ERROR;

    if (cli_has(args, OPT_LIST_WORKLOADS)) {
        return args->n_words ? cli_fail("simulate: --list takes no fabric")
                             : cli_list_workloads();
    }
    if (args->n_words < 1 || args->n_words > 2) {
        return cli_fail("simulate: expected a fabric and perhaps its tables; "
                        "found %zu words",
                        args->n_words);
    }
    if (!(cli_has(args, OPT_GOAL) || cli_share_check(args)) ||
        !cli_read_figure(args, NULL) ||
        !cli_simulate_read(args, &job.how, &job.params) ||
        !cli_subjects_load(&job.subjects, args, &job.how) ||
        !cli_runs_check(&job.params, &job.subjects)) {
        code = CLI_ERROR;
    } else if (cli_has(args, OPT_GOAL)) {
        code = cli_write_goal(cli_text(args, OPT_GOAL), &job.params,
                              &job.subjects);
    } else if (cli_subjects_route(&job.subjects, &job.how) &&
               cli_runs_make(&job.runs, &job.params, &job.subjects) &&
               open_folder(args, &job)) {
        code = simulate(args, &job);
    }
    cli_kept_clear(&job.kept);
    cli_runs_clear(&job.runs);
    cli_subjects_clear(&job.subjects);
    return code;
}

const struct cli_command cli_command_simulate = {
    .name = "simulate",
    .group = CLI_STUDY,
    .arguments = "FABRIC [TABLES]",
    .summary = "what workloads get of a network, packet by packet or flow by "
               "flow",
    .description =
        "Runs workloads over a network with its forwarding tables, SL-to-VL "
        "tables and hosts that choose among addresses. It tells the rates of "
        "messages, the latencies of packets, the time until all has come and "
        "the loads of links. A deadlock, packets that wait for each other in "
        "a circle, ends a run and is named.\n"
        "\n" CLI_FABRIC_IS " TABLES is a folder with " CLI_TABLES_FILE
        ", a file like it, or live. If FABRIC is such a folder, or live, "
        "TABLES may be left out. Without tables, and with --schemes, the "
        "fabric is routed as 'slimfly route' would. --compare runs the same "
        "on other fabrics. Options that take a LIST make a run for each "
        "combination. All cores work, and the number of threads does not "
        "change the result.\n"
        "\n"
        "A workload is a traffic, as 'slimfly analyze' knows it: all-to-all, "
        "permutation, switch-permutation:distance=2, longest-matching, "
        "adversarial:load=0.5 or file:CSV. Each of its flows is a message; "
        "the largest has the bytes of --size, and all start at once. With "
        "--load, hosts offer packets without end instead, until latencies "
        "have settled. Or a workload is one of --list. These are collectives "
        "as MPI does them, as in allreduce:algorithm=ring; ebb, which is "
        "effective bisection bandwidth; stencil; incast; and proxies of "
        "training, Linpack and Graph500. goal:FILE is a program in GOAL. A+B "
        "runs two workloads at once on different hosts.\n"
        "\n"
        "--select says how hosts choose the address of the receiver, and with "
        "it the layer. first takes the first address only. stripe takes all "
        "in turn, packet by packet. message takes all in turn, message by "
        "message. random takes one at random for each message. adaptive takes "
        "the one with the fewest packets under way. sender takes all in turn, "
        "message by message of the sender, whoever receives them.\n"
        "\n"
        "With --for-jobs, each run has routes for its jobs, made from the "
        "lists of their hosts alone, whatever these send. 'slimfly route "
        "--jobs' makes tables in the same way. The share in the results is "
        "what these routes allow the slowest job under all-to-all, with equal "
        "shares over the addresses.\n"
        "\n"
        "The model flow gives each flow its max-min fair share. The model "
        "packet has virtual cut-through, credits for each virtual lane and "
        "finite buffers. Queues decide much: voq keeps packets for each "
        "output apart, fifo has one queue for each input and lane. --timing "
        "exact adds the delays of switches, hosts and cables.\n"
        "\n"
        "With --output, the folder DIR gets tables, figures and finished "
        "runs, so that the same command goes on where it was interrupted. "
        "Several processes of the same command share the runs out, on one "
        "machine or on many that see DIR. Of those that mpirun or srun "
        "starts together, one prints the results. " CLI_FIGURE_IS
        " The exit code is "
        "1 if packets of a run waited for each other for ever.",
    .examples =
        "slimfly simulate sf:q=5 -w all-to-all --size 64K\tSend 64 KiB from "
        "each host to each other.\n"
        "slimfly simulate sf:q=5 -w ebb -n 16,64 -p racks,random --compare "
        "ft2:ports=36,leaf=12 -o out\tCompare the effective bisection "
        "bandwidth of jobs on two networks.\n"
        "slimfly simulate sf:q=5 -w permutation --load 0.05..1 --select "
        "first,stripe,adaptive -o out\tDraw latency against load for three "
        "ways to choose addresses.\n"
        "slimfly simulate sf:q=5 -w all-to-all+ebb -n 32+64 --for-jobs\tRun "
        "two jobs on routes that are made for them.\n"
        "slimfly simulate sf:q=5 -w allreduce -n 64 --size 1K,1M --model "
        "flow\tAdd up vectors of 64 nodes as Open MPI does.\n"
        "slimfly simulate sf:q=5 -w gpt3 -n 80 --goal gpt3.goal\tWrite what a "
        "workload does as a program.\n"
        "slimfly simulate tables -w permutation --all-on-sl 0\tRun on the "
        "tables that 'slimfly route' wrote, with hosts that know no service "
        "levels.\n",
    .options = { cli_simulate_options, cli_lane_options, cli_path_options,
                 cli_work_options, cli_thread_options, cli_share_options,
                 cli_folder_options, cli_figure_options,
                 cli_progress_options },
    .run = run,
};

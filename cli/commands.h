#pragma once

#include "cli/command_line/cli11.h"

namespace sluice::cli {

// The subcommands. Each is added to the command line by the function of its own source, cli/X.cpp;
// a subcommand that runs sets `exit_status`.

/// `sluice demo`: real jobs under a governor with real sensors, all in this process.
void add_demo(CLI::App& app, int& exit_status);
void add_batch(CLI::App& app, int& exit_status);
/// `sluice build`: runs a whole build under the daemon, which it starts if there is none.
void add_build(CLI::App& app, int& exit_status);
void add_serve(CLI::App& app, int& exit_status);
void add_run(CLI::App& app, int& exit_status);
/// `sluice jobserver`: runs a command as the client of a jobserver whose tokens are the window.
void add_jobserver(CLI::App& app, int& exit_status);
/// `sluice status`: the jobs that run, the jobs that wait, and why.
void add_status(CLI::App& app, int& exit_status);
void add_explain(CLI::App& app, int& exit_status);
void add_history(CLI::App& app, int& exit_status);
/// `sluice record list | tail | export`: the record of what the daemon decided.
void add_record(CLI::App& app, int& exit_status);
/// `sluice why`: what bound a job, or the host at a moment, by that record.
void add_why(CLI::App& app, int& exit_status);
void add_set(CLI::App& app, int& exit_status);
/// `sluice cancel`: takes a waiting job back.
void add_cancel(CLI::App& app, int& exit_status);
/// `sluice nproc`: how many jobs of a kind fit now.
void add_nproc(CLI::App& app, int& exit_status);
/// `sluice env`: runs a command with that number in the variables that tools read.
void add_env(CLI::App& app, int& exit_status);
/// `sluice pause`, `resume` and `reload`.
void add_control(CLI::App& app, int& exit_status);
void add_drain(CLI::App& app, int& exit_status);
void add_attach(CLI::App& app, int& exit_status);
/// `sluice replay`: runs a scenario through the governor's own core, on a virtual clock.
void add_replay(CLI::App& app, int& exit_status);
/// `sluice whatif`: other configurations and machines, tried on recorded work.
void add_whatif(CLI::App& app, int& exit_status);
/// Lists `sluice autoscale`, whose options are known to `sluice-autoscale` only.
void add_autoscale(CLI::App& app, int& exit_status);
/// `sluice config check | show | reference`.
void add_config(CLI::App& app, int& exit_status);
/// `sluice completion bash | zsh | fish`: prints the shell's script.
void add_completion(CLI::App& app, int& exit_status);
/// `sluice doctor`: the features that this host offers and lacks, each with advice.
void add_doctor(CLI::App& app, int& exit_status);

}  // namespace sluice::cli

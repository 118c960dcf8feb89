// How the control laws do on model machines: a table of laws by machine, and one of the effect of
// changing each default. The figures are in virtual hours and the same on every machine.

#include <getopt.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../tests/governor/host_simulation.h"
#include "../tests/model/law_world.h"
#include "law_variations.h"

namespace sluice::model {
namespace {

constexpr int kSeeds = 5;
constexpr int kHours = 4;

constexpr const char* kHelp = R"(usage: bench_law [option]...

  --table NAME    only this table: laws, bounds, core or defaults; may be repeated
  --machine C/G   only this machine: C cores and G GiB of memory; may be repeated
  --only TEXT     only the rows of the table core whose name begins so
  --seeds N       mean of the seeds 1 to N instead of 5, in the table core; or to compare, of 20
  --paired FILE   only compare `knee, learned` with one default changed with the defaults. Each run
                  is a row in FILE, and is not computed again; --only chooses changes

  bench_law --table core --machine 8/32 --only 'knee, learned' --seeds 1
  bench_law --paired rows.csv --machine 8/32 --only z
)";

/// What to print.
struct Choice {
  std::vector<std::string> tables, rows;
  std::vector<HostShape> machines;
  std::optional<int> seeds;
  std::string paired;  ///< The file of rows; empty: print the tables.

  bool has_table(std::string_view name) const {
    return tables.empty() || std::ranges::find(tables, name) != tables.end();
  }
  bool has_row(std::string_view name) const {
    return rows.empty() ||
           std::ranges::any_of(rows, [&](const auto& each) { return name.starts_with(each); });
  }
};

std::vector<HostShape> machines() {
  return {{2, 8}, {8, 32}, {16, 64}, {64, 256}, {2, 16}, {8, 64}, {16, 128}, {64, 512}};
}

std::string name_of(const HostShape& host) {
  return std::to_string(host.cores) + " cores " +
         std::to_string(static_cast<int>(host.memory_gib)) + " GiB";
}

void print_heading(const char* first, int width) {
  std::printf("%-*s %8s %7s %8s %8s %6s %7s %7s %7s %8s %9s\n", width, first, "jobs/h", "OOM/h",
              "over s/h", "red s/h", "busy %", "useful%", "running", "sd", "turns/h", "max load");
}

void print_row(const std::string& first, int width, const Figures& figures) {
  std::printf("%-*s %8.1f %7.2f %8.0f %8.0f %6.1f %7.1f %7.1f %7.2f %8.1f %9.2f", width,
              first.c_str(), figures.jobs_per_hour, figures.killed_per_hour, figures.over_per_hour,
              figures.red_per_hour, 100 * figures.busy, 100 * figures.useful, figures.running_mean,
              figures.running_sd, figures.reversals_per_hour, figures.load_most);
}

void compare_laws() {
  std::printf(
      "Endless backlog, mean of %d seeds x %d h. over: load1 > 2.5/core or available\n"
      "memory < 5 %%; red: as the law itself judges, with its hysteresis; useful: CPU of\n"
      "jobs that finished; turns: of the window, or flips of accepting; ms: wall time per\n"
      "virtual hour.\n\n",
      kSeeds, kHours);
  print_heading("machine, law", 26);
  for (const HostShape& host : machines()) {
    for (const auto& [policy, name] :
         {std::pair{Policy::on_off, "on/off"}, std::pair{Policy::rfc, "rfc"},
          std::pair{Policy::adaptive, "adaptive"}}) {
      const auto began = std::chrono::steady_clock::now();
      const Figures figures = simulate_seeds(policy, {.host = host, .hours = kHours}, kSeeds);
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - began;
      print_row(name_of(host) + " " + name, 26, figures);
      std::printf("  %.2f ms\n", took.count() / kSeeds / kHours);
    }
  }
}

struct CoreRow {
  std::string name;
  Law law;
  ExecutorOptions::Learning learning;
  Duration step;
};

std::vector<CoreRow> core_rows() {
  using Learning = ExecutorOptions::Learning;
  const Duration second = std::chrono::seconds(1), fine = std::chrono::milliseconds(50);
  return {{"rfc, 1 s", Law::rfc, Learning::none, second},
          {"adaptive, 1 s", Law::adaptive, Learning::none, second},
          {"rfc", Law::rfc, Learning::none, fine},
          {"adaptive", Law::adaptive, Learning::none, fine},
          {"knee", Law::knee, Learning::none, fine},
          {"rfc, learned", Law::rfc, Learning::history, fine},
          {"adaptive, learned", Law::adaptive, Learning::history, fine},
          {"knee, learned", Law::knee, Learning::history, fine}};
}

/// What no law can exceed on a machine.
void print_bounds(const Choice& choice) {
  std::printf(
      "\nBounds in jobs/h, by mean needs of the jobs: of the CPUs, of the memory they hold, and "
      "of\n"
      "the memory if each held its peak from start to end.\n\n%-20s %8s %8s %8s\n",
      "machine", "CPUs", "memory", "peaks");
  for (const HostShape& host : choice.machines) {
    const Bounds bounds = bounds_of({.host = host});
    std::printf("%-20s %8.1f %8.1f %8.1f\n", name_of(host).c_str(), bounds.cpu, bounds.memory,
                bounds.peaks);
  }
}

/// The first two rows of a machine are those of the table above on the other model.
void compare_cores(const Choice& choice) {
  std::printf(
      "\nThe same jobs through the governor's own core, on the host of `model/`, in steps of 1 s\n"
      "and, where nothing is said, of 50 ms. learned: costs by the history, memory reserved, the\n"
      "brake. OOM: kills in the first hour, and an hour from the second on. Seeds: %d.\n\n",
      choice.seeds.value_or(kSeeds));
  std::printf("%-34s %6s %7s %6s %6s %6s %6s %7s %7s %6s %7s %8s\n", "machine, law", "jobs/h",
              "OOM 1st", "OOM/h", "over s", "red s", "busy %", "useful%", "running", "sd",
              "turns/h", "max load");
  for (const HostShape& host : choice.machines) {
    for (const CoreRow& row : core_rows()) {
      if (!choice.has_row(row.name)) continue;
      const Figures figures =
          simulate_core_seeds(row.law, row.learning, {.host = host, .hours = kHours}, row.step,
                              choice.seeds.value_or(kSeeds));
      std::printf("%-34s %6.1f %7.2f %6.2f %6.0f %6.0f %6.1f %7.1f %7.1f %6.2f %7.1f %8.2f\n",
                  (name_of(host) + " " + row.name).c_str(), figures.jobs_per_hour,
                  figures.killed_first_hour, figures.killed_later_per_hour, figures.over_per_hour,
                  figures.red_per_hour, 100 * figures.busy, 100 * figures.useful,
                  figures.running_mean, figures.running_sd, figures.reversals_per_hour,
                  figures.load_most);
      std::fflush(stdout);
    }
  }
}

PointsSpec per_machine(double points) { return {points, PointsSpec::Per::machine}; }

std::vector<Variation> changes() {
  using std::chrono::seconds;
  std::vector<Variation> all{{"defaults", [](Scenario&) {}}};
  vary(all, "initial", {5, 10, 20}, "/cpu",
       [](Scenario& s, int points) { s.window.initial = per_cpu(points); });
  vary(all, "threshold", {10, 20, 40}, "/cpu",
       [](Scenario& s, int points) { s.window.threshold = per_cpu(points); });
  vary(all, "step", {2, 5, 20}, "",
       [](Scenario& s, int points) { s.window.step = per_machine(points); });
  vary(all, "step", {1}, "/cpu", [](Scenario& s, int points) { s.window.step = per_cpu(points); });
  vary(all, "round", {5, 30, 60, 120}, "s",
       [](Scenario& s, int length) { s.window.round = seconds(length); });
  vary(all, "cut_settle", {15, 30, 120, 240}, "s",
       [](Scenario& s, int length) { s.window.cut_settle = seconds(length); });
  vary(all, "cut_gain", {10, 25, 100}, " %",
       [](Scenario& s, int percent) { s.window.cut_gain = percent / 100.0; });
  vary(all, "hard", {100, 150, 200, 1000}, " %",
       [](Scenario& s, int percent) { s.window.hard = percent / 100.0; });
  vary(all, "load limit", {100, 150, 200, 300}, " %",
       [](Scenario& s, int percent) { s.load_limit = percent / 100.0; });
  return all;
}

void compare_defaults() {
  std::printf(
      "\nadaptive with one default changed, mean over the %zu machines above\n"
      "(jobs, OOM, running, sd: per 8 cores)\n\n",
      machines().size());
  print_heading("change", 18);
  for (const Variation& change : changes()) {
    Figures mean;
    const double parts = static_cast<double>(machines().size());
    for (const HostShape& host : machines()) {
      Scenario scenario{.host = host, .hours = kHours};
      change.apply(scenario);
      add_to(mean, simulate_seeds(Policy::adaptive, scenario, kSeeds), 1 / parts, 8.0 / host.cores);
    }
    print_row(change.name, 18, mean);
    std::printf("\n");
  }
}

std::optional<HostShape> machine_of(const char* text) {
  HostShape shape;
  const bool is_shape = std::sscanf(text, "%d/%lf", &shape.cores, &shape.memory_gib) == 2;
  if (!is_shape || shape.cores < 1 || shape.memory_gib <= 0) return std::nullopt;
  return shape;
}

/// nullopt if an argument is none of these.
std::optional<Choice> choice_of(int count, char** arguments) {
  static constexpr option kOptions[] = {
      {"table", required_argument, nullptr, 't'},  {"machine", required_argument, nullptr, 'm'},
      {"only", required_argument, nullptr, 'o'},   {"seeds", required_argument, nullptr, 's'},
      {"paired", required_argument, nullptr, 'p'}, {nullptr, 0, nullptr, 0}};
  Choice choice;
  for (int each; (each = getopt_long(count, arguments, "", kOptions, nullptr)) != -1;) {
    const auto machine = each == 'm' ? machine_of(optarg) : std::nullopt;
    if (each == '?' || (each == 'm' && !machine)) return std::nullopt;
    if (each == 't') choice.tables.emplace_back(optarg);
    if (each == 'm') choice.machines.push_back(*machine);
    if (each == 'o') choice.rows.emplace_back(optarg);
    if (each == 's') choice.seeds = std::atoi(optarg);
    if (each == 'p') choice.paired = optarg;
  }
  if (optind < count || choice.seeds.value_or(1) < 1) return std::nullopt;
  if (choice.machines.empty()) choice.machines = machines();
  return choice;
}

int compare(int count, char** arguments) {
  if (count == 2 && std::string_view(arguments[1]) == "--help") {
    std::fputs(kHelp, stdout);
    return 0;
  }
  const auto choice = choice_of(count, arguments);
  if (!choice) {
    std::fputs(kHelp, stderr);
    return 2;
  }
  if (!choice->paired.empty()) {
    const VariationChoice varied{choice->machines, choice->seeds.value_or(20), choice->rows,
                                 choice->paired};
    return compare_variations(varied) ? 0 : 1;
  }
  if (choice->has_table("laws")) compare_laws();
  if (choice->has_table("bounds")) print_bounds(*choice);
  if (choice->has_table("core")) compare_cores(*choice);
  if (choice->has_table("defaults")) compare_defaults();
  return 0;
}

}  // namespace
}  // namespace sluice::model

int main(int count, char** arguments) { return sluice::model::compare(count, arguments); }

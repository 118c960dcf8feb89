#include "law_variations.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

#include "../tests/model/law_world.h"
#include "paired_comparison.h"

namespace sluice::model {
namespace {

constexpr int kHours = 4;
constexpr double kLevel = 0.01;
constexpr double kWorth = 0.02;
constexpr const char* kDefaults = "defaults";

std::vector<Variation> variations() {
  using std::chrono::seconds;
  std::vector<Variation> all{{kDefaults, [](Scenario&) {}}};
  vary(all, "initial", {5, 20}, "/cpu",
       [](Scenario& s, int points) { s.window.initial = per_cpu(points); });
  vary(all, "cut_settle", {30, 120}, "s",
       [](Scenario& s, int length) { s.window.cut_settle = seconds(length); });
  vary(all, "cut_gain", {25, 100}, "%",
       [](Scenario& s, int percent) { s.window.cut_gain = percent / 100.0; });
  vary(all, "hard", {100, 1000}, "%",
       [](Scenario& s, int percent) { s.window.hard = percent / 100.0; });
  vary(all, "load_limit", {150, 400}, "%",
       [](Scenario& s, int percent) { s.load_limit = percent / 100.0; });
  vary(all, "reserve", {5, 15, 20}, "%",
       [](Scenario& s, int percent) { s.reservation.reserve = percent / 100.0; });
  for (const double z : {1.64, 3.0}) {
    all.push_back(
        {"z " + std::to_string(z).substr(0, 4), [=](Scenario& s) { s.reservation.z = z; }});
  }
  vary(all, "prior", {256, 1024, 2048}, "MiB",
       [](Scenario& s, std::uint64_t mebibytes) { s.reservation.prior = Bytes{mebibytes << 20}; });
  all.push_back(
      {"brake off", [](Scenario& s) { s.reservation.brake = ReservationOptions::Brake::off; }});
  return all;
}

/// A run: variation, machine, seed.
using Run = std::tuple<std::string, std::string, int>;
struct Result {
  double jobs_per_hour = 0, kills_per_hour = 0;
};
using Rows = std::map<Run, Result>;

constexpr const char* kHeading = "variation,machine,seed,jobs_per_hour,kills_per_hour";

/// nullopt if it is no file of rows. A last line that was cut off is no row.
std::optional<Rows> read_rows(const std::string& path) {
  Rows rows;
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return rows;
  if (line != kHeading) return std::nullopt;
  while (std::getline(file, line) && !file.eof()) {
    std::istringstream fields(line);
    std::string name, machine, seed, jobs, kills;
    for (std::string* each : {&name, &machine, &seed, &jobs, &kills}) {
      std::getline(fields, *each, ',');
    }
    rows[{name, machine, std::atoi(seed.c_str())}] = {std::atof(jobs.c_str()),
                                                      std::atof(kills.c_str())};
  }
  return rows;
}

std::string name_of(const HostShape& host) {
  return std::to_string(host.cores) + "/" + std::to_string(static_cast<int>(host.memory_gib));
}

Result run(const Variation& variation, const HostShape& host, int seed) {
  Scenario scenario{.host = host, .seed = static_cast<std::uint64_t>(seed), .hours = kHours};
  variation.apply(scenario);
  const Figures figures = simulate_core(Law::knee, ExecutorOptions::Learning::history, scenario,
                                        std::chrono::milliseconds(50));
  return {figures.jobs_per_hour, figures.killed_per_hour};
}

/// The runs that are missing, seed by seed, so that what is there can be compared at any time.
void add_missing(const VariationChoice& choice, const std::vector<Variation>& all, Rows& rows) {
  std::ofstream file(choice.rows, std::ios::app);
  if (rows.empty()) file << kHeading << std::endl;
  for (int seed = 1; seed <= choice.seeds; ++seed) {
    for (const HostShape& host : choice.machines) {
      for (const Variation& each : all) {
        const Run key{each.name, name_of(host), seed};
        if (rows.contains(key)) continue;
        const Result result = rows[key] = run(each, host, seed);
        file << each.name << ',' << name_of(host) << ',' << seed << ',' << result.jobs_per_hour
             << ',' << result.kills_per_hour << std::endl;
      }
    }
  }
}

/// Differences from the defaults: one for each seed, over the machines that both have.
struct Compared {
  std::vector<double> jobs;   ///< Mean of ln(jobs/h ÷ jobs/h).
  std::vector<double> kills;  ///< Mean kills an hour.
};

Compared compared_with_defaults(const Rows& rows, const std::string& name) {
  struct Sum {
    double jobs = 0, kills = 0;
    int count = 0;
  };
  std::map<int, Sum> by_seed;
  for (const auto& [key, varied] : rows) {
    const auto& [variation, machine, seed] = key;
    const auto base = rows.find({kDefaults, machine, seed});
    if (variation != name || base == rows.end()) continue;
    Sum& sum = by_seed[seed];
    sum.jobs += std::log(varied.jobs_per_hour / base->second.jobs_per_hour);
    sum.kills += varied.kills_per_hour - base->second.kills_per_hour;
    ++sum.count;
  }
  Compared all;
  for (const auto& [seed, sum] : by_seed) {
    all.jobs.push_back(sum.jobs / sum.count);
    all.kills.push_back(sum.kills / sum.count);
  }
  return all;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double each : values) sum += each;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// The chance of a gain above `worth`.
double gain_p(std::vector<double> differences, double worth) {
  for (double& each : differences) each -= worth;
  return signed_rank_p(differences);
}

void print(const std::vector<Variation>& all, const Rows& rows) {
  std::vector<std::string> names;
  std::vector<Compared> compared;
  std::vector<double> p;
  for (const Variation& each : all) {
    if (each.name == kDefaults) continue;
    names.push_back(each.name);
    compared.push_back(compared_with_defaults(rows, each.name));
    p.push_back(gain_p(compared.back().jobs, std::log(1 + kWorth)));
    std::vector<double> fewer;
    for (const double kills : compared.back().kills) fewer.push_back(-kills);
    p.push_back(signed_rank_p(fewer));
  }
  const std::vector<double> corrected = holm(p);
  std::printf("%-18s %5s %8s %8s %8s %8s  %s\n", "variation", "seeds", "jobs/h %", "p > 2 %",
              "kills/h", "p fewer", "better");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double jobs = 100 * (std::exp(mean(compared[i].jobs)) - 1);
    const double kills = mean(compared[i].kills);
    const bool is_faster = corrected[2 * i] < kLevel && kills <= 0;
    const bool is_safer = corrected[2 * i + 1] < kLevel && jobs >= -100 * kWorth;
    std::printf("%-18s %5zu %+8.2f %8.4f %+8.2f %8.4f  %s\n", names[i].c_str(),
                compared[i].jobs.size(), jobs, corrected[2 * i], kills, corrected[2 * i + 1],
                is_faster ? "faster" : (is_safer ? "safer" : ""));
  }
}

}  // namespace

bool compare_variations(const VariationChoice& choice) {
  std::vector<Variation> all;
  for (Variation& each : variations()) {
    const auto begins = [&](const std::string& name) { return each.name.starts_with(name); };
    const bool is_chosen =
        choice.names.empty() || each.name == kDefaults || std::ranges::any_of(choice.names, begins);
    if (is_chosen) all.push_back(std::move(each));
  }
  auto rows = read_rows(choice.rows);
  if (!rows || !std::ofstream(choice.rows, std::ios::app)) {
    std::fprintf(stderr, "bench_law: %s is no file of rows, or cannot be written\n",
                 choice.rows.c_str());
    return false;
  }
  add_missing(choice, all, *rows);
  print(all, *rows);
  return true;
}

}  // namespace sluice::model

#include "cli/autoscale_run.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

#include "cli/autoscale_counted.h"
#include "cli/autoscale_plot.h"
#include "cli/autoscale_stats.h"
#include "cli/autoscale_text.h"
#include "cli/config_from.h"
#include "cli/replay_plot.h"
#include "cli/state_folder.h"
#include "service/fleet_averages.h"
#include "service/metrics_port.h"
#include "service/signals.h"
#include "sluice/version.h"

namespace sluice::cli {
namespace {
namespace fs = std::filesystem;

/// As many as a picture has columns for, some times over.
constexpr std::size_t kMostRows = 4000;

std::string state_file(const AutoscaleArguments& given) {
  if (!given.state.empty()) return given.state;
  const auto folder = state_folder("", config_from(given.config));
  if (!folder)
    throw std::runtime_error("--state: there is no home to keep the state in; say where");
  return *folder + "/autoscale/state.json";
}

/// Statistics as a file and as pictures. What fails there is said once and stops nothing.
class Statistics {
 public:
  Statistics(const AutoscaleArguments& given, const std::string& state) {
    const fs::path parent = fs::path(state).parent_path();
    const fs::path beside = parent.empty() ? "." : parent;
    if (given.csv || !given.csv_file.empty()) {
      csv_ = given.csv_file.empty() ? (beside / "stats.csv").string() : given.csv_file;
    }
    if (given.plot || !given.plot_folder.empty()) {
      folder_ = given.plot_folder.empty() ? beside.string() : given.plot_folder;
      ending_ = given.plot_as;
    }
    std::error_code ignored;
    if (!csv_.empty()) fs::create_directories(fs::path(csv_).parent_path(), ignored);
    if (folder_.empty()) return;
    fs::create_directories(folder_, ignored);
    // The pictures go on where a process before this one ended.
    std::ifstream file(csv_, std::ios::binary);
    rows_ = stats_rows(std::string(std::istreambuf_iterator<char>(file), {}));
    thin_out(rows_, kMostRows);
  }

  void note(const StatsRow& row) {
    if (!csv_.empty()) say(append(row));
    if (folder_.empty()) return;
    rows_.push_back(row);
    thin_out(rows_, kMostRows);
    if (!drawing_.exchange(true)) draw();
  }

  /// The pictures are of all that was noted.
  void end() {
    if (rows_.empty()) return;
    if (drawer_.joinable()) drawer_.join();
    draw();
    drawer_.join();
    say(std::exchange(drawn_, std::nullopt));
  }

 private:
  std::optional<std::string> append(const StatsRow& row) const {
    std::error_code ignored;
    const auto size = fs::file_size(csv_, ignored);
    const bool fresh = ignored || size == 0;
    std::FILE* file = std::fopen(csv_.c_str(), "ae");
    if (!file) return csv_ + ": " + std::strerror(errno);
    const std::string text = (fresh ? stats_head() : "") + stats_line(row);
    const bool wrote = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const bool closed = std::fclose(file) == 0;
    if (wrote && closed) return std::nullopt;
    return csv_ + ": " + std::strerror(errno);
  }
  /// On a thread of its own, for gnuplot takes longer than some intervals are.
  void draw() {
    if (drawer_.joinable()) drawer_.join();
    say(std::exchange(drawn_, std::nullopt));
    drawer_ = std::jthread([this, script = stats_plot(rows_, folder_, ending_)] {
      drawn_ = run_gnuplot(script);
      drawing_ = false;
    });
  }
  void say(const std::optional<std::string>& problem) {
    if (problem && *problem != said_) std::cerr << "sluice autoscale: " << *problem << "\n";
    said_ = problem.value_or(said_);
  }

  std::string csv_, folder_, ending_, said_;
  std::vector<StatsRow> rows_;
  std::atomic<bool> drawing_{false};
  std::optional<std::string> drawn_;  ///< What went wrong; the drawer's while it draws.
  std::jthread drawer_;
};

/// Prints each look.
class Teller {
 public:
  explicit Teller(bool json) : json_(json), style_(style_of(STDOUT_FILENO)) {}

  void tell(const FleetRound& round, const Instant& instant) {
    if (json_) {
      std::cout << autoscale_json(round, instant) << std::flush;
      return;
    }
    const auto lines = autoscale_lines(round, instant, style_);
    const std::size_t page = style_.height > 5 ? style_.height - 2 : 0;
    if (!headed_ || (page > 0 && since_head_ + lines.size() > page)) {
      std::cout << autoscale_head(style_) << "\n";
      headed_ = true;
      since_head_ = 1;
    }
    for (const std::string& line : lines) std::cout << line << "\n";
    since_head_ += lines.size();
    std::cout << std::flush;
  }

 private:
  bool json_;
  Style style_;
  bool headed_ = false;
  std::size_t since_head_ = 0;
};

/// Waits for the instant; false: told to end before it.
bool wait_until(TimePoint then, const SignalDescriptor& signals) {
  while (true) {
    const TimePoint now = Clock::now();
    if (signals.next()) return false;
    if (now >= then) return true;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(then - now).count();
    pollfd ready{signals.descriptor(), POLLIN, 0};
    poll(&ready, 1, static_cast<int>(std::min<decltype(left)>(left, 60'000)));
  }
}

FleetHands hands_of(const AutoscalePlan& plan, FleetStateFile& file, Counted& counted) {
  FleetHands hands;
  hands.look = [&plan] { return look_at_fleet(plan.places, plan.queue, plan.asking); };
  hands.ask = [&plan](const SeenExecutor& executor) {
    return ask_executor(executor.place, plan.asking);
  };
  hands.tell = [&plan](const SeenExecutor& executor, const std::string& verb) {
    return tell_executor(executor.place, verb, plan.asking);
  };
  hands.save = [&file, &counted](const FleetState& state) {
    const auto problem = file.save(state, Clock::now());
    if (!problem) return;
    counted.state_failed();
    std::cerr << "sluice autoscale: the state cannot be kept: " << *problem << "\n";
  };
  hands.scaler = plan.scaler.get();
  return hands;
}

}  // namespace

int run_autoscale(const AutoscaleArguments& given) {
  const AutoscalePlan plan = autoscale_plan(given);
  const SignalDescriptor signals({SIGINT, SIGTERM});
  FleetStateFile file(state_file(given));
  Counted counted(plan.settings.rules);
  std::optional<MetricsPort> port;
  try {
    if (given.metrics != "off" && !given.once) {
      port.emplace(given.metrics, [&] { return counted.page(); });
    }
  } catch (const std::runtime_error& problem) {
    throw std::runtime_error(std::string("--metrics: ") + problem.what());
  }
  if (port) std::cerr << "sluice autoscale: metrics at http://" << port->address() << "/metrics\n";
  std::string note;
  FleetState state = file.load(Clock::now(), note);
  if (!note.empty()) std::cerr << "sluice autoscale: " << note << "\n";
  FleetKeeper keeper(plan.settings, hands_of(plan, file, counted), std::move(state));
  FleetAverages averages(plan.settings.rules.lookback);
  Statistics statistics(given, file.path());
  Teller teller(given.json);
  TimePoint next = Clock::now();
  while (wait_until(next, signals)) {
    const Instant instant = this_instant();
    const FleetRound round = keeper.round(instant.now);
    averages.note(round.look, instant.now);
    counted.note(round, instant);
    teller.tell(round, instant);
    if (const auto row = stats_row(round, averages.means(), instant.wall)) statistics.note(*row);
    if (given.once) {
      statistics.end();
      return why_blind(round).empty() && round.failed_adds + round.failed_removes == 0 ? 0 : 1;
    }
    // A look that took long delays the next one, and does not bring two at once.
    next = std::max(next + plan.settings.rules.interval, Clock::now());
  }
  statistics.end();
  return 0;
}

}  // namespace sluice::cli

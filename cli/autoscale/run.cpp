#include "cli/autoscale/run.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <utility>

#include "autoscale/fleet_averages.h"
#include "autoscale/metrics_port.h"
#include "base/readiness.h"
#include "cli/autoscale/autoscale_metrics.h"
#include "cli/autoscale/plan.h"
#include "cli/autoscale/stats_files.h"
#include "cli/autoscale/text.h"
#include "cli/settings/config_from.h"
#include "cli/terminal/gnuplot.h"
#include "process/child/signals.h"

namespace sluice::cli {
namespace {
namespace fs = std::filesystem;

std::string state_file(const AutoscaleArguments& given) {
  if (!given.state.empty()) return given.state;
  const auto folder = state_folder("", config_from(given.config));
  if (!folder) throw std::runtime_error("no state folder: HOME is not set; give --state FILE");
  return *folder + "/autoscale/state.json";
}

/// Where statistics go: beside the state unless a place is given.
StatisticsPlaces statistics_places(const AutoscaleArguments& given, const std::string& state) {
  const fs::path parent = fs::path(state).parent_path();
  const fs::path beside = parent.empty() ? "." : parent;
  StatisticsPlaces places{given.csv_file, given.plot_folder, given.plot_as};
  if (given.csv && places.csv.empty()) places.csv = (beside / "stats.csv").string();
  if (given.plot && places.folder.empty()) places.folder = beside.string();
  return places;
}

/// Prints each reconciliation.
class Reporter {
 public:
  explicit Reporter(bool json) : json_(json), style_(style_of(STDOUT_FILENO)) {}

  void tell(const ReconcileResult& result, const Instant& instant) {
    if (json_) {
      std::cout << autoscale_json(result, instant) << std::flush;
      return;
    }
    const auto lines = autoscale_lines(result, instant, style_);
    const std::size_t page = style_.height > 5 ? style_.height - 2 : 0;
    if (!headed_ || (page > 0 && since_head_ + lines.size() > page)) {
      std::cout << autoscale_head(style_) << "\n";
      headed_ = true;
      since_head_ = 1;
    }
    for (const std::string& line : lines) {
      std::cout << (style_.charset == Charset::ascii ? ascii(line) : line) << "\n";
    }
    since_head_ += lines.size();
    std::cout << std::flush;
  }

 private:
  bool json_;
  Style style_;
  bool headed_ = false;
  std::size_t since_head_ = 0;
};

/// Waits until `then`; false if a signal arrives first.
bool wait_until(TimePoint then, const SignalDescriptor& signals) {
  while (true) {
    const TimePoint now = Clock::now();
    if (signals.next()) return false;
    if (now >= then) return true;
    is_readable(signals.descriptor(), then - now);
  }
}

FleetCallbacks callbacks_of(const AutoscalePlan& plan, FleetStateFile& file,
                            AutoscaleMetrics& metrics) {
  FleetCallbacks callbacks;
  callbacks.fleet = [&plan] { return observe_fleet(plan.places, plan.queue, plan.asking); };
  callbacks.ask = [&plan](const ExecutorObservation& executor) {
    return ask_executor(executor.place, plan.asking);
  };
  callbacks.tell = [&plan](const ExecutorObservation& executor, const std::string& verb) {
    return tell_executor(executor.place, verb, plan.asking);
  };
  callbacks.save = [&file, &metrics](const FleetState& state) {
    const auto problem = file.save(state, Clock::now());
    if (!problem) return;
    metrics.state_failed();
    std::cerr << "sluice autoscale: the state cannot be saved: " << *problem << "\n";
  };
  callbacks.scaler = plan.scaler.get();
  return callbacks;
}

}  // namespace

int run_autoscale(const AutoscaleArguments& given) {
  const AutoscalePlan plan = autoscale_plan(given);
  const SignalDescriptor signals({SIGINT, SIGTERM});
  FleetStateFile file(state_file(given));
  AutoscaleMetrics metrics(plan.settings.rules);
  std::optional<MetricsPort> port;
  try {
    if (given.metrics != "off" && !given.once) {
      port.emplace(given.metrics, [&] { return metrics.page(); });
    }
  } catch (const std::runtime_error& problem) {
    throw std::runtime_error(std::string("--metrics: ") + problem.what());
  }
  if (port) std::cerr << "sluice autoscale: metrics at http://" << port->address() << "/metrics\n";
  std::string note;
  FleetState state = file.load(Clock::now(), note);
  if (!note.empty()) std::cerr << "sluice autoscale: " << note << "\n";
  FleetController controller(plan.settings, callbacks_of(plan, file, metrics), std::move(state));
  FleetAverages averages(plan.settings.rules.lookback);
  const auto complain = [](const std::string& problem) {
    std::cerr << "sluice autoscale: " << problem << "\n";
  };
  Statistics statistics(statistics_places(given, file.path()), {run_gnuplot, complain});
  Reporter reporter(given.json);
  TimePoint next = Clock::now();
  while (wait_until(next, signals)) {
    const Instant instant = this_instant();
    const ReconcileResult result = controller.reconcile(instant.now);
    averages.observe(result.fleet, instant.now);
    metrics.record(result, instant);
    reporter.tell(result, instant);
    if (const auto row = stats_row(result, averages.means(), instant.wall))
      statistics.append_row(*row);
    if (given.once) {
      statistics.end();
      return why_blind(result).empty() && result.failures() == 0 ? 0 : 1;
    }
    // A slow reconciliation delays the next one instead of causing two in a row.
    next = std::max(next + plan.settings.rules.interval, Clock::now());
  }
  statistics.end();
  return 0;
}

}  // namespace sluice::cli

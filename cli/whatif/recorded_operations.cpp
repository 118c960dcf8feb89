#include "cli/whatif/recorded_operations.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/config.h"

namespace sluice::cli {
namespace {

using Do = ScenarioEvent::Do;

/// What operators have set.
struct Positions {
  Do host = Do::resume;                ///< Or `pause`, or `drain`.
  std::map<std::string, bool> queues;  ///< Whether each is paused; others are as configured.
};

/// The queues of a configuration, and whether each is paused.
std::map<std::string, bool> queues_of(const Config& config) {
  std::map<std::string, bool> queues;
  for (const auto& [name, options] : config.governing.queueing.queues) {
    queues[name] = options.paused;
  }
  return queues;
}

std::optional<bool> found_in(const std::map<std::string, bool>& queues, const std::string& name) {
  const auto found = queues.find(name);
  return found == queues.end() ? std::nullopt : std::optional(found->second);
}

/// "paused", "resumed", "draining" or "queue NAME paused", as the daemon says it.
void operate(Positions& positions, std::string_view what) {
  constexpr std::string_view kQueue = "queue ";
  if (what.starts_with(kQueue)) {
    const std::size_t end = std::max(what.rfind(' '), kQueue.size());
    positions.queues[std::string(what.substr(kQueue.size(), end - kQueue.size()))] =
        what.ends_with("paused");
  } else if (what == "paused" && positions.host != Do::drain) {
    positions.host = Do::pause;  // Only a resumption ends a drain.
  } else if (what == "resumed") {
    positions.host = Do::resume;
  } else if (what == "draining") {
    positions.host = Do::drain;
  }
}

/// Something that changes positions.
struct Step {
  When when;
  const std::string* act = nullptr;     ///< Of an operator, or `RecordedWork::kRestart`;
  const std::string* config = nullptr;  ///< or the text of a configuration;
  /// or all that stands of operators' acts.
  const std::vector<std::string>* standing = nullptr;
};

std::vector<Step> steps_of(const RecordedWork& work, const RecordedSpan& span) {
  std::vector<Step> steps;
  for (const auto& [when, act] : work.operations) steps.push_back({when, &act});
  for (const auto& [when, each] : work.configurations) {
    steps.push_back({when, nullptr, &each.text.text});
  }
  for (const auto& [when, acts] : work.standing) steps.push_back({when, nullptr, nullptr, &acts});
  std::erase_if(steps, [&](const Step& each) { return each.when > span.to; });
  std::ranges::stable_sort(steps, std::less<>(), &Step::when);
  return steps;
}

/// The positions as the record goes on, and which queues its configuration pauses.
class Operators {
 public:
  explicit Operators(double cpus) : cpus_(cpus) {}

  void apply(const Step& step) {
    if (step.config) return configure(*step.config);
    if (step.standing) return restate(*step.standing);
    if (*step.act == RecordedWork::kRestart) {
      now_ = {};
    } else {
      operate(now_, *step.act);
    }
  }
  const Positions& now() const { return now_; }
  /// Without the queues that are as configured.
  Positions beside_configuration() const {
    Positions beside = now_;
    std::erase_if(beside.queues, [&](const auto& each) {
      return configured_ && found_in(*configured_, each.first) == each.second;
    });
    return beside;
  }

 private:
  /// An entry that is missing has taken back all that is not told again.
  void restate(const std::vector<std::string>& acts) {
    for (auto& [queue, is_paused] : now_.queues) {
      is_paused = configured_ && found_in(*configured_, queue).value_or(false);
    }
    restated_ = {};
    for (const std::string& each : acts) operate(restated_, each);
    now_.host = restated_.host;
    for (const auto& [queue, is_paused] : restated_.queues) now_.queues[queue] = is_paused;
  }

  /// A queue whose `paused` changes gets that position; else an operator's stays. Those that were
  /// just told again are told beside the configuration that the daemon records right after them.
  void configure(const std::string& text) {
    const Positions restated = std::exchange(restated_, {});
    if (text == text_) return;
    text_ = text;
    const ConfigResult parsed = parse_config(text, "the recorded configuration", cpus_);
    const auto* config = std::get_if<Config>(&parsed);
    if (!config) return;
    const auto before = std::exchange(configured_, queues_of(*config));
    if (!before) return;
    std::erase_if(now_.queues, [&](const auto& each) {
      return !restated.queues.contains(each.first) &&
             found_in(*before, each.first) != found_in(*configured_, each.first);
    });
  }

  double cpus_;
  Positions now_;
  Positions restated_;  ///< By the last restatement, until a configuration is recorded.
  std::optional<std::string> text_;
  std::optional<std::map<std::string, bool>> configured_;
};

/// The configuration in force in the scenario.
const Config& config_in_force(const Scenario& scenario, Duration at) {
  const Config* config = &scenario.config;
  for (const ScenarioEvent& each : scenario.events) {
    if (each.config && each.at <= at) config = each.config.get();
  }
  return *config;
}

void add_queue(const std::string& queue, bool is_paused, Duration at, Scenario& scenario) {
  scenario.events.push_back(
      {.at = at, .what = is_paused ? Do::pause_queue : Do::resume_queue, .queue = queue});
}

/// Adds what has changed. A queue that is no longer set is as the configuration has it.
void add_changes(const Positions& before, const Positions& after, Duration at, Scenario& scenario) {
  if (before.host != after.host) scenario.events.push_back({.at = at, .what = after.host});
  for (const auto& [queue, is_paused] : after.queues) {
    if (found_in(before.queues, queue) != is_paused) add_queue(queue, is_paused, at, scenario);
  }
  for (const auto& [queue, is_paused] : before.queues) {
    if (after.queues.contains(queue)) continue;
    const auto configured = found_in(queues_of(config_in_force(scenario, at)), queue);
    if (configured && *configured != is_paused) add_queue(queue, *configured, at, scenario);
  }
}

/// Jobs that already wait are submitted as the replay begins, which a drain would refuse.
void add_begin(Positions begin, Scenario& scenario) {
  const bool drains = begin.host == Do::drain;
  if (drains) begin.host = Do::pause;
  add_changes({}, begin, Duration{0}, scenario);
  if (drains) scenario.events.push_back({.at = Duration{1}, .what = Do::drain});
}

}  // namespace

void add_operations(const RecordedWork& work, const RecordedSpan& span, Scenario& scenario) {
  const std::vector<Step> steps = steps_of(work, span);
  Operators operators(scenario.cpus);
  auto step = steps.begin();
  for (; step != steps.end() && span.at(step->when) == Duration{0}; ++step) operators.apply(*step);
  add_begin(operators.beside_configuration(), scenario);
  while (step != steps.end()) {
    const When when = step->when;
    const Positions before = operators.now();
    // All that is told at one moment is one change.
    for (; step != steps.end() && step->when <= when; ++step) operators.apply(*step);
    add_changes(before, operators.now(), span.at(when), scenario);
  }
}

}  // namespace sluice::cli

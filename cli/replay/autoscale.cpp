#include "cli/replay/autoscale.h"

#include <utility>

#include "base/json_writer.h"
#include "base/suggest.h"
#include "cli/replay/records.h"

namespace sluice::cli {
namespace {

constexpr std::size_t kDecisionTimeColumns = 12;
constexpr std::size_t kChangeColumns = 9;
constexpr std::size_t kReasonColumns = 10;

std::string change_text(const ScaleDecision& decision) {
  if (decision.add > 0) return "+" + std::to_string(decision.add);
  if (!decision.remove.empty()) return "-" + std::to_string(decision.remove.size());
  return "0";
}

Colour decision_colour(const ScaleDecision& decision) {
  if (decision.add > 0) return Colour::green;
  if (!decision.remove.empty()) return Colour::yellow;
  return decision.reason == ScaleReason::runaway || decision.reason == ScaleReason::blind
             ? Colour::red
             : Colour::dim;
}

std::string decision_details(const ScaleDecision& decision) {
  const std::string gone = join_words(decision.remove);
  return (gone.empty() ? "" : gone + ": ") + why(decision);
}

}  // namespace

void replay_autoscaler(const AutoscaleScenario& scenario,
                       const std::function<void(const ScaleRecord&)>& on_record) {
  AutoscaleState state = start_autoscaler(TimePoint{scenario.started});
  for (const TimedObservation& observation : scenario.observations) {
    const TimePoint now{observation.at};
    ScaleStep step = decide(observation.seen, std::move(state), scenario.options, now);
    state = std::move(step.state);
    if (step.decision.changes()) state = after_change(std::move(state), now);
    on_record({observation.at, std::move(step.decision)});
  }
}

void append_json(std::string& out, const ScaleRecord& record) {
  JsonWriter json(out);
  json.begin_object().key("t").raw(exact_seconds(record.t)).member("event", "scale");
  json.member("add", record.decision.add).member("remove", record.decision.remove);
  json.member("reason", name_of(record.decision.reason)).end_object();
  out += '\n';
}

std::string scale_table_head(const Style& style) {
  return painted(style, Colour::dim,
                 padded_left("seconds", kDecisionTimeColumns) + "  " +
                     padded_left("executors", kChangeColumns) + "  " +
                     padded("reason", kReasonColumns) + "  why");
}

std::string scale_table_line(const ScaleRecord& record, const Style& style) {
  const Colour colour = decision_colour(record.decision);
  const std::string line =
      padded_left(exact_seconds(record.t), kDecisionTimeColumns) + "  " +
      painted(style, colour, padded_left(change_text(record.decision), kChangeColumns)) + "  " +
      painted(style, colour, padded(name_of(record.decision.reason), kReasonColumns)) + "  " +
      harmless(decision_details(record.decision));
  return cut(line, style.width);
}

}  // namespace sluice::cli

#include "sensors/command.h"

#include "base/parse.h"
#include "base/text.h"
#include "sensors/number_file.h"
#include "sensors/pressure.h"

namespace sluice {
namespace {

constexpr std::size_t kMostSentence = 200;

ReadFailure bad_status(const std::string& name, int status) {
  return {name + ": exit status " + std::to_string(status)};
}

Result<Reading> status_reading(const CommandOutcome& outcome, const std::string& name) {
  if (outcome.exit_status > 1) return bad_status(name, outcome.exit_status);
  Reading reading;
  reading.conditions.push_back(
      condition_at_most("status", outcome.exit_status, 1, Unit::count, AtLimit::red));
  std::string_view output = trimmed(outcome.output);
  reading.sentence = printable(trimmed(next_line(output)), kMostSentence);
  if (reading.sentence.empty()) {
    reading.sentence = "exit status " + std::to_string(outcome.exit_status);
  }
  reading.source = name;
  return reading;
}

}  // namespace

Result<Reading> command_reading(const CommandOutcome& outcome, std::optional<double> limit,
                                const std::string& name) {
  if (!limit) return status_reading(outcome, name);
  if (outcome.exit_status != 0) return bad_status(name, outcome.exit_status);
  const auto number = parse_single_number(outcome.output);
  if (!value_in(number)) return about(name, failure_in(number));
  return number_reading(*value_in(number), *limit, name);
}

Result<Reading> CommandSensor::read(TimePoint) {
  const auto outcome = run_for_output(command_, timeout_);
  if (!value_in(outcome)) return failure_in(outcome);
  return command_reading(*value_in(outcome), limit_, printable(command_.front()));
}

}  // namespace sluice

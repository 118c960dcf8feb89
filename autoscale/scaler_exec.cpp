#include "autoscale/scaler_exec.h"

#include <algorithm>
#include <utility>

#include "base/parse.h"
#include "base/suggest.h"
#include "base/text.h"
#include "sensors/child_process.h"

namespace sluice {
namespace {

constexpr std::size_t kMostOrderOutput = std::size_t{1} << 20;
constexpr std::size_t kMostTold = 300;

bool may_stand_in_name(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._:@%+-").find(static_cast<char>(c)) != std::string_view::npos;
}

}  // namespace

bool is_executor_name(std::string_view name) {
  return !name.empty() && name.size() <= 253 && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), may_stand_in_name);
}

std::vector<std::string> filled_in(const std::vector<std::string>& command, std::string_view name) {
  std::vector<std::string> words = command;
  for (std::string& word : words) word = replaced(std::move(word), "{name}", name);
  return words;
}

OrderOutcome run_order(const std::vector<std::string>& command, Duration timeout) {
  // Captures the command's standard error as well.
  std::vector<std::string> words{"/bin/sh", "-c", "exec \"$@\" 2>&1", "sh"};
  words.insert(words.end(), command.begin(), command.end());
  auto result = run_for_output(words, timeout, {CommandManner::Leftovers::stay, kMostOrderOutput});
  const std::string name = command.empty() ? "" : printable(command.front());
  if (const auto* failure = std::get_if<ReadFailure>(&result)) {
    const std::string_view what = failure->what;
    const std::size_t colon = std::min(what.find(": "), what.size());
    return {"", name + std::string(what.substr(colon)), true};
  }
  auto& outcome = std::get<CommandOutcome>(result);
  if (outcome.exit_status == 0) return {std::move(outcome.output), ""};
  std::string problem = name + ": exit status " + std::to_string(outcome.exit_status);
  const std::string told = printable(last_line_of(outcome.output), kMostTold);
  if (!told.empty()) problem += ", " + told;
  return {std::move(outcome.output), std::move(problem)};
}

ScalerReply ExecScaler::add(const std::vector<std::string>& names) {
  return each(options_.add, names);
}

Removable ExecScaler::removable(const std::vector<std::string>& ids) {
  Removable removable;
  for (const std::string& id : ids) {
    if (is_executor_name(id)) {
      removable.ids.push_back(id);
    } else {
      removable.reason = quote_text(id) + " cannot be put into a command";
    }
  }
  return removable;
}

ScalerReply ExecScaler::remove(const std::vector<std::string>& ids) {
  return each(options_.remove, ids);
}

ScalerReply ExecScaler::each(const std::vector<std::string>& command,
                             const std::vector<std::string>& names) {
  ScalerReply reply;
  for (const std::string& name : names) {
    if (!is_executor_name(name)) {
      reply.problem = quote_text(name) + " cannot be put into a command";
      return reply;
    }
    const OrderOutcome outcome = run_order(filled_in(command, name), options_.timeout);
    if (!outcome.problem.empty()) {
      reply.problem = outcome.problem;
      if (outcome.cut_off) reply.unsure.push_back(name);
      return reply;
    }
    reply.done.push_back(name);
  }
  return reply;
}

}  // namespace sluice

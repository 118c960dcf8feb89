#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autoscale/scaler.h"
#include "sluice/units.h"

namespace sluice {

/// Whether a name is safe in commands: letters, digits and "._:@%+-", at most 253 characters, and
/// not to be mistaken for an option.
bool is_executor_name(std::string_view name);

/// The words of a command with `{name}` replaced. Pure.
std::vector<std::string> filled_in(const std::vector<std::string>& command, std::string_view name);

/// The result of an operator's command: its output, including standard error, and the problem.
struct OrderOutcome {
  std::string output;
  std::string problem;   ///< Empty for exit status 0.
  bool cut_off = false;  ///< It was killed, so its progress is unknown.
};

/// Runs it to its end, at most `timeout`; processes that it left running stay.
OrderOutcome run_order(const std::vector<std::string>& command, Duration timeout);

/// Makes and removes executors with an operator's commands, one after another; the first failure
/// ends the order.
class ExecScaler : public Scaler {
 public:
  struct Options {
    std::vector<std::string> add;     ///< Words; `{name}` in them stands for the executor's name.
    std::vector<std::string> remove;  ///< Likewise.
    Duration timeout = std::chrono::minutes(2);  ///< Of each command.
  };
  explicit ExecScaler(Options options) : options_(std::move(options)) {}

  ScalerReply add(const std::vector<std::string>& names) override;
  Removable removable(const std::vector<std::string>& ids) override;
  Removes removes() const override { return Removes::one_by_one; }
  ScalerReply remove(const std::vector<std::string>& ids) override;
  void cancel_removal(const std::vector<std::string>&) override {}

 private:
  ScalerReply each(const std::vector<std::string>& command, const std::vector<std::string>& names);

  Options options_;
};

}  // namespace sluice

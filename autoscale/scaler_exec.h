#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autoscale/scaler.h"
#include "sluice/units.h"

namespace sluice {

/// Whether a name may be put into commands: letters, digits and "._:@%+-", at most 253, and not
/// one that could be taken for an option.
bool is_executor_name(std::string_view name);

/// The words of a command with `{name}` replaced. Pure.
std::vector<std::string> filled_in(const std::vector<std::string>& command, std::string_view name);

/// How a command of an operator's ended: what it printed, also on standard error, and what is wrong
/// with its end.
struct OrderOutcome {
  std::string output;
  std::string problem;   ///< Empty: exit status 0.
  bool cut_off = false;  ///< It was killed, so nobody knows how far it came.
};

/// Runs it to its end, at most `timeout`; what it started and left running stays.
OrderOutcome run_order(const std::vector<std::string>& command, Duration timeout);

/// Has an operator's commands make and end executors, one after the other: the first that fails
/// ends the order.
class ExecScaler : public Scaler {
 public:
  struct Options {
    std::vector<std::string> add;     ///< Words; `{name}` in them is the executor's name.
    std::vector<std::string> remove;  ///< Likewise.
    Duration timeout = std::chrono::minutes(2);  ///< Of each command.
  };
  explicit ExecScaler(Options options);

  ScalerReply add(const std::vector<std::string>& names) override;
  Removable removable(const std::vector<std::string>& ids) override;
  Removes removes() const override { return Removes::one_by_one; }
  ScalerReply remove(const std::vector<std::string>& ids) override;
  void keep(const std::vector<std::string>& ids) override;

 private:
  ScalerReply each(const std::vector<std::string>& command, const std::vector<std::string>& names);

  Options options_;
};

}  // namespace sluice

#include "recognition/pipelines.h"

#include <sys/types.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "recognition/process_facts.h"

namespace sluice {
namespace {

/// The standard pipes of processes, each read once.
class KnownPipes {
 public:
  bool join(pid_t process, pid_t other) {
    const StandardPipes& one = of(process);
    const StandardPipes& two = of(other);
    return is_same(one.output, two.input) || is_same(two.output, one.input);
  }

 private:
  static bool is_same(const std::string& output, const std::string& input) {
    return !output.empty() && output == input;
  }
  const StandardPipes& of(pid_t process) {
    const auto [found, is_new] = read_.try_emplace(process);
    if (is_new) found->second = read_standard_pipes(process);
    return found->second;
  }

  std::map<pid_t, StandardPipes> read_;
};

std::vector<pid_t> stages_beside_running_ones(const BuildTree& tree, KnownPipes& pipes) {
  const std::vector<pid_t> running = tree.holders();
  std::vector<pid_t> stages;
  for (const HeldProcess& each : tree.held()) {
    const bool is_stage = std::ranges::any_of(running, [&](pid_t other) {
      return tree.may_go_with(each.process, other) && pipes.join(each.process, other);
    });
    if (is_stage) stages.push_back(each.process);
  }
  return stages;
}

}  // namespace

void let_stages_go(BuildTree& tree) {
  KnownPipes pipes;
  // A stage that goes on is beside the next one.
  for (auto next = stages_beside_running_ones(tree, pipes); !next.empty();
       next = stages_beside_running_ones(tree, pipes)) {
    for (const pid_t each : next) tree.let_go(each, NoPermitReason::pipeline);
  }
}

}  // namespace sluice

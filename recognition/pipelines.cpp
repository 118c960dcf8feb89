#include "recognition/pipelines.h"

#include <sys/types.h>

#include <algorithm>
#include <string>
#include <vector>

#include "recognition/process_facts.h"

namespace sluice {
namespace {

bool are_joined(pid_t process, pid_t other) {
  const StandardPipes one = read_standard_pipes(process);
  const StandardPipes two = read_standard_pipes(other);
  const auto is_same = [](const std::string& output, const std::string& input) {
    return !output.empty() && output == input;
  };
  return is_same(one.output, two.input) || is_same(two.output, one.input);
}

std::vector<pid_t> stages_beside_running_ones(const BuildTree& tree) {
  const std::vector<pid_t> running = tree.holders();
  std::vector<pid_t> stages;
  for (const HeldProcess& each : tree.held()) {
    const bool is_stage = std::ranges::any_of(running, [&](pid_t other) {
      return tree.may_go_with(each.process, other) && are_joined(each.process, other);
    });
    if (is_stage) stages.push_back(each.process);
  }
  return stages;
}

}  // namespace

void let_stages_go(BuildTree& tree) {
  // A stage that goes on is beside the next one.
  for (auto next = stages_beside_running_ones(tree); !next.empty();
       next = stages_beside_running_ones(tree)) {
    for (const pid_t each : next) tree.let_go(each, NoPermitReason::pipeline);
  }
}

}  // namespace sluice

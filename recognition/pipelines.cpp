#include "recognition/pipelines.h"

#include <algorithm>

#include "recognition/process_facts.h"

namespace sluice {
namespace {

bool may_share(const BuildTree& tree, pid_t process, pid_t holder) {
  if (!tree.may_work_on(process, holder)) return false;
  const StandardPipes one = read_standard_pipes(process);
  const StandardPipes other = read_standard_pipes(holder);
  const auto is_same = [](const std::string& output, const std::string& input) {
    return !output.empty() && output == input;
  };
  return is_same(one.output, other.input) || is_same(other.output, one.input);
}

}  // namespace

pid_t stage_with_permit(const BuildTree& tree, pid_t process) {
  const std::vector<pid_t> holders = tree.holders();
  const auto found =
      std::ranges::find_if(holders, [&](pid_t holder) { return may_share(tree, process, holder); });
  return found == holders.end() ? 0 : *found;
}

std::vector<pid_t> held_stages(const BuildTree& tree, pid_t holder) {
  std::vector<pid_t> stages;
  for (const HeldProcess& each : tree.held()) {
    if (may_share(tree, each.process, holder)) stages.push_back(each.process);
  }
  return stages;
}

}  // namespace sluice

#include "process/cgroup/controllers.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/parse.h"
#include "process/cgroup/tree.h"

namespace sluice {
namespace {

bool has_word(const std::string& text, std::string_view word) {
  std::string_view rest = trimmed(text);
  while (!rest.empty()) {
    if (next_word(rest) == word) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> measuring_controllers(const std::string& folder) {
  const std::string offered = read_group_file(folder + "/cgroup.controllers");
  std::vector<std::string> wanted;
  for (const char* controller : {"memory", "io"}) {
    if (has_word(offered, controller)) wanted.emplace_back(controller);
  }
  return wanted;
}

bool has_enabled_all(const std::string& folder, const std::vector<std::string>& wanted) {
  const std::string given = read_group_file(folder + "/cgroup.subtree_control");
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const std::string& each) { return has_word(given, each); });
}

int switch_controllers(const std::string& folder, const std::vector<std::string>& names,
                       char sign) {
  std::string text;
  for (const std::string& name : names) text += std::string(1, sign) + name + " ";
  return text.empty() ? 0 : write_group_file(folder + "/cgroup.subtree_control", text);
}

bool is_v2_root(const std::string& folder) {
  return access((folder + "/cgroup.type").c_str(), F_OK) != 0;
}

}  // namespace sluice

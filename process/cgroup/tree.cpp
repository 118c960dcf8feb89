#include "process/cgroup/tree.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <string_view>

#include "base/descriptors.h"
#include "base/folder.h"
#include "base/parse.h"
#include "base/process_table.h"

namespace sluice {
namespace {

void add_processes(const std::string& folder, std::vector<pid_t>& found) {
  const std::string text = read_group_file(folder + "/cgroup.procs");
  std::string_view rest = text;
  while (!rest.empty()) {
    if (const auto pid = parse_u64(next_line(rest))) found.push_back(static_cast<pid_t>(*pid));
  }
  for (const std::string& below : groups_below(folder)) add_processes(below, found);
}

/// v2 writes "frozen 1" in cgroup.events, v1 "FROZEN" in freezer.state.
bool is_frozen(const std::string& folder) {
  if (read_group_file(folder + "/freezer.state") == "FROZEN\n") return true;
  return number_of(read_group_file(folder + "/cgroup.events"), "frozen") == 1;
}

}  // namespace

std::string read_group_file(const std::string& path) {
  return beginning_of(path, std::numeric_limits<std::size_t>::max());
}

bool group_file_exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

int write_group_file(const std::string& path, const std::string& text) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file && write(file.get(), text.data(), text.size()) >= 0 ? 0 : errno;
}

std::vector<std::string> groups_below(const std::string& folder) {
  struct stat facts {};
  constexpr nlink_t kLinksOfALeaf = 2;
  if (stat(folder.c_str(), &facts) != 0 || facts.st_nlink <= kLinksOfALeaf) return {};
  return folders_in(folder);
}

std::vector<pid_t> processes_in(const std::string& folder) {
  std::vector<pid_t> found;
  add_processes(folder, found);
  return found;
}

bool freeze_group(const std::string& folder) {
  constexpr int kMostAttempts = 100;
  const bool v1 = group_file_exists(folder + "/freezer.state");
  const std::string file = v1 ? "/freezer.state" : "/cgroup.freeze";
  if (write_group_file(folder + file, v1 ? "FROZEN" : "1") != 0) return false;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    if (is_frozen(folder)) return true;
    poll(nullptr, 0, 1);
  }
  return false;
}

void thaw_group(const std::string& folder) {
  const bool v1 = group_file_exists(folder + "/freezer.state");
  write_group_file(folder + (v1 ? "/freezer.state" : "/cgroup.freeze"), v1 ? "THAWED" : "0");
}

void kill_group(const std::string& folder) {
  if (write_group_file(folder + "/cgroup.kill", "1") == 0) return;
  for (const pid_t pid : processes_in(folder)) {
    if (pid > 0) kill(pid, SIGKILL);
  }
}

bool remove_group(const std::string& folder) {
  for (const std::string& below : groups_below(folder)) remove_group(below);
  return rmdir(folder.c_str()) == 0 || errno == ENOENT;
}

}  // namespace sluice

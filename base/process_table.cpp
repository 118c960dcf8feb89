#include "base/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <set>
#include <span>

#include "base/parse.h"

namespace sluice {
namespace {

constexpr std::size_t kMostAncestors = 1024;
constexpr std::size_t kMostChildren = 1 << 16;  ///< Bytes of the list of them.

/// PF_FORKNOEXEC of the kernel's flags of a process.
constexpr std::uint64_t kForkedWithoutExec = 0x40;
constexpr std::uint64_t kKernelThread = 0x00200000;  ///< PF_KTHREAD of the same.

/// Added to the number of a process, a position in the listing of /proc just before it. Linux has
/// begun its processes at 256 since 2.6, with up to two other entries first.
constexpr long kFirstPosition = 256;

/// The most CPU time of each kind that a process can have used: a thousand CPUs for 18 days.
constexpr Duration kMostCpuTime = std::chrono::hours(24 * 365 * 50);

Descriptor open_file_of(pid_t pid, const char* name) {
  char path[48];
  std::snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
  return Descriptor(open(path, O_RDONLY | O_CLOEXEC));
}

/// The only record of a file about a process, which the kernel gives whole in one read; empty if
/// the process is gone.
std::string_view record_in(const Descriptor& file, std::span<char> buffer) {
  if (!file) return {};
  const ssize_t got = pread(file.get(), buffer.data(), buffer.size(), 0);
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

std::string_view record_of(pid_t pid, const char* name, std::span<char> buffer) {
  return record_in(open_file_of(pid, name), buffer);
}

/// Removes one word from the front of the text and returns it as a number; nullopt if it is not
/// one.
template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::string_view drop_words(std::string_view text, int count) {
  for (; count > 0; --count) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    text.remove_prefix(std::min(text.find(' '), text.size()));
  }
  return text;
}

/// Clock ticks as a time, clamped to what a process can have used.
Duration time_of(std::int64_t ticks, Duration tick) {
  return tick * std::clamp<std::int64_t>(ticks, 0, kMostCpuTime / tick);
}

Bytes page_of_this_machine() {
  static const Bytes page{static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))};
  return page;
}

/// The entries of a folder that are numbers, from a position in it on.
std::vector<pid_t> numbers_in(const std::string& folder, long position = 0) {
  std::vector<pid_t> numbers;
  DIR* const entries = opendir(folder.c_str());
  if (!entries) return numbers;
  if (position > 0) seekdir(entries, position);
  while (const dirent* entry = readdir(entries)) {
    std::string_view name = entry->d_name;
    const auto number = take_number<pid_t>(name);
    if (number && name.empty()) numbers.push_back(*number);
  }
  closedir(entries);
  return numbers;
}

bool is_there(const std::string& list) {
  return static_cast<bool>(Descriptor(open(list.c_str(), O_RDONLY | O_CLOEXEC)));
}

/// Those on the list of a thread.
void append_listed(const std::string& list, std::vector<pid_t>& children) {
  const std::string text = beginning_of(list, kMostChildren);
  std::string_view rest = text;
  while (const auto pid = take_number<pid_t>(rest)) children.push_back(*pid);
}

/// Those of all its threads, for where the kernel has no such lists.
void append_children_of(pid_t process, std::vector<pid_t>& children) {
  for (const ProcessFacts& each : read_processes()) {
    if (each.parent == process) children.push_back(each.pid);
  }
}

constexpr const char* kOwnList = "/proc/thread-self/children";

/// Each variable preceded by a NUL.
std::string environment_of(pid_t pid) {
  constexpr std::size_t kMostEnvironment = 1 << 20;
  return '\0' + beginning_of(proc_path(pid, "environ"), kMostEnvironment);
}

}  // namespace

std::string proc_path(pid_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

std::string beginning_of(const std::string& path, std::size_t limit) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file ? read_up_to(file.get(), limit).value_or("") : "";
}

std::string first_line_of(const std::string& path) {
  const std::string text = beginning_of(path, 4096);
  return text.substr(0, text.find('\n'));
}

Duration tick_of_this_machine() {
  static const Duration tick = Duration(std::chrono::seconds(1)) / sysconf(_SC_CLK_TCK);
  return tick;
}

std::optional<ProcessFacts> parse_process(std::string_view stat, Duration tick) {
  // The name in parentheses may contain anything, but ends at the last one.
  const std::size_t name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos || name_end + 3 > stat.size()) return std::nullopt;
  ProcessFacts facts;
  const auto pid = take_number<pid_t>(stat);
  std::string_view rest = stat.substr(stat.rfind(") ") + 2);
  facts.state = rest.front();
  rest.remove_prefix(1);
  const auto parent = take_number<pid_t>(rest);
  const auto group = take_number<pid_t>(rest);
  const auto session = take_number<pid_t>(rest);
  rest = drop_words(rest, 2);
  const auto flags = take_number<std::uint64_t>(rest);
  rest = drop_words(rest, 4);
  for (int field = 0; field < 4; ++field) {
    facts.cpu += time_of(take_number<std::int64_t>(rest).value_or(0), tick);
  }
  rest = drop_words(rest, 4);
  const auto started = take_number<std::uint64_t>(rest);
  rest = drop_words(rest, 1);
  facts.pages = take_number<std::uint64_t>(rest).value_or(0);
  if (!pid || !parent || !group || !session || !started) return std::nullopt;
  facts.pid = *pid;
  facts.parent = *parent;
  facts.group = *group;
  facts.session = *session;
  facts.started = *started;
  facts.has_executed = (flags.value_or(0) & kForkedWithoutExec) == 0;
  facts.is_kernel_thread = (flags.value_or(0) & kKernelThread) != 0;
  return facts;
}

std::optional<ProcessMemory> parse_process_memory(std::string_view statm, Bytes page) {
  const auto size = take_number<std::uint64_t>(statm);
  const auto resident = take_number<std::uint64_t>(statm);
  const auto shared = take_number<std::uint64_t>(statm);
  if (!size || !resident || !shared) return std::nullopt;
  const std::uint64_t own = *resident > *shared ? *resident - *shared : 0;
  return ProcessMemory{Bytes{own * page.value}, Bytes{*shared * page.value}};
}

std::optional<Bytes> parse_anonymous_part(std::string_view smaps_rollup) {
  const auto kibibytes = number_of(smaps_rollup, "Pss_Anon:");
  if (!kibibytes || *kibibytes > UINT64_MAX / 1024) return std::nullopt;
  return Bytes{*kibibytes * 1024};
}

Descriptor open_process_stat(pid_t pid) { return open_file_of(pid, "stat"); }

std::optional<ProcessFacts> read_process(const Descriptor& stat) {
  char buffer[1024];
  return parse_process(record_in(stat, buffer), tick_of_this_machine());
}

std::optional<ProcessFacts> read_process(pid_t pid) { return read_process(open_process_stat(pid)); }

std::optional<int> parse_signal_of_death(std::string_view stat) {
  const std::size_t name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos || name_end + 3 > stat.size()) return std::nullopt;
  std::string_view rest = stat.substr(name_end + 2);
  // The 52nd field, as returned by wait.
  rest = drop_words(rest, 49);
  const auto status = take_number<int>(rest);
  if (!status) return std::nullopt;
  const int signal = *status & 0x7f;
  if (signal == 0) return std::nullopt;
  return signal;
}

std::optional<int> read_signal_of_death(pid_t pid) {
  return parse_signal_of_death(beginning_of(proc_path(pid, "stat"), 1024));
}

std::vector<pid_t> ancestors_of(pid_t pid) {
  std::vector<pid_t> ancestors;
  auto process = read_process(pid);
  // A process that takes the place of an ancestor could form a cycle.
  while (process && process->parent > 0 && ancestors.size() < kMostAncestors) {
    ancestors.push_back(process->parent);
    process = read_process(process->parent);
  }
  return ancestors;
}

std::optional<ProcessMemory> read_process_memory(pid_t pid) {
  char buffer[256];
  return parse_process_memory(record_of(pid, "statm", buffer), page_of_this_machine());
}

std::optional<Bytes> read_anonymous_part(pid_t pid) {
  return parse_anonymous_part(beginning_of(proc_path(pid, "smaps_rollup"), 2048));
}

std::vector<pid_t> list_processes(pid_t first) {
  return numbers_in("/proc", first > 0 ? kFirstPosition + first : 0);
}

std::optional<pid_t> parse_newest_process(std::string_view loadavg) {
  // Three averages, running/all, and the number.
  std::string_view rest = drop_words(loadavg, 4);
  const auto number = take_number<pid_t>(rest);
  return number && *number > 0 ? number : std::nullopt;
}

std::vector<ProcessFacts> read_processes() {
  std::vector<ProcessFacts> processes;
  for (const pid_t pid : list_processes()) {
    if (const auto facts = read_process(pid)) processes.push_back(*facts);
  }
  return processes;
}

bool began_with(pid_t pid, const std::string& beginning) {
  return environment_of(pid).find('\0' + beginning) != std::string::npos;
}

std::string variable_of(pid_t pid, const std::string& name) {
  const std::string text = environment_of(pid);
  const std::string beginning = '\0' + name + '=';
  const std::size_t found = text.find(beginning);
  if (found == std::string::npos) return "";
  const std::size_t begin = found + beginning.size();
  return text.substr(begin, text.find('\0', begin) - begin);
}

std::string read_groups(pid_t pid) { return beginning_of(proc_path(pid, "cgroup"), 1 << 16); }

std::string read_schedstat(pid_t pid) {
  char buffer[128];
  return std::string(record_of(pid, "schedstat", buffer));
}

std::vector<pid_t> read_own_children() {
  std::vector<pid_t> children;
  append_listed(kOwnList, children);
  return children;
}

std::vector<pid_t> read_children_of_this_process() {
  std::vector<pid_t> children;
  is_there(kOwnList) ? append_listed(kOwnList, children) : append_children_of(getpid(), children);
  return children;
}

namespace {

/// 'X' once it has ended.
char state_of_thread(const std::string& folder) {
  const auto facts = parse_process(beginning_of(folder + "stat", 1024), tick_of_this_machine());
  return facts ? facts->state : 'X';
}

}  // namespace

bool has_busy_thread(pid_t pid) {
  const std::string threads = proc_path(pid, "task/");
  return std::ranges::any_of(numbers_in(threads), [&](pid_t thread) {
    const char state = state_of_thread(threads + std::to_string(thread) + '/');
    return state == 'R' || state == 'D';
  });
}

std::optional<std::vector<pid_t>> read_children_of_uninterruptible(pid_t pid) {
  std::optional<std::vector<pid_t>> children;
  for (const pid_t thread : numbers_in(proc_path(pid, "task"))) {
    const std::string path = proc_path(pid, "task/") + std::to_string(thread) + '/';
    if (state_of_thread(path) != 'D') continue;
    if (!children) children.emplace();
    const std::string list = path + "children";
    is_there(list) ? append_listed(list, *children) : append_children_of(pid, *children);
  }
  return children;
}

std::vector<ProcessFacts> descendants_of(const std::vector<ProcessFacts>& processes,
                                         const std::vector<pid_t>& begins) {
  const std::set<pid_t> named(begins.begin(), begins.end());
  std::set<pid_t> found;
  std::vector<ProcessFacts> members;
  bool grows = true;
  while (grows) {
    grows = false;
    for (const ProcessFacts& each : processes) {
      const bool belongs = named.contains(each.pid) || named.contains(each.group) ||
                           named.contains(each.session) || found.contains(each.parent);
      if (!belongs || !found.insert(each.pid).second) continue;
      members.push_back(each);
      grows = true;
    }
  }
  return members;
}

std::optional<std::uint64_t> read_host_oom_kills() {
  return number_of(beginning_of("/proc/vmstat", 1 << 16), "oom_kill");
}

Bytes read_host_swap() {
  return Bytes{number_of(beginning_of("/proc/meminfo", 1 << 14), "SwapTotal:").value_or(0) * 1024};
}

std::optional<ProcessUsers> parse_process_users(std::string_view status) {
  // A process chooses its name, on the first line, but the kernel escapes line ends in it.
  constexpr std::string_view line = "\nUid:";
  const std::size_t at = status.find(line);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = status.substr(at + line.size());
  const auto real = take_number<uid_t>(rest);
  const auto effective = take_number<uid_t>(rest);
  if (!real || !effective) return std::nullopt;
  return ProcessUsers{*real, *effective};
}

std::optional<ProcessUsers> users_of(pid_t process) {
  return parse_process_users(beginning_of(proc_path(process, "status"), 4096));
}

}  // namespace sluice

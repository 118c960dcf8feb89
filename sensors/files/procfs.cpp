#include "sensors/files/procfs.h"

#include <array>

#include "base/parse.h"

namespace sluice {
namespace {

std::optional<Bytes> kibibytes(std::string_view line) {
  const auto number = parse_u64(next_word(line));
  constexpr std::uint64_t kMost = UINT64_MAX / 1024;
  if (!number || *number > kMost || next_word(line) != "kB") return std::nullopt;
  return Bytes{*number * 1024};
}

std::optional<double> share(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  const auto number = parse_number(line.substr(key.size()));
  return number && *number >= 0 ? number : std::nullopt;
}

std::optional<PsiLine> psi_line(std::string_view line) {
  const auto avg10 = share(next_word(line), "avg10=");
  const auto avg60 = share(next_word(line), "avg60=");
  const auto avg300 = share(next_word(line), "avg300=");
  const std::string_view total = next_word(line);
  if (!avg10 || !avg60 || !avg300 || !total.starts_with("total=")) return std::nullopt;
  const auto microseconds = parse_u64(total.substr(6));
  if (!microseconds) return std::nullopt;
  return PsiLine{*avg10, *avg60, *avg300, *microseconds};
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    parts.emplace_back(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return parts;
}

bool is_octal(char c) { return c >= '0' && c <= '7'; }

/// mountinfo writes blanks, tabs, line ends and backslashes as \ooo.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) &&
                        is_octal(text[i + 2]) && is_octal(text[i + 3]);
    if (!escape) {
      out += text[i];
      continue;
    }
    out +=
        static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + text[i + 3] - '0');
    i += 3;
  }
  return out;
}

std::optional<Mount> mount_line(std::string_view line) {
  std::array<std::string_view, 6> head;
  for (auto& word : head) word = next_word(line);
  if (head[5].empty() || !head[3].starts_with('/') || !head[4].starts_with('/')) {
    return std::nullopt;
  }
  // A run of optional fields ends with a single dash.
  std::string_view word = next_word(line);
  while (!word.empty() && word != "-") word = next_word(line);
  const std::string_view type = next_word(line);
  next_word(line);
  if (type.empty()) return std::nullopt;
  return Mount{unescaped(head[3]), unescaped(head[4]), std::string(type),
               std::string(next_word(line))};
}

}  // namespace

Result<LoadAverage> parse_loadavg(std::string_view text) {
  std::string_view line = next_line(text);
  const auto one = parse_number(next_word(line));
  next_word(line);
  next_word(line);
  const std::string_view counts = next_word(line);
  const std::size_t slash = counts.find('/');
  if (!one || *one < 0 || slash == std::string_view::npos) return ReadFailure{"not a load average"};
  const auto runnable = parse_u64(counts.substr(0, slash));
  const auto tasks = parse_u64(counts.substr(slash + 1));
  if (!runnable || !tasks) return ReadFailure{"the task counts are malformed"};
  return LoadAverage{*one, *runnable, *tasks};
}

Result<MemInfo> parse_meminfo(std::string_view text) {
  std::optional<Bytes> total;
  std::optional<Bytes> available;
  while (!text.empty() && !(total && available)) {
    std::string_view line = next_line(text);
    const std::string_view key = next_word(line);
    if (key == "MemTotal:") total = kibibytes(line);
    if (key == "MemAvailable:") available = kibibytes(line);
  }
  if (!total || total->value == 0) return ReadFailure{"no MemTotal"};
  if (!available) return ReadFailure{"no MemAvailable"};
  return MemInfo{*total, *available};
}

Result<Psi> parse_psi(std::string_view text) {
  std::optional<PsiLine> some;
  Psi psi;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view kind = next_word(line);
    if (kind == "some") some = psi_line(line);
    if (kind != "full") continue;
    psi.full = psi_line(line);
    if (!psi.full) return ReadFailure{"the line 'full' is malformed"};
  }
  if (!some) return ReadFailure{"no line 'some'"};
  psi.some = *some;
  return psi;
}

Result<std::vector<CgroupLine>> parse_proc_cgroup(std::string_view text) {
  std::vector<CgroupLine> lines;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos)
      return ReadFailure{"malformed line: expected three fields"};
    const auto hierarchy = parse_u64(line.substr(0, first));
    const std::string_view path = line.substr(second + 1);
    if (!hierarchy || *hierarchy > INT32_MAX || !path.starts_with('/')) {
      return ReadFailure{"malformed line: no cgroup path"};
    }
    lines.push_back({static_cast<int>(*hierarchy),
                     split(line.substr(first + 1, second - first - 1)), std::string(path)});
  }
  if (lines.empty()) return ReadFailure{"empty"};
  return lines;
}

Result<std::vector<Mount>> parse_cgroup_mounts(std::string_view text) {
  std::vector<Mount> mounts;
  bool understood = false;
  while (!text.empty()) {
    auto mount = mount_line(next_line(text));
    if (!mount) continue;
    understood = true;
    if (mount->type == "cgroup" || mount->type == "cgroup2") mounts.push_back(std::move(*mount));
  }
  if (!understood) return ReadFailure{"no mounts found"};
  return mounts;
}

std::optional<std::vector<int>> parse_cpu_list(std::string_view list) {
  constexpr std::uint64_t kMostCpus = 1 << 20;
  std::vector<int> cpus;
  for (const std::string& part : split(trimmed(list))) {
    const std::string_view range = part;
    const std::size_t dash = range.find('-');
    const auto first = parse_u64(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_u64(range.substr(dash + 1));
    if (!first || !last || *last < *first || *last > kMostCpus) return std::nullopt;
    if (cpus.size() + (*last - *first) >= kMostCpus) return std::nullopt;
    for (std::uint64_t cpu = *first; cpu <= *last; ++cpu) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus.empty() ? std::nullopt : std::optional(std::move(cpus));
}

std::optional<int> count_cpus(std::string_view list) {
  const auto cpus = parse_cpu_list(list);
  return cpus ? std::optional(static_cast<int>(cpus->size())) : std::nullopt;
}

std::string_view cpus_allowed_list(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (next_word(line) == "Cpus_allowed_list:") return trimmed(line);
  }
  return {};
}

std::optional<int> parse_cpus_allowed(std::string_view text) {
  return count_cpus(cpus_allowed_list(text));
}

}  // namespace sluice

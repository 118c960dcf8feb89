#include "autoscale/fleet_gearman.h"

#include <algorithm>

#include "autoscale/connected_stream.h"
#include "base/parse.h"

namespace sluice {
namespace {

const char* const kNotGearmand = "the answer is not from gearmand";

constexpr std::int64_t kMostGearmanJobs = 1'000'000'000;

/// Removes the text up to the next tab from the line.
std::string_view next_column(std::string_view& line) {
  const std::size_t tab = std::min(line.find('\t'), line.size());
  const std::string_view column = line.substr(0, tab);
  line.remove_prefix(std::min(tab + 1, line.size()));
  return column;
}

/// -1 if it is not a number of jobs.
std::int64_t jobs_of_column(std::string_view text) {
  const std::int64_t number = parse_as<std::int64_t>(text).value_or(-1);
  return number <= kMostGearmanJobs ? number : -1;
}

}  // namespace

std::variant<std::int64_t, std::string> waiting_in(std::string_view status,
                                                   const std::vector<std::string>& functions) {
  std::int64_t waiting = 0;
  while (true) {
    const std::size_t end = status.find('\n');
    if (end == std::string_view::npos) return std::string(kNotGearmand);
    std::string_view line = status.substr(0, end);
    status.remove_prefix(end + 1);
    if (line == ".") return waiting;
    const std::string_view function = next_column(line);
    const std::int64_t total = jobs_of_column(next_column(line));
    const std::int64_t running = jobs_of_column(next_column(line));
    if (total < 0 || running < 0 || jobs_of_column(line) < 0) return std::string(kNotGearmand);
    const bool counts =
        functions.empty() || std::ranges::find(functions, function) != functions.end();
    if (counts) waiting += std::max<std::int64_t>(0, total - running);
  }
}

std::variant<std::int64_t, std::string> ask_gearmand(const Endpoint& server,
                                                     const std::vector<std::string>& functions,
                                                     TimePoint deadline) {
  constexpr std::size_t most_answer = std::size_t{16} << 20;
  const std::string where = "gearmand at " + to_string(server) + ": ";
  const auto is_whole = [](std::string_view text) {
    return text == ".\n" || text.ends_with("\n.\n") || text.size() >= most_answer;
  };
  const StreamAnswer answer = ask_stream(server, "status\n", is_whole, deadline);
  if (!answer.problem.empty()) return where + answer.problem;
  auto waiting = waiting_in(answer.text, functions);
  if (const auto* problem = std::get_if<std::string>(&waiting)) return where + *problem;
  return waiting;
}

}  // namespace sluice

#include "cli/batch/joblog.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ranges>
#include <vector>

#include "base/errno_text.h"
#include "base/parse.h"
#include "base/text.h"
#include "cli/batch/unquoted.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {
namespace {

/// The positions of the columns that are read back.
enum Column : std::size_t {
  kSeq = 0,
  kExit = 6,
  kSignal = 7,
  kCommand = 8,
  kOutcome = 11,
  kAttempt = 12
};

constexpr std::array<std::string_view, 5> kJoblogOutcomes{"ok", "failed", "oom", "timeout",
                                                          "refused"};

/// The text with its tabs and newlines as \t and \n.
std::string one_column(std::string_view text) {
  return replaced(replaced(std::string(text), "\t", "\\t"), "\n", "\\n");
}

std::vector<std::string_view> columns_of_line(std::string_view line) {
  std::vector<std::string_view> columns;
  for (const auto& column : line | std::views::split('\t')) {
    columns.emplace_back(column.begin(), column.end());
  }
  return columns;
}

/// A tab in a command of parallel makes columns, too.
bool is_ours(const std::vector<std::string_view>& columns) {
  return columns.size() > kAttempt && std::ranges::count(kJoblogOutcomes, columns[kOutcome]) > 0 &&
         parse_as<int>(columns[kAttempt]);
}

/// Parallel writes a tab as it is, and a newline as NUL.
std::string command_of_parallel(std::string_view line, std::string_view column) {
  std::string command(line.substr(static_cast<std::size_t>(column.data() - line.data())));
  std::ranges::replace(command, '\0', '\n');
  return command;
}

}  // namespace

std::string joblog_header() {
  return "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\tId\tKey\t"
         "Outcome\tAttempt\tWait\tCost\tCpuSeconds\tPeakMemory\n";
}

std::string to_text(const JoblogLine& line) {
  return std::to_string(line.seq) + "\t:\t" + number_text(line.started, 3) + "\t" +
         padded_left(number_text(line.runtime, 3), 10) + "\t0\t" + std::to_string(line.received) +
         "\t" + std::to_string(line.exit_status) + "\t" + std::to_string(line.signal) + "\t" +
         one_column(line.command) + "\t" + one_column(line.id) + "\t" + one_column(line.key) +
         "\t" + line.outcome + "\t" + std::to_string(line.attempt) + "\t" +
         number_text(line.waited, 3) + "\t" + std::to_string(line.cost) + "\t" +
         number_text(line.cpu_seconds, 3) + "\t" + std::to_string(line.peak_memory) + "\n";
}

bool JoblogPast::Job::has(std::string_view wanted) const {
  if (by == By::sluice) return command == one_column(wanted);
  // The bodies of here-documents, and other quotes, mean more than they say.
  const bool has_words = wanted.find("<<") == std::string::npos &&
                         wanted.find("$'") == std::string::npos &&
                         wanted.find("$\"") == std::string::npos;
  return command == wanted || (has_words && unquoted_form(command) == unquoted_form(wanted));
}

JoblogPast::Verdict JoblogPast::verdict(std::size_t seq, std::string_view command) const {
  const auto found = jobs_.find(seq);
  if (found == jobs_.end()) return Verdict::unknown;
  if (!found->second.has(command)) return Verdict::other_command;
  return found->second.ok ? Verdict::ended_ok : Verdict::failed;
}

std::string JoblogPast::command_of(std::size_t seq) const {
  const auto found = jobs_.find(seq);
  return found == jobs_.end() ? "" : one_column(found->second.command);
}

std::variant<JoblogPast, std::string> parse_joblog(std::string_view text) {
  using Job = JoblogPast::Job;
  JoblogPast past;
  std::size_t number = 0;
  while (true) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return past;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    past.whole_bytes_ += end + 1;
    ++number;
    const auto columns = columns_of_line(line);
    const std::string where = std::to_string(number) + ": ";
    if (number == 1) {
      if (line.starts_with("Seq\tHost\t")) continue;
      return where + "is not a joblog: its first line must begin with Seq and Host";
    }
    if (columns.size() <= kCommand) return where + "has too few columns for a joblog";
    const auto seq = parse_as<std::size_t>(columns[kSeq]);
    const auto status = parse_as<int>(columns[kExit]);
    const auto signal = parse_as<int>(columns[kSignal]);
    if (!seq || !status || !signal) return where + "Seq, Exitval and Signal must be numbers";
    const bool ok = *status == 0 && *signal == 0;
    const std::string_view command = columns[kCommand];
    past.jobs_[*seq] =
        is_ours(columns)
            ? Job{ok && columns[kOutcome] == "ok", Job::By::sluice, std::string(command)}
            : Job{ok, Job::By::parallel, command_of_parallel(line, command)};
  }
}

std::variant<std::unique_ptr<Joblog>, std::string> Joblog::open(const std::string& path,
                                                                Start start, std::size_t keep) {
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND;
  const int file = ::open(path.c_str(), start == Start::truncate ? flags | O_TRUNC : flags, 0666);
  if (file < 0) return errno_text(path + ": cannot be written");
  std::unique_ptr<Joblog> joblog(new Joblog(file, path));
  if (start == Start::append && ftruncate(file, static_cast<off_t>(keep)) != 0 && errno != EINVAL) {
    return errno_text(path + ": cannot be written");
  }
  struct stat status {};
  const bool empty = fstat(file, &status) != 0 || status.st_size == 0;
  joblog->whole_bytes_ = empty ? 0 : static_cast<std::size_t>(status.st_size);
  std::string problem = empty ? joblog->write_whole(joblog_header()) : "";
  if (!problem.empty()) return problem;
  return joblog;
}

std::string Joblog::add(const JoblogLine& line) { return write_whole(to_text(line)); }

/// Leaves files that cannot be cut, such as pipes and devices, as they are.
std::string Joblog::cut_torn() {
  if (!torn_) return "";
  if (ftruncate(file_.get(), static_cast<off_t>(whole_bytes_)) != 0 && errno != EINVAL) {
    return errno_text(path_ + ": cannot remove the incomplete last line");
  }
  torn_ = false;
  return "";
}

std::string Joblog::write_whole(const std::string& text) {
  if (std::string problem = cut_torn(); !problem.empty()) return problem;
  ssize_t written = 0;
  do {
    written = write(file_.get(), text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(text.size())) {
    whole_bytes_ += text.size();
    return "";
  }
  std::string problem =
      path_ + ": cannot be written: " + (written < 0 ? strerror(errno) : "the disk is full");
  // At once, so that the file is intact if this was the last line; on failure, again before the
  // next line.
  torn_ = true;
  cut_torn();
  return problem;
}

}  // namespace sluice::cli

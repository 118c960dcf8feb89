// The joblog of an earlier batch, from Sluice or GNU parallel.
#include "cli/batch/joblog.h"

#include "support/fuzz.h"

namespace sluice::fuzz {
namespace {

using cli::JoblogPast;

/// Parsing the line written for a command finds the command.
void check_written(std::string_view command) {
  cli::JoblogLine line;
  line.seq = 7;
  line.command = command;
  line.outcome = "ok";
  const auto past = cli::parse_joblog(cli::joblog_header() + cli::to_text(line));
  require(past.index() == 0, "what is written can be read");
  const auto verdict = std::get<JoblogPast>(past).verdict(7, command);
  require(verdict == JoblogPast::Verdict::ended_ok, "and means the same");
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  check_written(text);
  const auto past = cli::parse_joblog(text);
  if (past.index() == 1) return require(!std::get<1>(past).empty(), "an error says what is wrong");
  const std::size_t whole = std::get<JoblogPast>(past).whole_bytes();
  require(whole <= text.size(), "no more is whole than is there");
  const auto again = cli::parse_joblog(text.substr(0, whole));
  require(again.index() == 0 && std::get<JoblogPast>(again).whole_bytes() == whole,
          "what was torn off does not matter");
}

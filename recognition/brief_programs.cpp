#include "recognition/brief_programs.h"

#include <utility>

#include "costmodel/job_key.h"

namespace sluice {

ProgramKind BriefPrograms::became(pid_t process, std::span<const std::string> command,
                                  const ListedPrograms& listed, TimePoint now) {
  ProgramKind kind = program_kind(command, listed);
  running_.erase(process);
  if (kind.what != ProgramClass::heavy || !is_exact_) return kind;
  std::string program = program_of(command);
  const bool is_large = listed.learned.contains(program);
  kind.is_brief = !is_large && in_a_row_[program] >= kRunsInARow;
  running_[process] = {std::move(program), now};
  return kind;
}

void BriefPrograms::asks(pid_t process, TimePoint now) {
  const auto run = running_.find(process);
  if (run == running_.end() || now - run->second.began < kBrief) return;
  in_a_row_[run->second.program] = 0;
}

void BriefPrograms::gone(pid_t process, TimePoint now) {
  const auto run = running_.extract(process);
  if (!run) return;
  std::size_t& in_a_row = in_a_row_[run.mapped().program];
  in_a_row = now - run.mapped().began < kBrief ? in_a_row + 1 : 0;
}

}  // namespace sluice

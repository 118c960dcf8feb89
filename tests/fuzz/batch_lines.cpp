// The input of `sluice batch`: first a line with the template, or an empty one, then the lines.
#include "base/shell_command.h"
#include "cli/batch/input.h"
#include "support/fuzz.h"
#include "support/split.h"

namespace sluice::fuzz {
namespace {

std::optional<cli::BatchTemplate> template_of(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) words.emplace_back(cut(line, " "));
  if (words.empty()) return std::nullopt;
  cli::split_batch_words(words);
  return cli::BatchTemplate(words);
}

void check(const cli::BatchJob& job) {
  require(job.line.find('\0') == std::string::npos, "no command has a NUL");
  require(job.seq > 0 && !job.place.empty(), "a job has a number and a place");
  require(!job.argv.empty() || !argv_of_line(job.line).empty(), "there is something to run");
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  cli::BatchInput input("f", template_of(cut(text, "\n")), nullptr);
  while (!text.empty()) {
    const auto taken = input.parse_line(cut(text, "\n"));
    if (const auto* job = std::get_if<cli::BatchJob>(&taken)) check(*job);
    if (const auto* problem = std::get_if<cli::BatchProblem>(&taken)) {
      require(!cli::to_sentence(input.place(), *problem).empty(), "a problem is said");
    }
  }
}

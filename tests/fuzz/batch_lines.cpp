// The input of `sluice batch`, read as it is from a file: first a line with the template, or an
// empty one, then the lines.
#include <sys/mman.h>
#include <unistd.h>

#include "cli/batch_command.h"
#include "cli/batch_input.h"
#include "cli/batch_source.h"
#include "support/fuzz.h"
#include "support/split.h"

namespace sluice::fuzz {
namespace {

/// In memory: no input may make a file.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("lines", MFD_CLOEXEC)) {}
  ~MemoryFile() { close(descriptor_); }

  std::string holding(std::string_view text) const {
    require(ftruncate(descriptor_, 0) == 0, "the file can be emptied");
    const ssize_t written = pwrite(descriptor_, text.data(), text.size(), 0);
    require(written == static_cast<ssize_t>(text.size()), "the file can be written");
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

 private:
  int descriptor_;
};

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
  require(!job.argv.empty() || !cli::argv_of_line(job.line).empty(), "there is something to run");
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  static const MemoryFile file;
  cli::BatchInput input("f", template_of(cut(text, "\n")), nullptr);
  auto opened = cli::BatchSource::open(file.holding(text));
  require(std::holds_alternative<cli::BatchSource>(opened), "the file can be read");
  auto& source = std::get<cli::BatchSource>(opened);
  while (const auto line = source.next()) {
    require(*line == cut(text, "\n"), "a line is what stands between two ends");
    const auto taken = input.take(*line);
    if (const auto* job = std::get_if<cli::BatchJob>(&taken)) check(*job);
    if (const auto* problem = std::get_if<cli::BatchProblem>(&taken)) {
      require(!cli::to_sentence(input.place(), *problem).empty(), "a problem is said");
    }
  }
  require(text.empty() && source.is_over(), "no line is lost");
}

// Command lines, taken apart for the key under which their needs are learned.
#include "costmodel/shell_words.h"

#include "costmodel/job_key.h"
#include "costmodel/real_command.h"
#include "support/fuzz.h"

namespace sluice::fuzz {
namespace {

void check_key(const std::vector<std::string>& command) {
  const KeyPlace place{"/home/ci/build", {"/tmp"}};
  const std::string key = job_key(command, place);
  require(key.size() <= 128, "a key is short");
  for (const char c : key) require(c > ' ' && c != 0x7f, "a key is printable, without space");
  require(job_key(command, place) == key, "the same command has the same key");
  program_of(command);
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  std::vector<std::string> words;
  for (ShellWord& word : shell_words(text)) words.push_back(std::move(word.text));
  check_key(words);
  check_key({"sh", "-c", std::string(text)});
}

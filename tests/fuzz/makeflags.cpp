// MAKEFLAGS as set by the user, and the words of a command that may be a jobserver's client.
#include "costmodel/shell_words.h"
#include "service/jobserver/auth_style.h"
#include "support/fuzz.h"

namespace sluice::fuzz {
namespace {

const std::string kOurs = "--jobserver-auth=fifo:/run/sluice/tokens";

void check_flags(std::string_view flags) {
  const std::string first = jobserver::makeflags_with(flags, kOurs);
  require(first.find(" " + kOurs) != std::string::npos, "the client is told of its jobserver");
  require(!jobserver::own_jobs_flag(first), "nothing makes the client deaf to it");
  require(jobserver::makeflags_with(first, kOurs) == first,
          "a client of a client is told the same");
  jobserver::own_jobs_flag(flags);
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  check_flags(text);
  std::vector<std::string> command;
  for (ShellWord& word : shell_words(text)) command.push_back(std::move(word.text));
  jobserver::own_jobs_option(command);
  jobserver::client_kind(text);
  jobserver::parse_version(text);
}

#include "cli/completion/answer.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/command_line/completion.h"
#include "cli/completion/daemon_words.h"
#include "config/option_help.h"

namespace sluice::cli {
namespace {

std::vector<CompletionWord> configuration_words() {
  std::vector<CompletionWord> words;
  for (const ConfigName& each : config_names()) words.push_back({each.name, each.meaning});
  return words;
}

/// Where a job can be put in its queue.
std::vector<CompletionWord> place_words(const std::vector<CompletionWord>& jobs) {
  std::vector<CompletionWord> words{{"front", ""}, {"back", ""}};
  for (const CompletionWord& job : jobs) {
    words.push_back({"before:" + job.word, job.meaning});
    words.push_back({"after:" + job.word, job.meaning});
  }
  return words;
}

std::vector<CompletionWord> words_for(const Completion& completion) {
  if (completion.value == "OPTION") return configuration_words();
  const auto socket = completion.given.find("--socket");
  const auto words = words_of_daemon(
      completion.value, socket == completion.given.end() ? std::string() : socket->second);
  return completion.value == "PLACE" ? place_words(words) : words;
}

}  // namespace

int answer_completion(const CLI::App& app, std::vector<std::string> words) {
  words.erase(words.begin());
  Completion completion = complete(app, words);
  if (!words.empty()) add_fitting(completion, words_for(completion), words.back());
  std::cout << completion_text(completion);
  return 0;
}

}  // namespace sluice::cli

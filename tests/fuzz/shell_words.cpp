// Command lines, split as by a shell.
#include "costmodel/shell_words.h"

#include "support/fuzz.h"

void sluice::fuzz::one_input(std::string_view text) {
  std::size_t size = 0;
  for (const ShellWord& word : shell_words(text)) {
    size += word.text.size();
    const bool may_be_empty = word.kind == ShellWord::Kind::word;
    require(may_be_empty || !word.text.empty(), "an operator is something");
  }
  require(size <= text.size(), "nothing is added");
}

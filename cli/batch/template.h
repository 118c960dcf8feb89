#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice::cli {

/// A command with places for one argument, as GNU parallel writes them: `{}` the argument, `{.}`
/// without its extension, `{/}` its file name, `{//}` its folder, `{/.}` its file name without the
/// extension, `{#}` the job's number. Where no place is named, the argument comes last.
class BatchTemplate {
 public:
  /// Of the words of the command line, joined with blanks; the shell reads the result.
  explicit BatchTemplate(const std::vector<std::string>& words);

  /// The line for one argument, which is quoted for the shell wherever it is put.
  std::string filled(std::string_view argument, std::size_t number) const;

 private:
  std::string text_;
};

/// What stands before and after `:::` on the command line.
struct BatchWords {
  std::vector<std::string> command;
  std::optional<std::vector<std::string>> arguments;  ///< None: `:::` was not given.
};

/// Otherwise one line that says what is wrong with them.
std::variant<BatchWords, std::string> split_batch_words(const std::vector<std::string>& words);

}  // namespace sluice::cli

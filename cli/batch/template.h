#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice::cli {

/// A command with placeholders for one argument, as in GNU parallel: `{}` the argument, `{.}`
/// without its extension, `{/}` its file name, `{//}` its folder, `{/.}` its file name without the
/// extension, `{#}` the job's number. Without a placeholder, the argument comes last.
class BatchTemplate {
 public:
  /// Joins the words of the command line with blanks; the shell reads the result.
  explicit BatchTemplate(const std::vector<std::string>& words);

  /// The line for one argument, quoted for the shell wherever it is inserted.
  std::string filled(std::string_view argument, std::size_t number) const;

 private:
  std::string text_;
};

/// The words before and after `:::` on the command line.
struct BatchWords {
  std::vector<std::string> command;
  std::optional<std::vector<std::string>> arguments;  ///< nullopt if there was no `:::`.
};

/// On error, one line that says what is wrong.
std::variant<BatchWords, std::string> split_batch_words(const std::vector<std::string>& words);

}  // namespace sluice::cli

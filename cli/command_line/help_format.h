#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::cli {

/// The description or the footer of a help for a screen of that many columns. Paragraphs are
/// wrapped, wherever their lines end in the source. A line that begins with a blank, as examples
/// do, stays as it is; but a remark behind it, after two blanks, is wrapped in its own column.
/// Pure.
std::string laid_out(std::string_view text, std::size_t columns);

/// How `--help` is shown: wrapped at the width of the terminal that shows it, from 60 to 120
/// columns, at 100 elsewhere, but for commands in examples, which are not broken; without CLI11's
/// words for types and contradictions. Set it before subcommands are added, which inherit it.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_description(const CLI::App* command) const override;
  std::string make_footer(const CLI::App* command) const override;

 private:
  /// In the right column, without its indent.
  std::string meaning(const std::string& text) const;
};

}  // namespace sluice::cli

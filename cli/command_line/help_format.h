#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sluice::cli {

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

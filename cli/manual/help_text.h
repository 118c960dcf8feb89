#pragma once

#include <string>

#include "cli/manual/page.h"

namespace sluice::cli {

/// What a help says beside its options: paragraphs that start with `Exit status:` and `Examples:`,
/// and the others.
struct HelpText {
  std::string description;
  std::string exit_status;
  std::string examples;
};

/// Pure.
HelpText parse_help(const std::string& text);

/// The page of a program whose help is plain text: "NAME: what it does", `Usage:`, paragraphs, a
/// block of options, `Environment:`. Pure.
ManualPage page_of_help(const std::string& help);

}  // namespace sluice::cli

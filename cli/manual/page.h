#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sluice::cli {

/// One thing with what it means: `tag` is roff, `text` prose with `code`.
struct ManualEntry {
  std::string tag;
  std::string text;
};

struct ManualGroup {
  std::string heading;  ///< Empty for the first group, which needs none.
  std::vector<ManualEntry> entries;
};

/// A subcommand that has no page of its own.
struct ManualPart {
  std::string synopsis;  ///< Roff.
  std::string text;
  std::vector<ManualGroup> options;
  std::string examples;
};

/// The content of a page of section 1, before it is roff. Texts are paragraphs apart by a blank
/// line; an indented line is shown as it is.
struct ManualPage {
  std::string name;                   ///< "sluice-run"
  std::string summary;                ///< "run a command when the host has room"
  std::vector<std::string> synopses;  ///< Roff.
  std::string description;
  std::vector<ManualEntry> commands;
  std::vector<ManualPart> parts;
  std::vector<ManualGroup> options;
  std::string exit_status;
  std::vector<ManualEntry> environment, files;
  std::string examples;  ///< Lines "COMMAND   what it does", indented.
  std::vector<std::pair<std::string, int>> see_also;
};

/// What stands in the head and the foot of every page.
struct ManualEdition {
  std::string date;     ///< "2026-03-01"
  std::string version;  ///< "0.1.0"
  std::string docs;     ///< The folder of the documents that texts name as docs/X.md.
};

/// The page for the macros `man`. Pure.
std::string to_roff(const ManualPage& page, const ManualEdition& edition);

/// The command in lines of at most about 66 columns that a shell continues, broken at blanks
/// outside quotes, before an option where it has one. Pure.
std::string broken_command(const std::string& command);

}  // namespace sluice::cli

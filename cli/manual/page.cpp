#include "cli/manual/page.h"

#include <cctype>
#include <cstddef>
#include <string_view>

#include "base/parse.h"
#include "base/roff.h"
#include "base/suggest.h"

namespace sluice::cli {
namespace {

constexpr std::size_t kCommandColumns = 66;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) lines.emplace_back(next_line(text));
  return lines;
}

/// Paragraphs of prose, with indented lines as they are.
std::string body(const std::string& text) {
  std::string roff, prose, code;
  bool begun = false;
  const auto end_prose = [&] {
    if (!prose.empty()) roff += (begun ? ".PP\n" : "") + roff_prose(prose);
    begun = begun || !prose.empty();
    prose.clear();
  };
  const auto end_code = [&] {
    if (!code.empty()) roff += ".PP\n" + roff_code(code);
    code.clear();
  };
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("  ")) {
      end_prose();
      code += line.substr(2) + "\n";
      continue;
    }
    end_code();
    if (line.empty()) end_prose();
    prose += line + " ";
    if (line.empty()) prose.clear();
  }
  end_prose();
  end_code();
  return roff;
}

std::string entries(const std::vector<ManualEntry>& all) {
  std::string roff;
  for (const ManualEntry& entry : all) roff += roff_tagged(entry.tag, entry.text);
  return roff;
}

std::string groups(const std::vector<ManualGroup>& all) {
  std::string roff;
  for (const ManualGroup& group : all) {
    if (!group.heading.empty()) roff += roff_macro("SS", roff_inline(group.heading));
    roff += entries(group.entries);
  }
  return roff;
}

/// "what it does" of "  COMMAND   what it does"; the command stays in `line`.
std::string take_remark(std::string& line) {
  const std::size_t gap = line.find("  ", line.find_first_not_of(' '));
  if (gap == std::string::npos) return {};
  const std::size_t remark = line.find_first_not_of(' ', gap);
  std::string text = line.substr(remark);
  line.resize(gap);
  return text;
}

/// The text with lines that end with a backslash joined to the next.
std::string with_joined_lines(std::string text) {
  for (std::size_t at = text.find("\\\n"); at != std::string::npos; at = text.find("\\\n")) {
    const std::size_t next = std::min(text.find_first_not_of(' ', at + 2), text.size());
    text.erase(at, next - at);
  }
  return text;
}

/// The lines as commands, each with its remark below it.
std::string examples(const std::string& text) {
  std::string roff, commands;
  const auto paragraph = [&] { return roff.empty() ? "" : ".PP\n"; };
  const auto end_commands = [&] {
    if (!commands.empty()) roff += paragraph() + roff_code(commands);
    commands.clear();
  };
  for (std::string line : lines_of(with_joined_lines(text))) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), std::size_t{2});
    line.erase(0, indent);
    const std::string remark = line.starts_with("  ") ? std::string() : take_remark(line);
    if (!remark.empty()) {
      end_commands();
      const auto first = static_cast<unsigned char>(remark.front());
      const std::string sentence = static_cast<char>(std::toupper(first)) + remark.substr(1);
      roff += paragraph() + roff_prose(sentence + ":") + roff_code(broken_command(line));
      continue;
    }
    commands += broken_command(line) + "\n";
  }
  end_commands();
  return roff;
}

std::string section(const char* heading, const std::string& content) {
  return content.empty() ? "" : roff_macro("SH", heading) + content;
}

std::string parts(const std::vector<ManualPart>& all) {
  std::string roff;
  for (const ManualPart& part : all) {
    roff += roff_macro("SS", part.synopsis) + body(part.text) + groups(part.options);
    if (!part.examples.empty()) roff += ".PP\nFor example:\n" + examples(part.examples);
  }
  return roff;
}

std::string see_also(const ManualPage& page) {
  std::string roff;
  for (const auto& [name, number] : page.see_also) {
    roff += ".BR " + roff_literal(name) + " (" + std::to_string(number) + ")";
    roff += &name == &page.see_also.back().first ? "\n" : ",\n";
  }
  return roff;
}

std::string synopsis(const ManualPage& page) {
  std::string roff;
  for (const std::string& each : page.synopses) roff += (roff.empty() ? "" : ".br\n") + each + "\n";
  return roff;
}

/// The documents by their installed paths.
std::string with_docs(std::string roff, const std::string& folder) {
  const std::string name = "docs/";
  for (std::size_t at = roff.find(name); at != std::string::npos; at = roff.find(name, at)) {
    // Not as the target of a redirection in an example.
    const bool whole = at > 1 && std::string_view(" (\n").find(roff[at - 1]) != std::string::npos &&
                       roff[at - 2] != '>';
    const std::size_t end = std::min(roff.find_first_of(" ,;)\n", at), roff.size());
    const bool page = roff.substr(at, end - at).find(".md") != std::string::npos;
    const std::string path = whole && page ? roff_literal(folder) + "/" : name;
    roff.replace(at, name.size(), path);
    at += path.size();
  }
  return roff;
}

}  // namespace

std::string broken_command(const std::string& command) {
  std::string broken;
  // Where the line may end: at the last blank, better before an option.
  std::size_t begin = 0, blank = 0, option = 0;
  char quote = 0;
  for (std::size_t at = 0; at < command.size(); ++at) {
    const char letter = command[at];
    if (quote == letter) {
      quote = 0;
    } else if (quote == 0 && (letter == '\'' || letter == '"')) {
      quote = letter;
    }
    if (quote == 0 && letter == ' ' && at > begin) {
      blank = at;
      if (command.compare(at, 2, " -") == 0) option = at;
    }
    if (at - begin < kCommandColumns || blank <= begin) continue;
    const std::size_t end = option > begin ? option : blank;
    broken += command.substr(begin, end - begin) + " \\\n    ";
    begin = end + 1;
    at = begin;
  }
  return broken + command.substr(begin);
}

std::string to_roff(const ManualPage& page, const ManualEdition& edition) {
  const std::string content =
      section("NAME", roff_literal(page.name) + " \\- " + roff_inline(page.summary) + "\n") +
      section("SYNOPSIS", synopsis(page)) + section("DESCRIPTION", body(page.description)) +
      section("COMMANDS", entries(page.commands) + parts(page.parts)) +
      section("OPTIONS", groups(page.options)) + section("EXIT STATUS", body(page.exit_status)) +
      section("ENVIRONMENT", entries(page.environment)) + section("FILES", entries(page.files)) +
      section("EXAMPLES", examples(page.examples)) + section("SEE ALSO", see_also(page));
  return ".TH " + upper_case(roff_literal(page.name)) + " 1 " + edition.date + " \"Sluice " +
         edition.version + "\" \"User Commands\"\n.nh\n.ad l\n" + with_docs(content, edition.docs);
}

}  // namespace sluice::cli

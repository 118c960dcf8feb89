#include "config/document.h"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <sstream>

#include "base/utf8.h"
#include "config/tree_builder.h"

namespace sluice {
namespace {

unsigned char byte_at(std::string_view text, std::size_t place) {
  return static_cast<unsigned char>(text[place]);
}

std::string hex(unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return std::string("0x") + kDigits[byte >> 4] + kDigits[byte & 0xF];
}

std::optional<std::string> judge_byte(std::string_view text, std::size_t place) {
  const unsigned char byte = byte_at(text, place);
  if (utf8_length(text.substr(place)) == 0) return "byte " + hex(byte) + " is not UTF-8";
  if (byte == '\r') {
    const bool line_end = place + 1 < text.size() && text[place + 1] == '\n';
    if (!line_end) return "a carriage return needs a line feed after it";
    return std::nullopt;
  }
  const bool control = (byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7F;
  if (control) return "control character " + hex(byte) + " is not allowed";
  return std::nullopt;
}

/// The first byte that a configuration must not contain: invalid UTF-8 (RFC 3629), a control
/// character other than tab and line end, or a carriage return without a line feed.
std::optional<DocumentError> find_bad_text(std::string_view text) {
  ConfigPosition at{1, 1};
  for (std::size_t place = 0; place < text.size();) {
    if (auto wrong = judge_byte(text, place)) return DocumentError{at, *wrong};
    const std::size_t length = utf8_length(text.substr(place));
    at.column += static_cast<int>(length);
    if (text[place] == '\n') at = {at.line + 1, 1};
    place += length;
  }
  return std::nullopt;
}

std::string_view line_of(std::string_view text, int line) {
  for (; line > 1 && text.find('\n') != text.npos; --line) {
    text.remove_prefix(text.find('\n') + 1);
  }
  return text.substr(0, text.find('\n'));
}

bool is_indented_with_tab(std::string_view line) {
  return line.substr(0, line.find_first_not_of(" \t")).find('\t') != line.npos;
}

/// Some messages end with the offending character, whatever it is.
std::string on_one_line(std::string message) {
  std::erase_if(message, [](char byte) { return static_cast<unsigned char>(byte) < 0x20; });
  return message;
}

DocumentError explain(std::string_view text, const YAML::ParserException& error,
                      const TreeBuilder& builder) {
  const ConfigPosition at = position(error.mark);
  const std::string message = "not YAML: " + on_one_line(error.msg);
  const auto unclosed = builder.unclosed();
  if (error.msg.ends_with("flow not found") && unclosed) {
    return {*unclosed, message + "; this { or [ is not closed, or a comma is missing in it"};
  }
  if (error.msg == "illegal EOF in scalar") {
    return {at, message + "; a quote before this is not closed"};
  }
  if (is_indented_with_tab(line_of(text, at.line))) {
    return {at, message + "; this line is indented with a tab: use spaces"};
  }
  if (error.msg == "illegal map value" || error.msg.starts_with("end of ")) {
    return {at, message + "; check the indentation, and the commas inside { }"};
  }
  return {at, message};
}

/// The parser skips directives, so a file of only directives would pass for an empty one.
std::optional<DocumentError> find_skipped_text(std::string_view text) {
  int number = 1;
  for (; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t first = line.find_first_not_of(" \t\r");
    const bool nothing = first == line.npos || line[first] == '#' || line.starts_with("...");
    if (!nothing) {
      return DocumentError{{number, static_cast<int>(first) + 1}, "not YAML: no document found"};
    }
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return std::nullopt;
}

/// Refuses anything after the first document.
class NothingMore : public TreeBuilder {
 public:
  NothingMore() : TreeBuilder(YamlLimits{}) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    throw DocumentError{position(mark), "only one document is allowed"};
  }
};

/// Rewrites the end of the text so that the parser reports an unclosed quote. It treats the end of
/// the file as the end of the quote if trailing blanks, or nothing but the quote itself, come last.
std::string end_clearly(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  std::string ended(text.substr(0, last == text.npos ? 0 : last + 1));
  if (ended.ends_with('"') || ended.ends_with('\'')) ended += "\n#";
  return ended;
}

DocumentResult build_document(std::string_view text, TreeBuilder& builder) {
  std::istringstream stream{end_clearly(text)};
  YAML::Parser parser(stream);
  if (!parser.HandleNextDocument(builder)) {
    if (auto skipped = find_skipped_text(text)) return *skipped;
    return YamlDocument{};
  }
  NothingMore nothing_more;
  parser.HandleNextDocument(nothing_more);
  return builder.take_document();
}

}  // namespace

DocumentResult parse_document(std::string_view text, YamlLimits limits) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (auto bad = find_bad_text(text)) return *bad;
  TreeBuilder builder(limits);
  try {
    return build_document(text, builder);
  } catch (const DocumentError& error) {
    return error;
  } catch (const YAML::ParserException& error) {
    return explain(text, error, builder);
  } catch (const std::exception& error) {
    return DocumentError{{}, std::string("not YAML: ") + error.what()};
  }
}

}  // namespace sluice

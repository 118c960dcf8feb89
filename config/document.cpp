#include "config/document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "base/suggest.h"
#include "base/text.h"
#include "base/utf8.h"

namespace sluice {
namespace {

unsigned char byte_at(std::string_view text, std::size_t place) {
  return static_cast<unsigned char>(text[place]);
}

std::string hex(unsigned char byte) { return "0x" + upper_case(hex_digits({&byte, 1})); }

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

/// Position with line and column counted from 1.
ConfigPosition position(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

/// The memory cost of a value, and how deep it is.
struct Weight {
  std::size_t values = 1;
  std::size_t bytes = 0;
  std::size_t depth = 1;

  void add_part(Weight part) {
    values += part.values;
    bytes += part.bytes;
    depth = std::max(depth, part.depth + 1);
  }
};

Weight weigh(const YamlNode& node) {
  Weight weight{1, node.text.size(), 1};
  for (const YamlNode& item : node.items) weight.add_part(weigh(item));
  for (const YamlEntry& entry : node.entries) {
    weight.add_part(weigh(entry.value));
    weight.bytes += entry.key.size();
  }
  return weight;
}

[[noreturn]] void fail(ConfigPosition at, std::string message) {
  throw DocumentError{at, std::move(message)};
}

[[noreturn]] void fail_depth(ConfigPosition at) {
  fail(at, "nested deeper than " + std::to_string(kMostYamlDepth) + " levels");
}

/// The parser reports plain and quoted text without a tag as "?" and "!".
void refuse_tag(const std::string& tag, ConfigPosition at) {
  if (tag.empty() || tag == "?" || tag == "!") return;
  fail(at, "tags such as " + quote_text(tag) + " have no meaning here");
}

/// Builds the tree from the parser's events. It does not use the parser's own tree, which hides
/// repeated keys and expands aliases without a bound. Throws `DocumentError`, the only way to stop
/// the parser.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(YamlLimits limits) : limits_(limits) {}

  /// Returns the tree. Call once, after the end of the document.
  YamlDocument take_document() { return std::move(document_); }

  /// The position of the innermost { or [ that is still open.
  std::optional<ConfigPosition> unclosed() const {
    const auto found = std::find_if(open_.rbegin(), open_.rend(), [](const Open& open) {
      return open.style == YAML::EmitterStyle::Flow;
    });
    if (found == open_.rend()) return std::nullopt;
    return found->node.at;
  }

  void OnDocumentStart(const YAML::Mark&) override {}

  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode node;
    node.at = awaits_value() ? open_.back().key_at : position(mark);
    charge(1, 0, position(mark));
    add(std::move(node), anchor, position(mark));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const ConfigPosition at = position(mark);
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(at, "an alias must not be used inside its own anchor");
    const Weight weight = weigh(found->second);
    if (open_.size() + weight.depth > kMostYamlDepth) fail_depth(at);
    charge(weight.values, weight.bytes, at);
    add(found->second, 0, at);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    refuse_tag(tag, position(mark));
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.at = position(mark);
    node.text = text;
    charge(1, text.size(), position(mark));
    add(std::move(node), anchor, position(mark));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    refuse_tag(tag, position(mark));
    open(YamlNode::Kind::list, style, position(mark), anchor);
  }

  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    refuse_tag(tag, position(mark));
    open(YamlNode::Kind::map, style, position(mark), anchor);
  }

  void OnMapEnd() override { close(); }

 private:
  /// A list or map whose end has not been reached.
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    YAML::EmitterStyle::value style = YAML::EmitterStyle::Default;
    std::optional<std::string> key;  ///< Of the entry whose value comes next.
    ConfigPosition key_at;
    std::map<std::string, int> lines;  ///< Where each key first appeared.
  };

  bool awaits_value() const { return !open_.empty() && open_.back().key.has_value(); }

  bool awaits_key() const {
    return !open_.empty() && open_.back().node.kind == YamlNode::Kind::map && !awaits_value();
  }

  void open(YamlNode::Kind kind, YAML::EmitterStyle::value style, ConfigPosition at,
            YAML::anchor_t anchor) {
    if (awaits_key()) fail(at, "a key must be a word");
    if (open_.size() >= kMostYamlDepth) fail_depth(at);
    charge(1, 0, at);
    open_.emplace_back();
    open_.back().node.kind = kind;
    open_.back().node.at = at;
    open_.back().anchor = anchor;
    open_.back().style = style;
  }

  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    const ConfigPosition at = closed.node.at;
    add(std::move(closed.node), closed.anchor, at);
  }

  void add(YamlNode node, YAML::anchor_t anchor, ConfigPosition at) {
    if (anchor != 0) anchors_[anchor] = node;
    if (awaits_key()) return take_key(node, at);
    if (open_.empty()) {
      document_.root = std::move(node);
    } else if (awaits_value()) {
      add_entry(std::move(node));
    } else {
      open_.back().node.items.push_back(std::move(node));
    }
  }

  void take_key(const YamlNode& node, ConfigPosition at) {
    if (node.kind != YamlNode::Kind::scalar) fail(at, "a key must be a word");
    if (node.text == "<<") fail(at, "merge keys (`<<`) are not supported");
    open_.back().key = node.text;
    open_.back().key_at = at;
  }

  void add_entry(YamlNode node) {
    Open& map = open_.back();
    std::string key = std::move(*map.key);
    map.key.reset();
    const auto [seen, first] = map.lines.emplace(key, map.key_at.line);
    if (first) {
      map.node.entries.push_back({std::move(key), map.key_at, std::move(node)});
      return;
    }
    document_.repeated.push_back({map.key_at, "key " + quote_text(key) +
                                                  " is given twice, first in line " +
                                                  std::to_string(seen->second)});
  }

  /// Counts values and bytes of text against the limits.
  void charge(std::size_t values, std::size_t bytes, ConfigPosition at) {
    values_ += values;
    bytes_ += bytes;
    if (values_ <= limits_.values && bytes_ <= limits_.mebibytes << 20) return;
    fail(at, "more than " + std::to_string(limits_.values) + " values or " +
                 std::to_string(limits_.mebibytes) + " MiB of text, counting each use of an alias");
  }

  YamlLimits limits_;
  YamlDocument document_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::size_t values_ = 0;
  std::size_t bytes_ = 0;
};

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

#include "config/tree_builder.h"

#include <algorithm>
#include <utility>

#include "base/suggest.h"

namespace sluice {
namespace {

/// The memory cost of a value.
struct Weight {
  std::size_t values = 0;
  std::size_t bytes = 0;

  Weight& operator+=(Weight other) {
    values += other.values;
    bytes += other.bytes;
    return *this;
  }
};

Weight weigh(const YamlNode& node) {
  Weight weight{1, node.text.size()};
  for (const YamlNode& item : node.items) weight += weigh(item);
  for (const YamlEntry& entry : node.entries) {
    weight += weigh(entry.value);
    weight.bytes += entry.key.size();
  }
  return weight;
}

std::size_t depth_of(const YamlNode& node) {
  std::size_t deepest = 0;
  for (const YamlNode& item : node.items) deepest = std::max(deepest, depth_of(item));
  for (const YamlEntry& entry : node.entries) {
    deepest = std::max(deepest, depth_of(entry.value));
  }
  return deepest + 1;
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

}  // namespace

ConfigPosition position(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

YamlDocument TreeBuilder::take_document() { return std::move(document_); }

std::optional<ConfigPosition> TreeBuilder::unclosed() const {
  const auto found = std::find_if(open_.rbegin(), open_.rend(), [](const Open& open) {
    return open.style == YAML::EmitterStyle::Flow;
  });
  if (found == open_.rend()) return std::nullopt;
  return found->node.at;
}

void TreeBuilder::OnDocumentStart(const YAML::Mark&) {}

void TreeBuilder::OnDocumentEnd() {}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  YamlNode node;
  node.at = awaits_value() ? open_.back().key_at : position(mark);
  charge(1, 0, position(mark));
  add(std::move(node), anchor, position(mark));
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const ConfigPosition at = position(mark);
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) fail(at, "an alias must not be used inside its own anchor");
  if (open_.size() + depth_of(found->second) > kMostYamlDepth) fail_depth(at);
  const Weight weight = weigh(found->second);
  charge(weight.values, weight.bytes, at);
  add(found->second, 0, at);
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& text) {
  refuse_tag(tag, position(mark));
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.at = position(mark);
  node.text = text;
  charge(1, text.size(), position(mark));
  add(std::move(node), anchor, position(mark));
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
  refuse_tag(tag, position(mark));
  open(YamlNode::Kind::list, style, position(mark), anchor);
}

void TreeBuilder::OnSequenceEnd() { close(); }

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value style) {
  refuse_tag(tag, position(mark));
  open(YamlNode::Kind::map, style, position(mark), anchor);
}

void TreeBuilder::OnMapEnd() { close(); }

bool TreeBuilder::awaits_value() const { return !open_.empty() && open_.back().key.has_value(); }

bool TreeBuilder::awaits_key() const {
  return !open_.empty() && open_.back().node.kind == YamlNode::Kind::map && !awaits_value();
}

void TreeBuilder::open(YamlNode::Kind kind, YAML::EmitterStyle::value style, ConfigPosition at,
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

void TreeBuilder::close() {
  Open closed = std::move(open_.back());
  open_.pop_back();
  const ConfigPosition at = closed.node.at;
  add(std::move(closed.node), closed.anchor, at);
}

void TreeBuilder::add(YamlNode node, YAML::anchor_t anchor, ConfigPosition at) {
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

void TreeBuilder::take_key(const YamlNode& node, ConfigPosition at) {
  if (node.kind != YamlNode::Kind::scalar) fail(at, "a key must be a word");
  if (node.text == "<<") fail(at, "merge keys (`<<`) are not supported");
  open_.back().key = node.text;
  open_.back().key_at = at;
}

void TreeBuilder::add_entry(YamlNode node) {
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

void TreeBuilder::charge(std::size_t values, std::size_t bytes, ConfigPosition at) {
  values_ += values;
  bytes_ += bytes;
  if (values_ <= limits_.values && bytes_ <= limits_.mebibytes << 20) return;
  fail(at, "more than " + std::to_string(limits_.values) + " values or " +
               std::to_string(limits_.mebibytes) + " MiB of text, counting each use of an alias");
}

}  // namespace sluice

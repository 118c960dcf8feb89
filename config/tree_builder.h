#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/document.h"

namespace sluice {

/// Builds the tree from the parser's events. It does not use the parser's own tree, which hides
/// repeated keys and expands aliases without a bound. Throws `DocumentError`, the only way to stop
/// the parser.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(YamlLimits limits) : limits_(limits) {}

  /// Returns the tree. Call once, after the end of the document.
  YamlDocument take_document();

  /// The position of the innermost { or [ that is still open.
  std::optional<ConfigPosition> unclosed() const;

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override;
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override;
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;

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

  bool awaits_value() const;
  bool awaits_key() const;
  void open(YamlNode::Kind kind, YAML::EmitterStyle::value style, ConfigPosition at,
            YAML::anchor_t anchor);
  void close();
  void add(YamlNode node, YAML::anchor_t anchor, ConfigPosition at);
  void take_key(const YamlNode& node, ConfigPosition at);
  void add_entry(YamlNode node);
  /// Counts values and bytes of text against the limits.
  void charge(std::size_t values, std::size_t bytes, ConfigPosition at);

  YamlLimits limits_;
  YamlDocument document_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::size_t values_ = 0;
  std::size_t bytes_ = 0;
};

/// Position with line and column counted from 1.
ConfigPosition position(const YAML::Mark& mark);

}  // namespace sluice

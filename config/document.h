#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config.h"

namespace sluice {

/// An error in a document, and its position.
struct DocumentError {
  ConfigPosition at;
  std::string message;
};

/// Maximum nesting depth of a YAML document.
inline constexpr std::size_t kMostYamlDepth = 32;

/// Limits on the size of a YAML document. An alias counts each time it is used, so a small file
/// cannot expand into a huge one.
struct YamlLimits {
  std::size_t values = 20000;
  std::size_t mebibytes = 2;  ///< Of text.
};

struct YamlEntry;

/// One value of a YAML document, or of a line of JSON. The keys of a map are unique.
struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  ConfigPosition at;               ///< For a null: the position of its key.
  std::string text;                ///< Of a scalar, quoted or not.
  std::vector<YamlNode> items;     ///< Of a list.
  std::vector<YamlEntry> entries;  ///< Of a map, in order.
};

/// One key of a map and its value.
struct YamlEntry {
  std::string key;
  ConfigPosition at;  ///< Of the key.
  YamlNode value;
};

/// A parsed document: its root (null if the document is empty), and errors for repeated keys, which
/// the maps omit; or the error that ended parsing.
struct YamlDocument {
  YamlNode root;
  std::vector<DocumentError> repeated;
};
using DocumentResult = std::variant<YamlDocument, DocumentError>;

/// Parses one YAML document: UTF-8 with or without a byte order mark, lines ending in LF or CRLF.
/// Anchors and aliases work; tags, merge keys, non-scalar keys, a second document and text after
/// the end are errors. Pure; never throws, whatever the bytes.
DocumentResult parse_document(std::string_view text, YamlLimits limits = {});

}  // namespace sluice

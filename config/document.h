#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/text_check.h"

namespace sluice {

/// A YAML document is at most this deep.
inline constexpr std::size_t kMostYamlDepth = 32;

/// How much a YAML document may hold. An alias counts as often as it is used, so that a small file
/// cannot unfold into a huge one.
struct YamlLimits {
  std::size_t values = 20000;
  std::size_t mebibytes = 2;  ///< Of text.
};

struct YamlEntry;

/// One value of a YAML document, or of a line of JSON. Keys of a map are unique.
struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  ConfigPosition at;               ///< Of a null: its key.
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

/// What reading a document gives: its root (null for an empty document), and the repeated keys,
/// which are left out of the maps; or the error that ended it.
struct YamlDocument {
  YamlNode root;
  std::vector<DocumentError> repeated;
};
using DocumentResult = std::variant<YamlDocument, DocumentError>;

/// Reads one YAML document: UTF-8 with or without a byte order mark, lines ended by LF or CRLF.
/// Anchors and aliases work; tags, merge keys, keys that are not scalars, a second document and
/// text after the end are errors. Pure; never throws for any bytes.
DocumentResult parse_document(std::string_view text, YamlLimits limits = {});

}  // namespace sluice

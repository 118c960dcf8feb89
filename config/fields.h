#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mapped.h"
#include "config/complaint.h"
#include "config/document.h"
#include "config/option_types.h"

namespace sluice {

/// An error in one field of a map.
struct FieldError {
  std::string field;  ///< "locks.node"; empty for the map as a whole.
  ConfigPosition at;
  std::string message;  ///< A sentence that names the field.
};

enum class Need { optional, required };

/// One field that a map may have, and how to store its value. A null counts as absent.
template <typename T>
struct Field {
  std::string name;
  std::string type;          ///< "duration"
  std::string example = {};  ///< A value as YAML.
  Need need = Need::optional;
  std::function<std::optional<ValueError>(const std::string& key, const YamlNode&)> judge_part = {};
  std::function<std::optional<ValueError>(T&, const YamlNode&)> read = {};
};

/// A field whose value `set(into, value)` stores.
template <typename T, typename V, typename Set>
Field<T> make_field(std::string name, std::string example, ValueType<V> type, Set set) {
  const auto read_into = [read = type.read, set](
                             T& into, const YamlNode& node) -> std::optional<ValueError> {
    auto value = read(node);
    if (auto* error = std::get_if<ValueError>(&value)) return std::move(*error);
    set(into, std::move(std::get<V>(value)));
    return std::nullopt;
  };
  return {std::move(name), type.name,       std::move(example),
          Need::optional,  type.judge_part, read_into};
}

/// A field whose value is stored in a member.
template <typename T, typename Member, typename V>
Field<T> make_field(std::string name, std::string example, ValueType<V> type, Member T::*member) {
  return make_field<T>(std::move(name), std::move(example), std::move(type),
                       [member](T& into, V value) { into.*member = std::move(value); });
}

/// A field that the caller reads by itself; listed to make its name known.
template <typename T>
Field<T> foreign_field(std::string name) {
  const auto read_nothing = [](T&, const YamlNode&) { return std::nullopt; };
  return {.name = std::move(name), .type = "any", .read = read_nothing};
}

template <typename T>
Field<T> required_field(Field<T> field) {
  field.need = Need::required;
  return field;
}

/// Reads one field. Adds all its errors to `errors`; stores nothing if there are any.
template <typename T>
void read_field(const Field<T>& field, const YamlNode& node, T& into,
                std::vector<FieldError>& errors) {
  if (auto error = judge_kind(field.type, field.example, node)) {
    errors.push_back({field.name, node.at, complaint(field.name, *error, node)});
    return;
  }
  const std::size_t before = errors.size();
  if (field.judge_part) {
    for_each_part(field.name, node,
                  [&](const std::string& path, const std::string& key, const YamlNode& part) {
                    const auto error = field.judge_part(key, part);
                    if (error) errors.push_back({path, part.at, complaint(path, *error, part)});
                  });
  }
  if (errors.size() != before) return;
  if (const auto error = field.read(into, node)) {
    errors.push_back({field.name, node.at, complaint(field.name, *error, node)});
  }
}

/// Reads a map according to its table. Adds all errors to `errors`; does not store wrong values.
/// `what` names the thing that the map describes: "a job".
template <typename T>
void read_fields(const std::vector<Field<T>>& table, const std::string& what, const YamlNode& map,
                 T& into, std::vector<FieldError>& errors) {
  if (map.kind != YamlNode::Kind::map) {
    errors.push_back({"", map.at, what + " must be a map of keys; is " + describe_node(map)});
    return;
  }
  for (const YamlEntry& entry : map.entries) {
    const auto field = std::ranges::find(table, entry.key, &Field<T>::name);
    if (field == table.end()) {
      errors.push_back(
          {entry.key, entry.at, unknown_key(entry.key, mapped(table, &Field<T>::name))});
    } else if (entry.value.kind != YamlNode::Kind::null) {
      read_field(*field, entry.value, into, errors);
    }
  }
  for (const Field<T>& field : table) {
    const YamlEntry* given = field.need == Need::required ? find_entry(map, field.name) : nullptr;
    const bool missing = given == nullptr || given->value.kind == YamlNode::Kind::null;
    if (field.need != Need::required || !missing) continue;
    errors.push_back({field.name, map.at, what + " needs `" + field.name + "`"});
  }
}

/// Makes `read_fields` a function that returns a `T`.
template <typename T>
auto reader_of(std::vector<Field<T>> table, std::string what) {
  return [table = std::move(table), what = std::move(what)](const YamlNode& node,
                                                            std::vector<FieldError>& errors) {
    T value{};
    read_fields(table, what, node, value, errors);
    return value;
  };
}

}  // namespace sluice

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "config/schema.h"

namespace sluice {

/// Finds a part of a configuration. Options share the code that stores and prints a T wherever it
/// is, and each adds only these two functions.
template <typename Part>
struct ConfigPlace {
  std::function<Part&(Config&, const std::string& name)> in;
  std::function<const Part&(const Config&, const std::string& name)> in_const;
};

/// That of a `field` that takes both kinds of configuration: `(auto& config, name) -> auto&`.
template <typename Field>
auto place_in_config(Field field) {
  using Part = std::remove_reference_t<std::invoke_result_t<Field&, Config&, const std::string&>>;
  return ConfigPlace<Part>{field, field};
}

/// The place of a member of the struct at `place`.
template <typename Struct, typename Member>
ConfigPlace<Member> member_of(const ConfigPlace<Struct>& place, Member Struct::*member) {
  return {[in = place.in, member](Config& config, const std::string& name) -> Member& {
            return in(config, name).*member;
          },
          [in = place.in_const, member](const Config& config, const std::string& name)
              -> const Member& { return in(config, name).*member; }};
}

/// An option stored at `place`, which is a T, an optional<T>, or anything a T can be assigned to.
template <typename T, typename Part>
SchemaOption make_option(OptionText text, ValueType<T> type, ConfigPlace<Part> place) {
  SchemaOption option;
  option.text = std::move(text);
  option.type = std::move(type.name);
  option.allowed = std::move(type.allowed);
  option.judge_part = std::move(type.judge_part);
  option.read = [read = std::move(type.read), in = std::move(place.in)](
                    Config& config, const std::string& name,
                    const YamlNode& node) -> std::optional<ValueError> {
    if (node.kind == YamlNode::Kind::null) {
      in(config, name) = Part{};
      return std::nullopt;
    }
    auto value = read(node);
    if (auto* error = std::get_if<ValueError>(&value)) return std::move(*error);
    in(config, name) = std::move(std::get<T>(value));
    return std::nullopt;
  };
  option.show = [print = std::move(type.print), in = std::move(place.in_const)](
                    const Config& config, const std::string& name) -> std::optional<std::string> {
    const Part& stored = in(config, name);
    if constexpr (requires { stored.has_value(); }) {
      return stored ? std::optional(print(*stored)) : std::nullopt;
    } else {
      return print(stored);
    }
  };
  return option;
}

/// An option stored at `field(config, name)`.
template <typename T, typename Field>
SchemaOption make_option(OptionText text, ValueType<T> type, Field field) {
  return make_option(std::move(text), std::move(type), place_in_config(field));
}

/// Makes the options of one section, which are members of the struct at `find(config, name)`: a row
/// of key, default, example, type, member and doc for each.
template <typename Find>
constexpr auto options_of(const char* section, Find find) {
  return [section, find](const std::string& key, std::string fallback, std::string example,
                         auto type, auto member, std::string doc) {
    const auto field = [ find, member ](auto& config, const std::string& name) -> auto& {
      return find(config, name).*member;
    };
    OptionText text{std::string(section) + "." + key, std::move(fallback), std::move(doc),
                    std::move(example)};
    return make_option(std::move(text), std::move(type), field);
  };
}

}  // namespace sluice

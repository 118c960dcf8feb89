#pragma once

#include <string>
#include <string_view>

#include "config/schema.h"

namespace sluice {

// What docs/config.md and sluice.yaml(5) both say of a configuration. Texts are Markdown. All
// functions are pure.

/// What stands before the keys: how values are written, errors, reload.
std::string config_introduction();

/// Lines of at most so many bytes, unless one has no blank to break at, with `between` in between.
std::string wrapped_line(std::string_view line, std::size_t columns, std::string_view between);

/// The options shared by all sensors, or the section's own.
enum class SectionKeys { common, own };

/// What stands before the keys that every sensor has.
inline constexpr std::string_view kCommonText =
    "Every sensor has these keys besides its own. If its `acts` or `presence` differs, its section "
    "says so.";

/// The option's key within its section: "limit", "match.id".
std::string key_in(const SchemaSection& section, const std::string& path);

/// "`queues.NAME`", "`rules[N]`", "`sensors.NAME` with `kind: file`".
std::string section_name(const SchemaSection& section);

/// The section's doc, with how it acts.
std::string section_text(const SchemaSection& section);

/// "duration, at least 10ms and at most 1h".
std::string values_text(const SchemaOption& option);

/// "`1s`", "required".
std::string default_text(const SchemaOption& option);

/// What the option does and why its default is what it is.
std::string meaning_text(const SchemaOption& option);

}  // namespace sluice

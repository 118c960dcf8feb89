#include <string>
#include <string_view>

#include "config/config.h"
#include "config/schema.h"

namespace sluice {
namespace {

constexpr std::string_view kIntroduction = R"(# Configuration

<!-- Generated: sluice config reference > docs/config.md -->

Sluice needs no configuration: without a file, and for every key that is left out, the defaults
below govern this host. A file is YAML, at most 1 MiB:

```yaml
window:
  maximum: 20/cpu
sensors:
  disk: {paths: [/var/lib/ci], limit: 10%}
  io_pressure: off
```

`sluice config check FILE` says all that is wrong with a file. `sluice config show FILE` prints every
value in force and where it comes from.

## How values are written

| type | written | notes |
| --- | --- | --- |
| duration | `30s`, `10min`, `1.5h` | `ns`, `us`, `ms`, `s`, `min` or `m`, `h`, `d`; never without a unit |
| size | `512MiB`, `1.5GiB`, `10MB` | powers of 1024 with an `i`, powers of 1000 without; `4096B` |
| ratio | `5%` or `0.05` | |
| points | `40` or `10/cpu` | for the machine, or for each CPU it may use; resolved on the machine, rounded down |
| address | `"127.0.0.1:9797"` | IPv6 in brackets: `"[::1]:9797"` |
| path | `/run/sluice` | absolute |
| list | `[a, b]` | |
| map | `{a: 1, b: 2}` | |

A default never contradicts a value that was given: it gives way. With `maximum: 50` on a host of
16 CPUs the window also starts at 50, although `initial` is `15/cpu`. Values that were given are
compared with each other, except those that only the other control law uses. `null` is the default
where it is allowed, and an empty section is no section. Anchors and aliases work; tags, merge
keys, a key given twice and a second document are errors.

## Errors and reload

All that is wrong is said at once, in the order of the file:

```
sluice.yaml:2:3: unknown key `intial`; did you mean `initial`?
sluice.yaml:3:13: window.interval must be a duration such as 30s, 10min or 500ms; is `5`; say the unit: ns, us, ms, s, min (or m), h or d
```

A reload (SIGHUP or `POST /v1/reload`) is all or nothing: a file with any error changes nothing,
and the old configuration stays in force.
)";

/// A cell must not end at a bar, nor be taken for code that is not closed.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '|') escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

/// Of an option within its section: "limit", "match.id".
std::string key_in(const SchemaSection& section, const std::string& path) {
  return section.path.empty() ? path : path.substr(section.path.size() + 1);
}

/// A list's members go by their numbers: "rules[N]" for "rules.NAME".
std::string path_in_list(const std::string& path) {
  for (const std::string list : {"rules", "work_sources"}) {
    if (path == list + ".NAME") return list + "[N]";
  }
  return path;
}

/// "queues.NAME", "rules[N]"
std::string heading(const SchemaSection& section) {
  return section.path.empty() ? "Top level" : "`" + path_in_list(section.path) + "`";
}

std::string print_default(const SchemaOption& option) {
  if (option.required) return "required";
  const bool prose = option.settle && option.text.path.starts_with("sensors.starting.");
  return prose ? option.text.fallback : "`" + option.text.fallback + "`";
}

std::string print_row(const SchemaSection& section, const SchemaOption& option) {
  std::string type = option.type;
  if (!option.allowed.empty()) type += (type == "word" ? ": " : ", ") + option.allowed;
  if (option.null == Null::fallback) type += ", or `null`";
  std::string doc = option.text.doc;
  if (option.only_for) doc += " Only `adaptive` uses it.";
  return "| `" + key_in(section, option.text.path) + "` | " + cell(type) + " | " +
         cell(print_default(option)) + " | " + cell(doc) + " | `" + cell(option.text.example) +
         "` |\n";
}

constexpr std::string_view kTableHead =
    "| key | value | default | meaning, and why this default | example |\n"
    "| --- | --- | --- | --- | --- |\n";

/// The options that all sensors have, once; the sections of the sensors then leave them out.
std::string print_common(const SchemaSection& section) {
  std::string text =
      "\n## Every sensor\n\nThese keys stand beside the sensor's own. Where `acts` and `presence` "
      "differ, the sensor says so.\n\n";
  text += kTableHead;
  for (const SchemaOption& option : section.options) {
    if (option.common) text += print_row(section, option);
  }
  return text;
}

std::string print_section(const SchemaSection& section) {
  std::string text = "\n## " + heading(section);
  if (!section.kind.empty()) text += " with `kind: " + section.kind + "`";
  text += "\n\n" + section.doc;
  for (const SchemaOption& option : section.options) {
    if (key_in(section, option.text.path) == "acts")
      text += " Acts as `" + option.text.fallback + "`.";
  }
  text += "\n\n";
  text += kTableHead;
  for (const SchemaOption& option : section.options) {
    if (!option.common) text += print_row(section, option);
  }
  return text;
}

}  // namespace

std::string config_reference_markdown() {
  const ConfigSchema schema = config_schema();
  std::string text(kIntroduction);
  bool common_printed = false;
  for (const SchemaSection& section : schema.sections) {
    if (!common_printed && section.path.starts_with("sensors.")) {
      text += print_common(section);
      common_printed = true;
    }
    text += print_section(section);
  }
  return text;
}

}  // namespace sluice

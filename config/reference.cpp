#include "config/reference.h"

#include <algorithm>
#include <string_view>

#include "config/config.h"
#include "config/schema.h"

namespace sluice {
namespace {

constexpr std::string_view kIntroduction = R"(# Configuration

<!-- Generated: sluice config reference > docs/config.md -->

Sluice needs no configuration: without a file, and for every key that a file omits, the defaults
below govern this host. A file is YAML, at most 1 MiB:

```yaml
window:
  maximum: 20/cpu
sensors:
  disk: {paths: [/var/lib/ci], limit: 10%}
  io_pressure: off
```

`sluice config check FILE` reports every error in a file. `sluice config show FILE` prints every
value in force and its origin.

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

If a default contradicts a value in the file, the default gives way. With `maximum: 50` on a host of
16 CPUs, the window also starts at 50, although `initial` is `15/cpu`. Sluice checks the values in
the file against each other, except those that only another control law uses. Where `null` is
allowed, it means the default, and an empty section counts as absent. Anchors and aliases work;
tags, merge keys, a key given twice and a second document are errors.

## Errors and reload

Sluice reports all errors at once, in the order of the file:

```
sluice.yaml:2:3: unknown key `intial`; did you mean `initial`?
sluice.yaml:3:13: window.interval must be a duration such as 30s, 10min or 500ms; is `5`; add the unit: ns, us, ms, s, min (or m), h or d
```

A reload (SIGHUP or `POST /v1/reload`) applies all of a file or none of it: if the file has any
error, the old configuration stays in force.
)";

constexpr std::size_t kLongestCell = 200, kColumns = 100;

/// True at blanks outside code, unless the next line would start a list.
bool may_break(std::string_view text, std::size_t blank) {
  const auto ticks = std::count(text.begin(), text.begin() + blank, '`');
  return ticks % 2 == 0 && std::string_view("-+*#|>0123456789").find(text[blank + 1]) == text.npos;
}

/// Wrapped as prose; all lines except the first start with `indent`.
std::string wrapped(std::string_view text, const std::string& indent = {}) {
  std::string lines;
  while (text.size() > kColumns) {
    std::size_t end = text.npos;
    for (std::size_t blank = text.find(' '); blank != text.npos;
         blank = text.find(' ', blank + 1)) {
      if (blank > kColumns && end != text.npos) break;
      if (may_break(text, blank)) end = blank;
    }
    if (end == text.npos) break;
    lines += std::string(text.substr(0, end)) + "\n" + indent;
    text.remove_prefix(end + 1);
  }
  return lines + std::string(text);
}

/// Escapes bars, which would end the cell and leave code unclosed.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '|') escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

/// The option's key within its section: "limit", "match.id".
std::string key_in(const SchemaSection& section, const std::string& path) {
  return section.path.empty() ? path : path.substr(section.path.size() + 1);
}

/// List members have indices: "rules[N]" for "rules.NAME".
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

std::string meaning(const SchemaOption& option) {
  return option.text.doc + (option.unused_by_rfc ? " `rfc` does not use it." : "");
}

bool fits_cell(const SchemaOption& option) { return cell(meaning(option)).size() <= kLongestCell; }

std::string first_sentence(const std::string& text) { return text.substr(0, text.find(". ") + 1); }

std::string print_row(const SchemaSection& section, const SchemaOption& option) {
  std::string type = option.type;
  if (!option.allowed.empty()) type += (type == "word" ? ": " : ", ") + option.allowed;
  if (option.null == Null::fallback) type += ", or `null`";
  const std::string doc =
      fits_cell(option) ? meaning(option) : first_sentence(option.text.doc) + " More below.";
  return "| `" + key_in(section, option.text.path) + "` | " + cell(type) + " | " +
         cell(print_default(option)) + " | " + cell(doc) + " | `" + cell(option.text.example) +
         "` |\n";
}

constexpr std::string_view kTableHead =
    "| key | value | default | meaning, and why this default | example |\n"
    "| --- | --- | --- | --- | --- |\n";

/// The options shared by all sensors, or the section's own.
enum class Options { common, own };

/// One row per option; a text too long for its cell follows the table in full.
std::string print_table(const SchemaSection& section, Options which) {
  std::string rows(kTableHead);
  std::string texts;
  for (const SchemaOption& option : section.options) {
    if (option.common != (which == Options::common)) continue;
    rows += print_row(section, option);
    if (fits_cell(option)) continue;
    const std::string key = key_in(section, option.text.path);
    texts += "\n" + wrapped("- `" + key + "`: " + meaning(option), "  ");
  }
  return rows + (texts.empty() ? "" : texts + "\n");
}

/// Prints the options common to all sensors once; the sensors' sections omit them.
std::string print_common(const SchemaSection& section) {
  return "\n## Every sensor\n\nEvery sensor has these keys besides its own. If its `acts` or "
         "`presence` differs, its section says so.\n\n" +
         print_table(section, Options::common);
}

std::string print_section(const SchemaSection& section) {
  std::string text = "\n## " + heading(section);
  if (!section.kind.empty()) text += " with `kind: " + section.kind + "`";
  std::string doc = section.doc;
  for (const SchemaOption& option : section.options) {
    if (key_in(section, option.text.path) == "acts")
      doc += " Acts as `" + option.text.fallback + "`.";
  }
  return text + "\n\n" + wrapped(doc) + "\n\n" + print_table(section, Options::own);
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

#include "config/reference_text.h"

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

/// List members have indices: "rules[N]" for "rules.NAME".
std::string path_in_list(const std::string& path) {
  for (const std::string list : {"rules", "work_sources"}) {
    if (path == list + ".NAME") return list + "[N]";
  }
  return path;
}

}  // namespace

std::string config_introduction() { return std::string(kIntroduction); }

std::string wrapped_line(std::string_view line, std::size_t columns, std::string_view between) {
  std::string lines;
  while (line.size() > columns) {
    const std::size_t blank = line.rfind(' ', columns);
    if (blank == line.npos || blank == 0) break;
    lines.append(line.substr(0, blank)).append(between);
    line.remove_prefix(blank + 1);
  }
  return lines.append(line);
}

std::string key_in(const SchemaSection& section, const std::string& path) {
  return section.path.empty() ? path : path.substr(section.path.size() + 1);
}

std::string section_name(const SchemaSection& section) {
  const std::string name =
      section.path.empty() ? "Top level" : "`" + path_in_list(section.path) + "`";
  return section.kind.empty() ? name : name + " with `kind: " + section.kind + "`";
}

std::string section_text(const SchemaSection& section) {
  std::string doc = section.doc;
  for (const SchemaOption& option : section.options) {
    if (key_in(section, option.text.path) == "acts") {
      doc += " Acts as `" + option.text.fallback + "`.";
    }
  }
  return doc;
}

std::string values_text(const SchemaOption& option) {
  std::string type = option.type;
  if (!option.allowed.empty()) type += (type == "word" ? ": " : ", ") + option.allowed;
  if (option.null == Null::fallback) type += ", or `null`";
  return type;
}

std::string default_text(const SchemaOption& option) {
  if (option.required) return "required";
  const bool prose = option.settle && option.text.path.starts_with("sensors.starting.");
  return prose ? option.text.fallback : "`" + option.text.fallback + "`";
}

std::string meaning_text(const SchemaOption& option) {
  return option.text.doc + (option.unused_by_rfc ? " `rfc` does not use it." : "");
}

}  // namespace sluice

#include "cli/declared.h"

#include <boost/json.hpp>
#include <optional>
#include <stdexcept>

#include "base/parse.h"
#include "base/values.h"
#include "sluice/job.h"
#include "sluice/locks.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

struct Pair {
  std::string name;
  std::string value;
};

std::optional<Pair> parse_pair(const std::string& text) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at == 0) return std::nullopt;
  return Pair{text.substr(0, at), text.substr(at + 1)};
}

std::string not_a_pair(const std::string& option, const std::string& form,
                       const std::string& text) {
  return option + " must be " + form + ", not \"" + text + "\"";
}

}  // namespace

Declared declared_locks(const std::vector<std::string>& options) {
  json::object locks;
  for (const std::string& option : options) {
    const auto pair = parse_pair(option);
    if (!pair) return not_a_pair("--lock", "LEVEL=MODE, such as node=exclusive:n1", option);
    const auto parsed = parse_locks(pair->name, pair->value);
    if (const auto* problem = std::get_if<std::string>(&parsed)) {
      return "--lock " + pair->name + ": " + *problem;
    }
    json::value& declared = locks[pair->name];
    const std::string before = declared.is_null() ? "" : json::value_to<std::string>(declared);
    declared = before.empty() ? pair->value : before + " " + pair->value;
  }
  return locks;
}

Declared declared_resources(const std::vector<std::string>& options) {
  json::object resources;
  for (const std::string& option : options) {
    const auto pair = parse_pair(option);
    const auto amount = pair ? parse_as<std::int64_t>(pair->value) : std::nullopt;
    if (!amount) return not_a_pair("--resource", "MANAGER=N, such as db=2", option);
    resources[pair->name] = *amount;
  }
  return resources;
}

Declared declared_params(const std::vector<std::string>& options) {
  json::object params;
  for (const std::string& option : options) {
    const auto pair = parse_pair(option);
    if (!pair) return not_a_pair("--param", "NAME=VALUE, such as instance=i1", option);
    params[pair->name] = pair->value;
  }
  return params;
}

std::variant<json::value, std::string> declared_position(const std::string& option) {
  if (option == "front" || option == "back") return json::value(option);
  for (const char* side : {"before", "after"}) {
    const std::string start = std::string(side) + ":";
    if (option.starts_with(start) && option.size() > start.size()) {
      return json::value(json::object{{side, option.substr(start.size())}});
    }
  }
  return "--position must be front, back, before:JOB or after:JOB, not \"" + option + "\"";
}

Duration declared_time(const std::string& option, const std::string& value) {
  const auto parsed = parse_duration(value);
  const auto* time = std::get_if<Duration>(&parsed);
  if (time && *time >= Duration{0}) return *time;
  throw std::runtime_error(option + " must be a duration such as 30s or 10min");
}

Bytes declared_memory(const std::string& value) {
  const auto size = parse_size(value);
  const Bytes* const memory = std::get_if<Bytes>(&size);
  if (memory && memory->value > 0 && *memory <= kMostMemory) return *memory;
  const ValueError* const wrong = std::get_if<ValueError>(&size);
  const std::string hint = wrong ? wrong->hint : "";
  throw std::runtime_error("--memory must be a size such as 1.5GiB, at most " +
                           print_size(kMostMemory) + ", not \"" + value + "\"" +
                           (hint.empty() ? "" : "; " + hint));
}

}  // namespace sluice::cli

#include "cli/replay_jobs.h"

#include <algorithm>
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/value.hpp>
#include <limits>
#include <optional>

#include "config/suggest.h"
#include "config/values.h"
#include "sluice/locks.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

/// What is wrong with a field's value: a sentence that begins behind the field's name.
using Flaw = std::optional<std::string>;
using FieldReader = Flaw (*)(const json::value&, ScriptedJob&);

constexpr Duration kLongest = std::chrono::hours(24 * 3653);
constexpr std::size_t kMostIdBytes = 255;
constexpr std::size_t kMostTextBytes = 1000;

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

std::optional<std::string_view> text_in(const json::value& value) {
  const json::string* text = value.if_string();
  if (!text) return std::nullopt;
  return view(*text);
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char byte) {
    return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f;
  });
}

Flaw read_text(const json::value& value, std::size_t most, std::string& into) {
  const auto text = text_in(value);
  if (!text || text->size() > most || has_control(*text)) {
    return "must be a text of at most " + std::to_string(most) + " bytes on one line";
  }
  into = *text;
  return std::nullopt;
}

Flaw read_whole(const json::value& value, std::int64_t least, std::int64_t most,
                std::int64_t& into) {
  const std::int64_t* number = value.if_int64();
  if (!number || *number < least || *number > most) {
    return "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  }
  into = *number;
  return std::nullopt;
}

Flaw read_int(const json::value& value, int least, int most, std::optional<int>& into) {
  std::int64_t number = 0;
  if (auto flaw = read_whole(value, least, most, number)) return flaw;
  into = static_cast<int>(number);
  return std::nullopt;
}

Flaw read_duration(const json::value& value, Duration& into) {
  const auto text = text_in(value);
  const auto parsed = text ? parse_duration(*text) : ParsedValue<Duration>(ValueError{});
  const Duration* duration = std::get_if<Duration>(&parsed);
  if (!duration || *duration < Duration{0} || *duration > kLongest) {
    return "must be a duration such as \"90s\", from 0s to 3653d";
  }
  into = *duration;
  return std::nullopt;
}

Flaw read_at(const json::value& value, ScriptedJob& job) { return read_duration(value, job.at); }

Flaw read_id(const json::value& value, ScriptedJob& job) {
  auto flaw = read_text(value, kMostIdBytes, job.request.id);
  return !flaw && job.request.id.empty() ? Flaw("must not be empty") : flaw;
}

Flaw read_key(const json::value& value, ScriptedJob& job) {
  return read_text(value, kMostNameBytes, job.request.key);
}

Flaw read_queue(const json::value& value, ScriptedJob& job) {
  return read_text(value, kMostNameBytes, job.request.queue);
}

Flaw read_priority(const json::value& value, ScriptedJob& job) {
  return read_int(value, -1'000'000, 1'000'000, job.request.priority);
}

Flaw read_inventory(const json::value& value, ScriptedJob& job) {
  return read_int(value, 0, 1'000'000, job.request.inventory);
}

Flaw read_nice(const json::value& value, ScriptedJob& job) {
  return read_int(value, -20, 19, job.request.nice);
}

Flaw read_runs(const json::value& value, ScriptedJob& job) {
  return read_duration(value, job.runs.emplace());
}

Flaw read_outcome(const json::value& value, ScriptedJob& job) {
  const auto text = text_in(value);
  for (const Outcome outcome : {Outcome::ok, Outcome::failed, Outcome::oom, Outcome::cancelled}) {
    if (text != to_string(outcome)) continue;
    job.outcome = outcome;
    return std::nullopt;
  }
  return "must be `ok`, `failed`, `oom` or `cancelled`";
}

Flaw read_on_failure(const json::value& value, ScriptedJob& job) {
  const auto text = text_in(value);
  for (const OnFailure each : {OnFailure::cancel, OnFailure::run, OnFailure::hold}) {
    if (text != to_string(each)) continue;
    job.request.on_failure = each;
    return std::nullopt;
  }
  return "must be `cancel`, `run` or `hold`";
}

Flaw read_cost(const json::value& value, ScriptedJob& job) {
  Points cost;
  if (auto flaw = read_whole(value, 1, kMostPoints.value, cost.value)) return flaw;
  job.request.cost = cost;
  return std::nullopt;
}

Flaw read_memory(const json::value& value, ScriptedJob& job) {
  const auto text = text_in(value);
  const auto parsed = text ? parse_size(*text) : ParsedValue<Bytes>(ValueError{});
  const Bytes* size = std::get_if<Bytes>(&parsed);
  if (!size) return "must be a size such as \"512MiB\"";
  job.request.memory = *size;
  return std::nullopt;
}

Flaw read_global_lock(const json::value& value, ScriptedJob& job) {
  const bool* truth = value.if_bool();
  if (!truth) return "must be true or false";
  job.request.global_lock = *truth;
  return std::nullopt;
}

Flaw read_locks(const json::value& value, ScriptedJob& job) {
  const json::object* levels = value.if_object();
  if (!levels) return R"(must be an object such as {"node": "exclusive:node1"})";
  auto& locks = job.request.locks.emplace();
  locks.reserve(levels->size());
  for (const auto& [name, modes] : *levels) {
    const std::string level(name);
    const auto text = text_in(modes);
    if (!text) return R"(must be an object such as {"node": "exclusive:node1"})";
    auto parsed = parse_locks(level, *text);
    if (const auto* problem = std::get_if<std::string>(&parsed))
      return "." + level + ": " + *problem;
    locks.push_back(std::move(std::get<LevelLocks>(parsed)));
  }
  return std::nullopt;
}

Flaw read_resources(const json::value& value, ScriptedJob& job) {
  const json::object* managers = value.if_object();
  if (!managers) return R"(must be an object such as {"db": 1})";
  for (const auto& [name, amount] : *managers) {
    ResourceDemand demand{std::string(name), 0};
    if (auto flaw =
            read_whole(amount, 0, std::numeric_limits<std::int32_t>::max(), demand.amount)) {
      return "." + demand.manager + " " + *flaw;
    }
    job.request.resources.push_back(std::move(demand));
  }
  return std::nullopt;
}

Flaw read_texts(const json::value& value, std::vector<std::string>& into) {
  const json::array* list = value.if_array();
  if (!list) return "must be a list of texts";
  for (const json::value& each : *list) {
    if (auto flaw = read_text(each, kMostTextBytes, into.emplace_back())) {
      return "must be a list of texts of at most 1000 bytes each";
    }
  }
  return std::nullopt;
}

Flaw read_after(const json::value& value, ScriptedJob& job) { return read_texts(value, job.after); }

Flaw read_reasons(const json::value& value, ScriptedJob& job) {
  return read_texts(value, job.request.reasons);
}

Flaw read_params(const json::value& value, ScriptedJob& job) {
  const json::object* params = value.if_object();
  if (!params) return R"(must be an object such as {"instance": "i1"})";
  for (const auto& [name, text] : *params) {
    if (auto flaw = read_text(text, kMostTextBytes, job.request.params[std::string(name)])) {
      return "." + std::string(name) + " " + *flaw;
    }
  }
  return std::nullopt;
}

struct Field {
  std::string_view name;
  FieldReader read;
};

/// The usual ones first: they are looked up one by one.
constexpr std::array<Field, 18> kFields{{{"at", read_at},
                                         {"id", read_id},
                                         {"key", read_key},
                                         {"runs", read_runs},
                                         {"locks", read_locks},
                                         {"cost", read_cost},
                                         {"priority", read_priority},
                                         {"queue", read_queue},
                                         {"inventory", read_inventory},
                                         {"outcome", read_outcome},
                                         {"resources", read_resources},
                                         {"memory", read_memory},
                                         {"after", read_after},
                                         {"on_failure", read_on_failure},
                                         {"reasons", read_reasons},
                                         {"params", read_params},
                                         {"nice", read_nice},
                                         {"global_lock", read_global_lock}}};

std::string unknown(std::string_view name) {
  std::vector<std::string> names;
  for (const Field& field : kFields) names.emplace_back(field.name);
  const auto meant = closest_word(name, names);
  return "unknown field " + quote_text(name) +
         (meant ? "; did you mean `" + *meant + "`?" : "; there are " + join_words(names));
}

Flaw read_member(const json::key_value_pair& member, ScriptedJob& job) {
  const std::string_view name(member.key().data(), member.key().size());
  const auto field = std::find_if(kFields.begin(), kFields.end(),
                                  [&](const Field& each) { return each.name == name; });
  if (field == kFields.end()) return unknown(name);
  auto flaw = field->read(member.value(), job);
  if (!flaw) return std::nullopt;
  // Flaws of a member of the field begin with a dot and its name.
  const std::size_t name_end = flaw->starts_with('.') ? flaw->find_first_of(" :") : 0;
  return "`" + std::string(name) + flaw->substr(0, name_end) + "`" + (name_end == 0 ? " " : "") +
         flaw->substr(name_end);
}

}  // namespace

struct JobLineParser::Memory {
  std::array<unsigned char, 16384> buffer;
  json::monotonic_resource resource{buffer.data(), buffer.size()};
  json::parser parser;
};

JobLineParser::JobLineParser() : memory_(std::make_unique<Memory>()) {}
JobLineParser::~JobLineParser() = default;

std::variant<ScriptedJob, std::string> JobLineParser::parse(std::string_view line) {
  memory_->resource.release();
  memory_->parser.reset(&memory_->resource);
  json::error_code failure;
  memory_->parser.write(line.data(), line.size(), failure);
  if (failure) return "this is no JSON object: " + failure.message();
  const json::value value = memory_->parser.release();
  const json::object* members = value.if_object();
  if (!members) return "a job is a JSON object such as {\"at\": \"0s\", \"id\": \"a\"}";
  ScriptedJob job;
  for (const json::key_value_pair& member : *members) {
    if (auto flaw = read_member(member, job)) return *std::move(flaw);
  }
  if (job.request.id.empty()) return "`id` is missing";
  return job;
}

}  // namespace sluice::cli

#include "cli/replay/jobs.h"

#include <algorithm>
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

#include "base/enum_names.h"
#include "base/values.h"
#include "sluice/locks.h"

namespace sluice::cli {
namespace {

namespace json = boost::json;

// The field table that parses scenarios goes through a tree of texts, which takes longer than
// replaying a job. The fast path below therefore reads a line straight into a job; it accepts only
// values that are valid beyond doubt. The table handles everything else and produces the error
// messages.

/// Returns false if it does not understand the value.
using FieldReader = bool (*)(const json::value&, ScenarioJob&);

constexpr std::size_t kMostListed = 16;
constexpr Duration kLongest = std::chrono::hours(24 * 365);

std::optional<std::string_view> text_in(const json::value& value) {
  const json::string* text = value.if_string();
  if (!text) return std::nullopt;
  return std::string_view(text->data(), text->size());
}

/// A text that is valid in every text field.
bool read_plain(const json::value& value, std::string& into) {
  const auto text = text_in(value);
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  if (!text || text->empty() || text->size() > 100 ||
      !std::all_of(text->begin(), text->end(), plain)) {
    return false;
  }
  into = *text;
  return true;
}

bool read_whole(const json::value& value, std::int64_t least, std::int64_t most,
                std::int64_t& into) {
  const std::int64_t* number = value.if_int64();
  if (!number || *number < least || *number > most) return false;
  into = *number;
  return true;
}

bool read_int(const json::value& value, int least, int most, std::optional<int>& into) {
  std::int64_t number = 0;
  if (!read_whole(value, least, most, number)) return false;
  into = static_cast<int>(number);
  return true;
}

bool read_duration(const json::value& value, Duration& into) {
  const auto text = text_in(value);
  if (!text) return false;
  const auto parsed = parse_duration(*text);
  const Duration* duration = std::get_if<Duration>(&parsed);
  if (!duration || *duration < Duration{0} || *duration > kLongest) return false;
  into = *duration;
  return true;
}

bool read_outcome(const json::value& value, ScenarioJob& job) {
  const auto text = text_in(value);
  const auto outcome = text ? find_named<Outcome>(*text, kOutcomes) : std::nullopt;
  if (outcome) job.outcome = *outcome;
  return outcome.has_value();
}

bool read_cost(const json::value& value, ScenarioJob& job) {
  return read_whole(value, 1, kMostPoints.value, job.request.cost.emplace().value);
}

bool read_locks(const json::value& value, ScenarioJob& job) {
  const json::object* levels = value.if_object();
  if (!levels || levels->empty() || levels->size() > kMostListed) return false;
  auto& locks = job.request.locks.emplace();
  locks.reserve(levels->size());
  for (const auto& [name, modes] : *levels) {
    const auto text = text_in(modes);
    if (!text || text->size() > 500) return false;
    auto parsed = parse_locks(std::string(name), *text);
    auto* level = std::get_if<LevelLocks>(&parsed);
    if (!level) return false;
    locks.push_back(std::move(*level));
  }
  return true;
}

bool read_resources(const json::value& value, ScenarioJob& job) {
  const json::object* managers = value.if_object();
  if (!managers || managers->size() > kMostListed) return false;
  for (const auto& [name, amount] : *managers) {
    ResourceDemand& demand = job.request.resources.emplace_back();
    demand.manager = std::string_view(name);
    if (!read_whole(amount, 0, 1'000'000, demand.amount)) return false;
  }
  return true;
}

bool read_after(const json::value& value, ScenarioJob& job) {
  const json::array* list = value.if_array();
  if (!list || list->size() > kMostListed) return false;
  return std::all_of(list->begin(), list->end(), [&](const json::value& each) {
    return read_plain(each, job.after.emplace_back());
  });
}

struct FastField {
  std::string_view name;
  FieldReader read;
};

/// Frequent ones first: the search is linear.
constexpr std::array<FastField, 13> kFields{
    {{"at", [](const json::value& in, ScenarioJob& to) { return read_duration(in, to.at); }},
     {"id", [](const json::value& in, ScenarioJob& to) { return read_plain(in, to.request.id); }},
     {"key", [](const json::value& in, ScenarioJob& to) { return read_plain(in, to.request.key); }},
     {"runs", [](const json::value& in, ScenarioJob& to) { return read_duration(in, to.runs); }},
     {"locks", read_locks},
     {"cost", read_cost},
     {"priority", [](const json::value& in,
                     ScenarioJob& to) { return read_int(in, -1000, 1000, to.request.priority); }},
     {"queue",
      [](const json::value& in, ScenarioJob& to) { return read_plain(in, to.request.queue); }},
     {"inventory", [](const json::value& in,
                      ScenarioJob& to) { return read_int(in, 0, 1000, to.request.inventory); }},
     {"outcome", read_outcome},
     {"resources", read_resources},
     {"after", read_after},
     {"nice", [](const json::value& in, ScenarioJob& to) {
        return read_int(in, -20, 19, to.request.nice);
      }}}};

bool read_fast(const json::object& members, ScenarioJob& job) {
  bool has_runs = false;
  for (const json::key_value_pair& member : members) {
    const std::string_view name(member.key().data(), member.key().size());
    const auto field = std::ranges::find(kFields, name, &FastField::name);
    if (field == kFields.end() || !field->read(member.value(), job)) return false;
    has_runs = has_runs || name == "runs";
  }
  return has_runs && !job.request.id.empty();
}

YamlNode tree_of(const json::value& value);

YamlNode tree_of(const json::object& members) {
  YamlNode node;
  node.kind = YamlNode::Kind::map;
  for (const auto& [key, value] : members) {
    node.entries.push_back({std::string(key), {}, tree_of(value)});
  }
  return node;
}

YamlNode tree_of(const json::array& items) {
  YamlNode node;
  node.kind = YamlNode::Kind::list;
  for (const json::value& item : items) node.items.push_back(tree_of(item));
  return node;
}

YamlNode tree_of(const json::value& value) {
  if (const json::object* members = value.if_object()) return tree_of(*members);
  if (const json::array* items = value.if_array()) return tree_of(*items);
  YamlNode node;
  if (value.is_null()) return node;
  node.kind = YamlNode::Kind::scalar;
  const auto text = text_in(value);
  node.text = text ? std::string(*text) : json::serialize(value);
  return node;
}

std::variant<ScenarioJob, std::string> read_by_table(const json::object& members) {
  std::vector<FieldError> errors;
  ScenarioJob job = read_scenario_job(tree_of(members), errors);
  if (errors.empty()) return job;
  return std::move(errors.front().message);
}

class JobFile {
 public:
  JobFile(std::ifstream file, std::string path)
      : file_(std::move(file)), path_(std::move(path)), buffer_(kMostJobLineBytes) {}

  std::variant<std::monostate, ScenarioJob, ConfigError> next() {
    while (true) {
      file_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
      const auto read = static_cast<std::size_t>(file_.gcount());
      if (file_.eof() && read == 0) return std::monostate{};
      ++line_;
      if (file_.bad()) return error(std::strerror(errno));
      if (file_.fail()) {
        return error("the line is longer than " + std::to_string(kMostJobLineBytes) + " bytes");
      }
      const std::string_view text(buffer_.data(), file_.eof() ? read : read - 1);
      if (text.find_first_not_of(" \t\r") != std::string_view::npos) return parse(text);
    }
  }

 private:
  std::variant<std::monostate, ScenarioJob, ConfigError> parse(std::string_view text) {
    auto parsed = parser_.parse(text);
    if (auto* problem = std::get_if<std::string>(&parsed)) return error(std::move(*problem));
    auto& job = std::get<ScenarioJob>(parsed);
    job.line = line_;
    if (job.at < latest_) {
      return error("at: " + print_duration(job.at) + " is before the " + print_duration(latest_) +
                   " of the line above: the replay reads the lines as it goes, so they must be in "
                   "order of `at`");
    }
    latest_ = job.at;
    return std::move(job);
  }

  ConfigError error(std::string message) const { return {path_, line_, 0, std::move(message)}; }

  std::ifstream file_;
  std::string path_;
  std::vector<char> buffer_;  ///< For a line and a NUL.
  JobLineParser parser_;
  int line_ = 0;
  Duration latest_{0};
};

}  // namespace

struct JobLineParser::Memory {
  std::array<unsigned char, 16384> buffer;
  json::monotonic_resource resource{buffer.data(), buffer.size()};
  json::parser parser;
};

JobLineParser::JobLineParser() : memory_(std::make_unique<Memory>()) {}
JobLineParser::~JobLineParser() = default;

std::variant<ScenarioJob, std::string> JobLineParser::parse(std::string_view line) {
  memory_->resource.release();
  memory_->parser.reset(&memory_->resource);
  json::error_code failure;
  memory_->parser.write(line.data(), line.size(), failure);
  if (failure) return "not a JSON object: " + failure.message();
  const json::value value = memory_->parser.release();
  const json::object* members = value.if_object();
  if (!members) return "a job is a JSON object such as {\"id\": \"a\", \"runs\": \"60s\"}";
  ScenarioJob job;
  if (read_fast(*members, job)) return job;
  return read_by_table(*members);
}

std::variant<JobSource, ConfigError> jobs_from_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return ConfigError{path, 0, 0, std::strerror(errno)};
  // std::function must be copyable, and a file is not.
  auto jobs = std::make_shared<JobFile>(std::move(file), path);
  return JobSource([jobs] { return jobs->next(); });
}

}  // namespace sluice::cli

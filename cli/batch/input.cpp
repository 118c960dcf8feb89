#include "cli/batch/input.h"

#include <algorithm>
#include <boost/json.hpp>

#include "base/shell_command.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "base/values.h"
#include "service/protocol/submit.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

/// The longest argument that Linux passes to a program (MAX_ARG_STRLEN), less its terminator.
constexpr std::size_t kMostLineBytes = 131072 - 1;
constexpr std::size_t kMostArguments = 10000;

const std::vector<std::string> kFields{
    "command",   "key",        "priority", "queue",  "locks",     "global_lock",
    "resources", "inventory",  "cost",     "memory", "after",     "id",
    "nice",      "on_failure", "reasons",  "params", "directory",
};

std::string_view text_of(const json::string& text) { return {text.data(), text.size()}; }

bool is_json(std::string_view line) {
  if (!line.starts_with('{')) return false;
  const std::size_t next = line.find_first_not_of(" \t", 1);
  return next != std::string_view::npos && line[next] == '"';
}

std::optional<BatchProblem> problem_of_text(std::string_view text) {
  if (text.size() > kMostLineBytes) {
    return BatchProblem{"", "is longer than the " + std::to_string(kMostLineBytes) +
                                " bytes a program can receive"};
  }
  if (text.find('\0') != std::string_view::npos) {
    return BatchProblem{"", "contains a NUL byte, which no command can have"};
  }
  return std::nullopt;
}

std::optional<BatchProblem> read_argv(const json::array& list, BatchJob& job) {
  const BatchProblem expected{
      "command",
      "must be text for sh or a list of program and arguments, such as [\"make\", \"-j4\"]"};
  if (list.empty() || list.size() > kMostArguments) return expected;
  for (const json::value& each : list) {
    const json::string* word = each.if_string();
    if (!word || problem_of_text(text_of(*word))) return expected;
    job.argv.emplace_back(text_of(*word));
  }
  if (job.argv.front().empty()) return expected;
  job.line = shell_quoted(job.argv);
  return std::nullopt;
}

std::optional<BatchProblem> read_command(const json::object& object, BatchJob& job) {
  const json::value* command = object.if_contains("command");
  if (!command || command->is_null()) return BatchProblem{"command", "is missing"};
  if (const json::array* list = command->if_array()) return read_argv(*list, job);
  const json::string* text = command->if_string();
  if (!text || text->empty() || problem_of_text(text_of(*text))) {
    return BatchProblem{"command", "must be text for sh or a list of program and arguments"};
  }
  job.line = text_of(*text);
  return std::nullopt;
}

std::optional<BatchProblem> read_memory(const json::object& object, BatchJob& job) {
  const json::value* memory = object.if_contains("memory");
  if (!memory || memory->is_null()) return std::nullopt;
  const json::string* text = memory->if_string();
  const auto size = text ? parse_size(text_of(*text)) : ValueError{};
  if (const Bytes* bytes = std::get_if<Bytes>(&size); bytes && bytes->value > 0) {
    job.request.memory = *bytes;
    return std::nullopt;
  }
  return BatchProblem{"memory", "must be a size such as \"1.5GiB\""};
}

std::optional<BatchProblem> read_directory(const json::object& object, BatchJob& job) {
  const json::value* directory = object.if_contains("directory");
  if (!directory || directory->is_null()) return std::nullopt;
  const json::string* text = directory->if_string();
  if (!text || text->empty() || text_of(*text).find('\0') != std::string_view::npos) {
    return BatchProblem{"directory", "must be the path of a folder"};
  }
  job.directory = text_of(*text);
  return std::nullopt;
}

std::optional<BatchProblem> check_names(const json::object& object) {
  for (const auto& member : object) {
    const std::string name(member.key().data(), member.key().size());
    if (std::find(kFields.begin(), kFields.end(), name) != kFields.end()) continue;
    return BatchProblem{name,
                        "is not known" + did_you_mean(name, kFields, ": " + join_words(kFields))};
  }
  return std::nullopt;
}

/// Parses the fields shared with the API's submit by the API's own rules.
std::optional<BatchProblem> read_request(json::object& object, BatchJob& job) {
  const auto memory = job.request.memory;
  for (const char* ours : {"command", "memory", "directory"}) object.erase(ours);
  auto parsed = parse_submit(json::serialize(object));
  if (const auto* error = std::get_if<ApiError>(&parsed)) {
    const std::string named = "`" + error->field + "`";
    std::string message = error->message;
    if (message.starts_with(named)) message.erase(0, named.size());
    message.erase(0, message.find_first_not_of(": "));
    return BatchProblem{error->field, message};
  }
  auto& submit = std::get<Submit>(parsed);
  job.request = std::move(submit.request);
  job.request.memory = memory;
  job.after = std::move(submit.after);
  return std::nullopt;
}

std::optional<BatchProblem> read_object(std::string_view line, BatchJob& job) {
  json::error_code error;
  json::value value = json::parse(json::string_view(line.data(), line.size()), error);
  if (error && !is_utf8(line)) return BatchProblem{"", "is not UTF-8, as JSON must be"};
  if (error) return BatchProblem{"", "is not a JSON object: " + error.message()};
  json::object* object = value.if_object();
  if (!object) return BatchProblem{"", "is not a JSON object"};
  auto problem = check_names(*object);
  if (!problem) problem = read_command(*object, job);
  if (!problem) problem = read_memory(*object, job);
  if (!problem) problem = read_directory(*object, job);
  if (!problem) problem = read_request(*object, job);
  return problem;
}

}  // namespace

std::string to_sentence(const std::string& place, const BatchProblem& problem) {
  return place + ": " + (problem.field.empty() ? "the line" : quote_text(problem.field)) + " " +
         problem.message;
}

std::optional<BatchProblem> BatchInput::read(std::string_view line, BatchJob& job) {
  if (template_) {
    job.line = template_->filled(line, job.seq);
    job.tag = line;
    return problem_of_text(job.line);
  }
  if (is_json(line)) {
    auto problem = read_object(line, job);
    job.tag = job.request.id.empty() ? job.line : job.request.id;
    return problem;
  }
  job.line = line;
  job.tag = line;
  return problem_of_text(line);
}

std::optional<BatchProblem> BatchInput::enlist(const BatchJob& job) {
  for (const std::string& id : job.after) {
    if (!ids_.contains(id)) {
      return BatchProblem{"after",
                          "names " + quote_text(id) + ", which no earlier line has as its `id`"};
    }
  }
  if (!job.request.id.empty() && !ids_.insert(job.request.id).second) {
    return BatchProblem{"id", quote_text(job.request.id) + " is already the id of an earlier line"};
  }
  return std::nullopt;
}

std::variant<std::monostate, BatchJob, BatchProblem> BatchInput::parse_line(std::string_view line) {
  ++lines_;
  const bool is_verbatim = template_ && end_ != BatchEnd::newline;
  if (!is_verbatim && line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == std::string_view::npos && !is_verbatim) return {};
  if (!template_ && line[start] == '#') return {};
  BatchJob job;
  // A wrong line counts, so that numbers stay when it is mended.
  job.seq = ++jobs_;
  auto problem = read(template_ ? line : line.substr(start), job);
  if (!problem) problem = enlist(job);
  if (problem) return *std::move(problem);
  job.place = place();
  job.request.measured = true;
  if (identify_) identify_(job);
  return job;
}

}  // namespace sluice::cli

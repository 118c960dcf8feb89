#include "cli/completion/daemon_words.h"

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include "base/readiness.h"
#include "base/text.h"
#include "client/answer.h"
#include "client/answer_fields.h"
#include "client/client.h"
#include "sluice/units.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

/// In all: people wait for it.
constexpr Duration kPatience = std::chrono::milliseconds(500);

/// A longer list would not help.
const char* const kJobs = "/v1/jobs?limit=1000";

bool is_plain(std::string_view word) {
  return !word.empty() && word.front() != '-' && printable(word, word.size()) == word;
}

/// The members of the list `field` that are objects.
std::vector<const json::object*> objects_at(const json::object& answer, std::string_view field) {
  std::vector<const json::object*> objects;
  const json::value* list = answer.if_contains(field);
  if (!list || !list->is_array()) return objects;
  for (const json::value& each : list->as_array()) {
    if (each.is_object()) objects.push_back(&each.as_object());
  }
  return objects;
}

void add(std::vector<CompletionWord>& words, std::string word, const std::string& meaning) {
  if (is_plain(word)) words.push_back({std::move(word), printable(meaning, 100)});
}

std::string count_at(const json::object& object, std::string_view field) {
  const json::value* value = object.if_contains(field);
  return value && value->is_int64() ? json::serialize(*value) : "0";
}

/// The answer to a GET, if it is complete before `until`.
std::optional<json::object> answer_before(TimePoint until, Client& client, const char* target) {
  if (client.send("GET", target)) return std::nullopt;
  while (true) {
    const TimePoint now = Clock::now();
    if (now >= until) return std::nullopt;
    if (!is_readable(client.descriptor(), until - now)) continue;
    const auto received = client.receive();
    if (!received) continue;
    const auto* reply = std::get_if<ClientReply>(&*received);
    if (!reply || reply->status != 200) return std::nullopt;
    return answer_object(*reply);
  }
}

}  // namespace

std::vector<CompletionWord> job_words(const json::object& jobs) {
  std::vector<CompletionWord> words;
  for (const json::object* job : objects_at(jobs, "jobs")) {
    const std::string key = text_at(*job, "key");
    add(words, text_at(*job, "id"), text_at(*job, "state") + (key.empty() ? "" : ", " + key));
  }
  return words;
}

std::vector<CompletionWord> key_words(const json::object& jobs) {
  std::vector<CompletionWord> words;
  std::set<std::string> seen;
  for (const json::object* job : objects_at(jobs, "jobs")) {
    std::string key = text_at(*job, "key");
    if (seen.insert(key).second) add(words, std::move(key), "");
  }
  return words;
}

std::vector<CompletionWord> queue_words(const json::object& status) {
  std::vector<CompletionWord> words;
  for (const json::object* queue : objects_at(status, "queues")) {
    add(words, text_at(*queue, "name"),
        count_at(*queue, "running") + " running, " + count_at(*queue, "pending") + " pending");
  }
  return words;
}

std::vector<CompletionWord> manager_words(const json::object& status) {
  std::vector<CompletionWord> words;
  for (const json::object* manager : objects_at(status, "resources")) {
    const std::string name = text_at(*manager, "manager");
    if (!name.empty()) add(words, name + "=", text_at(*manager, "kind"));
  }
  return words;
}

std::vector<CompletionWord> words_of_daemon(const std::string& value, const std::string& socket) {
  const bool wants_jobs = value == "JOB" || value == "KEY" || value == "PLACE";
  if (!wants_jobs && value != "QUEUE" && value != "M=N") return {};
  const TimePoint until = Clock::now() + kPatience;
  auto connected = Client::connect(socket);
  auto* client = std::get_if<Client>(&connected);
  if (!client) return {};
  const auto answer = answer_before(until, *client, wants_jobs ? kJobs : "/v1/status");
  if (!answer) return {};
  if (value == "KEY") return key_words(*answer);
  if (value == "QUEUE") return queue_words(*answer);
  if (value == "M=N") return manager_words(*answer);
  return job_words(*answer);
}

}  // namespace sluice::cli

#include "service/protocol/job_text.h"

#include <boost/json/parse.hpp>

#include "base/json_writer.h"
#include "base/parse.h"
#include "service/protocol/submit.h"

namespace sluice {
namespace {
namespace json = boost::json;

void write_text(JsonWriter& out, std::string_view name, const std::string& text) {
  if (!text.empty()) out.member(name, text);
}

template <typename T>
void write_given(JsonWriter& out, std::string_view name, const std::optional<T>& value) {
  if (value) out.member(name, *value);
}

void write_truth(JsonWriter& out, std::string_view name, bool truth) {
  if (truth) out.member(name, truth);
}

void write_batch(JsonWriter& out, const ClientBatch& batch) {
  write_text(out, "batch", batch.id);
  if (batch.most_waiting > 0) out.member("batch_waiting", batch.most_waiting);
  if (batch.most_unfinished > 0) out.member("batch_unfinished", batch.most_unfinished);
}

void write_lists(JsonWriter& out, const JobRequest& request) {
  if (request.locks) {
    out.object("locks", *request.locks,
               [&](const LevelLocks& locks) { out.member(locks.level, to_text(locks)); });
  }
  if (!request.resources.empty()) {
    out.object("resources", request.resources,
               [&](const ResourceDemand& demand) { out.member(demand.manager, demand.amount); });
  }
  if (!request.after.empty()) {
    out.list("after", request.after, [&](JobId job) { out.value(job.value); });
  }
  if (!request.reasons.empty()) out.member("reasons", request.reasons);
  if (!request.params.empty()) out.member("params", request.params);
}

std::optional<JobId> parse_job_number(std::string_view text) {
  const auto number = parse_u64(text);
  return number ? std::optional(JobId{*number}) : std::nullopt;
}

}  // namespace

std::string request_text(const JobRequest& request, std::string_view token_prefix,
                         const ClientBatch& batch) {
  std::string text;
  text.reserve(256);
  JsonWriter out(text);
  out.begin_object();
  write_text(out, "id", request.id);
  write_text(out, "key", request.key);
  write_text(out, "variant", request.variant);
  write_text(out, "program", request.program);
  write_text(out, "queue", request.queue);
  write_given(out, "priority", request.priority);
  write_given(out, "inventory", request.inventory);
  if (request.parent != JobId{}) out.member("parent", std::to_string(request.parent.value));
  write_given(out, "cost", request.cost);
  write_given(out, "memory", request.memory);
  write_given(out, "nice", request.nice);
  write_truth(out, "reports_started", request.reports_started);
  write_truth(out, "measured", request.measured);
  write_truth(out, "suspendable", request.suspendable);
  write_truth(out, "global_lock", request.global_lock);
  // An older daemon cannot read a text that has it.
  if (request.takes_turns != request.key.starts_with(token_prefix)) {
    out.member("takes_turns", request.takes_turns);
  }
  if (request.on_failure != OnFailure::cancel) {
    out.member("on_failure", to_string(request.on_failure));
  }
  write_lists(out, request);
  // An older daemon cannot read a text that has it, either.
  write_batch(out, batch);
  out.end_object();
  return text;
}

std::variant<StoredRequest, std::string> parse_request(std::string_view text,
                                                       std::string_view token_prefix) {
  auto parsed = parse_stored_submit(text);
  if (const auto* error = std::get_if<ApiError>(&parsed)) return error->message;
  Submit& submit = std::get<Submit>(parsed);
  for (const std::string& name : submit.after) {
    const auto job = parse_job_number(name);
    if (!job) return "`after` names `" + name + "`, not a number";
    submit.request.after.push_back(*job);
  }
  if (submit.parent) {
    const auto parent = parse_job_number(*submit.parent);
    if (!parent) return "`parent` is `" + *submit.parent + "`, not a number";
    submit.request.parent = *parent;
  }
  submit.request.takes_turns =
      submit.takes_turns.value_or(submit.request.key.starts_with(token_prefix));
  return StoredRequest{std::move(submit.request), std::move(submit.batch)};
}

std::string items_text(const std::vector<HeldItems>& items) {
  std::string text;
  if (items.empty()) return text;
  JsonWriter out(text);
  out.begin_object();
  for (const HeldItems& held : items) out.member(held.manager, held.items);
  out.end_object();
  return text;
}

std::variant<std::vector<HeldItems>, std::string> parse_items(std::string_view text) {
  std::vector<HeldItems> items;
  if (text.empty()) return items;
  boost::system::error_code problem;
  const json::value parsed = json::parse(text, problem);
  const json::object* managers = problem ? nullptr : parsed.if_object();
  if (!managers) return "its held items cannot be read";
  for (const auto& [manager, names] : *managers) {
    HeldItems& held = items.emplace_back();
    held.manager.assign(manager.data(), manager.size());
    const json::array* list = names.if_array();
    if (!list) return "its held items of " + held.manager + " are not a list";
    for (const json::value& each : *list) {
      const json::string* name = each.if_string();
      if (!name) return "a held item of " + held.manager + " is not a string";
      held.items.emplace_back(std::string_view(*name));
    }
  }
  return items;
}

}  // namespace sluice

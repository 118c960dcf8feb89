#include "client/submission.h"

#include <utility>

#include "base/json_writer.h"
#include "base/seconds.h"
#include "costmodel/real_command.h"

namespace sluice {
namespace {

/// A link's key and its program are not those of the compiles by the same driver.
constexpr const char* kLinker = "ld";

/// Two folders of one tree may each have a `main.c` and equal arguments. The last part of the
/// folder alone: all worktrees of a project share what is learned.
std::string variant_of(std::span<const std::string> command, const KeyPlace& place) {
  const std::string numbers = job_variant(command, place);
  const std::string folder = base_name(place.directory);
  return folder.empty() || folder == "/" ? numbers : numbers + "@" + folder;
}

}  // namespace

Submission submission_of(std::span<const std::string> command, const KeyPlace& place,
                         std::string id, std::string parent) {
  Submission submission;
  submission.id = std::move(id);
  submission.key = job_key(command, place);
  submission.variant = variant_of(command, place);
  const bool links = kind_of(command) == CommandKind::link;
  submission.program = links ? kLinker : program_of(command);
  submission.parent = std::move(parent);
  return submission;
}

std::string submit_body(const Submission& submission) {
  constexpr std::size_t most_program = 256;
  return json_text([&](JsonWriter& json) {
    json.begin_object().member("id", submission.id).member("hold", "connection");
    if (submission.lease == Submission::Lease::peer) json.member("pid", "peer");
    json.member("measured", true).member("suspendable", true);
    json.member("parent", submission.parent).member("key", submission.key);
    json.member("variant", submission.variant);
    json.member("program", submission.program.substr(0, most_program));
    if (!submission.queue.empty()) json.member("queue", submission.queue);
    if (submission.priority != 0) json.member("priority", submission.priority);
    if (submission.cost) json.member("cost", submission.cost->value);
    json.end_object();
  });
}

std::string heartbeat_body(const JobUsage& usage) {
  return json_text([&](JsonWriter& json) {
    json.begin_object().key("usage").begin_object();
    json.member("wall", to_seconds(usage.wall));
    if (usage.cpu > Duration{0}) json.member("cpu", to_seconds(usage.cpu));
    if (usage.memory > Bytes{0}) json.member("memory", usage.memory.value);
    json.end_object().end_object();
  });
}

std::string end_body(const JobUsage& usage) {
  return json_text([&](JsonWriter& json) {
    json.begin_object().key("usage").begin_object();
    json.member("wall", to_seconds(usage.wall)).member("cpu", to_seconds(usage.cpu));
    json.member("peak_memory", usage.peak_memory.value);
    if (usage.read) json.member("read", usage.read->value);
    if (usage.written) json.member("written", usage.written->value);
    json.member("oom_kills", usage.oom_kills).end_object().end_object();
  });
}

}  // namespace sluice

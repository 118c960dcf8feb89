#include "config/scenario_job.h"

#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/mapped.h"
#include "config/complaint.h"
#include "config/name_check.h"
#include "config/option_types_queueing.h"
#include "sluice/locks.h"
#include "sluice/status.h"

namespace sluice {
namespace {

constexpr std::size_t kMostReasons = 100;
constexpr std::size_t kMostAfter = 1000;
constexpr Bytes kAnySize{std::numeric_limits<std::uint64_t>::max()};
constexpr std::size_t kMostParamBytes = 4096;
constexpr Range<double> kCores{0, 10'000};
constexpr std::size_t kMostPhases = 1000;
constexpr std::int64_t kMostOfBatch = 1'000'000;
constexpr Bytes kMostBytes{std::uint64_t{1} << 50};

ValueType<std::map<std::string, std::string>> params_type() {
  const auto problem_of_key = [](std::string_view key) -> std::string {
    const std::string problem = problem_of_label(key);
    return problem.empty() ? "" : "has a bad name: it " + problem;
  };
  const auto read = [](const YamlNode& node) -> ParsedValue<std::string> {
    if (node.text.size() > kMostParamBytes) return ValueError{"must have at most 4096 bytes", ""};
    return parse_text(node.text);
  };
  return map_type<std::string>("map of texts", "", problem_of_key,
                               scalar_part<std::string>({.read = read}, "must be a text"));
}

std::vector<ResourceDemand> as_demands(const std::map<std::string, std::int64_t>& amounts) {
  return mapped(amounts, [](auto& each) { return ResourceDemand{each.first, each.second}; });
}

std::vector<Field<ScenarioPhase>> phase_fields() {
  using Phase = ScenarioPhase;
  const auto size = size_type({Bytes{0}, kMostBytes});
  return {make_field("runs", "300s", instant_type(), &Phase::runs),
          make_field("cores", "2", number_type(kCores), &Phase::cores),
          make_field("waiting", "0.5", number_type(kCores), &Phase::waiting),
          make_field("disk", "50MiB", size, &Phase::disk),
          make_field("memory", "1GiB", size, &Phase::memory),
          make_field("growth", "1GiB", size, &Phase::growth)};
}

/// What a job does where its use is measured, instead of `runs` and `cores`.
void read_phases(const YamlNode& node, const YamlNode& phases, ScenarioJob& job,
                 std::vector<FieldError>& errors) {
  static const std::vector<Field<ScenarioPhase>> fields = phase_fields();
  for (const std::string name : {"runs", "cores"}) {
    const YamlEntry* other = find_entry(node, name);
    if (other == nullptr) continue;
    errors.push_back({name, other->at, name + ": belongs into the phases of a job with `phases`"});
  }
  if (phases.kind != YamlNode::Kind::list || phases.items.empty()) {
    const std::string message = complaint("phases", {"must be a list of maps", ""}, phases);
    errors.push_back({"phases", phases.at, message});
    return;
  }
  if (phases.items.size() > kMostPhases) {
    const std::string most = std::to_string(kMostPhases);
    errors.push_back({"phases", phases.at, "phases: must be at most " + most});
    return;
  }
  for (std::size_t i = 0; i < phases.items.size(); ++i) {
    std::vector<FieldError> wrong;
    read_fields(fields, "a phase", phases.items[i], job.phases.emplace_back(), wrong);
    const std::string path = path_of_item("phases", i);
    for (const FieldError& error : wrong) {
      errors.push_back({path, error.at, path + ": " + error.message});
    }
  }
}

std::vector<Field<ScenarioJob>> build_scenario_fields(Need runs) {
  using Job = ScenarioJob;
  // A daemon finds these out by itself; runs are learned by them.
  const auto learned_by = [](std::string JobRequest::*member) {
    return [member](Job& job, std::string text) { job.request.*member = std::move(text); };
  };
  const auto add_each_once = [](Job& job, const std::vector<std::string>& after) {
    for (const std::string& id : after) {
      if (std::ranges::find(job.after, id) == job.after.end()) job.after.push_back(id);
    }
  };
  std::vector<Field<Job>> fields{
      make_field("at", "90s", instant_type(), &Job::at),
      make_field("runs", "300s", instant_type(), &Job::runs),
      make_field("follows", "other-id", text_type(), &Job::follows),
      make_field("gap", "20ms", instant_type(), &Job::gap),
      make_field("batch", "nightly", text_type(), &Job::batch),
      make_field("batch_waiting", "16", whole_type({1, kMostOfBatch}), &Job::batch_waiting),
      make_field("batch_unfinished", "8", whole_type({1, kMostOfBatch}), &Job::batch_unfinished),
      make_field("ran", "12s", instant_type(), &Job::ran),
      make_field("holds", "15", whole_as<Points>({1, kMostPoints.value}), &Job::holds),
      make_field("waited", "12s", instant_type(), &Job::waited),
      make_field("cores", "2", number_type(kCores), &Job::cores),
      foreign_field<Job>("phases"),
      make_field("outcome", "ok", word_type(words_of<Outcome>(kOutcomes)), &Job::outcome),
      make_field<Job>("program", "g++", text_type(), learned_by(&JobRequest::program)),
      make_field<Job>("user", "\"1000\"", text_type(), learned_by(&JobRequest::user)),
      make_field<Job>("variant", "a", text_type(), learned_by(&JobRequest::variant)),
      make_field<Job>("after", "[other-id]", label_list_type({0, kMostAfter}), add_each_once),
  };
  fields[1].need = runs;
  for (Field<JobRequest>& field : job_fields()) {
    const Need need = field.name == "id" ? Need::required : Need::optional;
    fields.push_back({field.name, field.type, field.example, need, field.judge_part,
                      [read = field.read](ScenarioJob& job, const YamlNode& node) {
                        return read(job.request, node);
                      }});
  }
  return fields;
}

/// A batch with a limit, or none of these.
void check_batch(const YamlNode& node, const ScenarioJob& job, std::vector<FieldError>& errors) {
  const bool is_limited = job.batch_waiting > 0 || job.batch_unfinished > 0;
  const auto fail = [&](const char* field, const char* problem) {
    const YamlEntry* entry = find_entry(node, field);
    errors.push_back({field, entry ? entry->value.at : node.at, std::string(field) + problem});
  };
  if (job.batch.empty() && is_limited) {
    fail("batch", ": is needed by batch_waiting and batch_unfinished");
  } else if (!job.batch.empty() && !is_limited) {
    fail("batch", ": needs batch_waiting or batch_unfinished");
  } else if (!job.batch.empty() && !job.follows.empty()) {
    fail("follows", ": not for a job of a batch");
  }
}

/// The position of a field, or of a part of it.
ConfigPosition place_of(const YamlNode& job, std::string_view field, std::string_view part) {
  const YamlEntry* entry = find_entry(job, field);
  if (entry == nullptr) return job.at;
  const YamlEntry* inner = part.empty() ? nullptr : find_entry(entry->value, part);
  return inner != nullptr ? inner->value.at : entry->value.at;
}

/// Follows `after` from job to job without recursion, which a long chain would make too deep.
class CycleSearch {
 public:
  explicit CycleSearch(const std::vector<ScenarioJob>& jobs)
      : jobs_(jobs), states_(jobs.size(), State::unseen) {
    for (std::size_t i = 0; i < jobs.size(); ++i) numbers_.emplace(jobs[i].request.id, i);
  }

  std::vector<std::vector<std::size_t>> run() {
    for (std::size_t i = 0; i < jobs_.size(); ++i) follow(i);
    return std::move(cycles_);
  }

 private:
  enum class State { unseen, on_path, done };
  struct Step {
    std::size_t job;
    std::size_t next = 0;  ///< Of its `after`.
  };

  void follow(std::size_t first) {
    if (states_[first] != State::unseen) return;
    enter(first);
    while (!path_.empty()) {
      Step& step = path_.back();
      const std::vector<std::string>& after = jobs_[step.job].after;
      if (step.next == after.size()) {
        states_[step.job] = State::done;
        path_.pop_back();
        continue;
      }
      const auto found = numbers_.find(after[step.next++]);
      if (found != numbers_.end() && found->second != step.job) visit(found->second);
    }
  }

  void enter(std::size_t job) {
    states_[job] = State::on_path;
    path_.push_back({job});
  }

  void visit(std::size_t job) {
    if (states_[job] == State::unseen) return enter(job);
    if (states_[job] == State::done) return;
    std::vector<std::size_t> circle;
    for (auto step = path_.rbegin(); step->job != job; ++step) circle.push_back(step->job);
    circle.push_back(job);
    std::reverse(circle.begin(), circle.end());
    cycles_.push_back(std::move(circle));
  }

  const std::vector<ScenarioJob>& jobs_;
  std::unordered_map<std::string_view, std::size_t> numbers_;
  std::vector<State> states_;
  std::vector<Step> path_;
  std::vector<std::vector<std::size_t>> cycles_;
};

}  // namespace

std::vector<Field<JobRequest>> job_fields() {
  const auto on_failure = word_type(words_of<OnFailure>(3));
  return {
      make_field("id", "build-1", label_type(), &JobRequest::id),
      make_field("key", "build", optional_key_type(), &JobRequest::key),
      make_field("queue", "default", name_type(), &JobRequest::queue),
      make_field("priority", "5", whole_as<int>({-kMostPriority, kMostPriority}),
                 &JobRequest::priority),
      make_field("inventory", "2", whole_as<int>({0, kMostInventory}), &JobRequest::inventory),
      make_field("cost", "15", whole_as<Points>({1, kMostPoints.value}), &JobRequest::cost),
      make_field("locks", "{node: \"exclusive:n1\"}", locks_type(), &JobRequest::locks),
      make_field("global_lock", "true", switch_type(), &JobRequest::global_lock),
      make_field<JobRequest>("resources", "{db: 1}", amounts_type(),
                             [](JobRequest& job, const std::map<std::string, std::int64_t>& map) {
                               job.resources = as_demands(map);
                             }),
      make_field("memory", "512MiB", size_type({Bytes{0}, kAnySize}), &JobRequest::memory),
      make_field("on_failure", "run", on_failure, &JobRequest::on_failure),
      make_field("reasons", "[\"rate-limit:2:lint\"]", label_list_type({0, kMostReasons}),
                 &JobRequest::reasons),
      make_field("params", "{instance: vm1}", params_type(), &JobRequest::params),
      make_field("nice", "10", whole_as<int>({-20, 19}), &JobRequest::nice),
  };
}

ScenarioJob read_scenario_job(const YamlNode& node, std::vector<FieldError>& errors) {
  static const auto timed = build_scenario_fields(Need::required);
  static const auto phased = build_scenario_fields(Need::optional);
  const YamlEntry* phases = find_entry(node, "phases");
  const bool has_phases = phases && phases->value.kind != YamlNode::Kind::null;
  ScenarioJob job;
  job.line = node.at.line;
  read_fields(has_phases ? phased : timed, "a job", node, job, errors);
  if (has_phases) read_phases(node, phases->value, job, errors);
  if (errors.empty()) check_batch(node, job, errors);
  return job;
}

void check_names(const QueueingOptions& options, const JobRequest& job, const YamlNode& node,
                 std::vector<FieldError>& errors) {
  const auto fail = [&](const std::string& field, const std::string& part, std::string message) {
    const std::string path = part.empty() ? field : path_of_entry(field, part);
    errors.push_back({path, place_of(node, field, part), path + ": " + std::move(message)});
  };
  if (!job.queue.empty() && !options.queues.contains(job.queue)) {
    fail("queue", "", unknown_name("queue", job.queue, names_in(options.queues)));
  }
  for (const ResourceDemand& demand : job.resources) {
    if (options.resources.contains(demand.manager)) continue;
    fail("resources", demand.manager,
         unknown_name("resource manager", demand.manager, names_in(options.resources)));
  }
  if (!job.locks) return;
  const std::vector<std::string>& levels = options.contention.levels;
  for (const LevelLocks& locks : *job.locks) {
    if (std::find(levels.begin(), levels.end(), locks.level) != levels.end()) continue;
    fail("locks", locks.level, unknown_name("level", locks.level, levels));
  }
}

std::vector<std::vector<std::size_t>> find_cycles(const std::vector<ScenarioJob>& jobs) {
  return CycleSearch(jobs).run();
}

}  // namespace sluice

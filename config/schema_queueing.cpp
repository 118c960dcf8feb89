#include <string>
#include <utility>

#include "base/values.h"
#include "config/name_check.h"
#include "config/option_types_queueing.h"
#include "config/schema_sections.h"
#include "config/stored_option.h"
#include "sluice/job.h"
#include "sluice/locks.h"
#include "sluice/status.h"

namespace sluice {
namespace {

constexpr std::size_t kMostItems = 10000;
constexpr std::int64_t kMostBackfill = 1'000'000;

constexpr auto queue_option = options_of(
    "queues.NAME", [](auto& config, const std::string& name) -> auto& {
      return config.governing.queueing.queues.at(name);
    });

/// The default depends on the control law.
SchemaOption backfill() {
  SchemaOption option = queue_option(
      "backfill", "16", "4", whole_as<int>({0, kMostBackfill}), &QueueOptions::backfill,
      "The number of jobs that wait only for the window or for memory and which others may pass "
      "over in one pass; 0: none. 16 lets small jobs start while a large one waits for room, and a "
      "job that has aged is no longer passed over; 0 under `rfc`, which starts jobs in their "
      "order.");
  option.settle = [](const Config& config, const std::string&) {
    if (config.governing.window.law == Law::rfc) return SettledDefault{"0", "default for rfc"};
    return SettledDefault{"16", "default"};
  };
  return option;
}

SchemaSection queue_section() {
  return {
      "queues.NAME",
      "",
      "A queue of pending jobs. If `queues` is given, these are all queues; otherwise there is "
      "one, `default`.",
      {queue_option("resources", "[]", "[db]", name_list_type({0, 100}), &QueueOptions::resources,
                    "Resource managers that every job of the queue needs, with their "
                    "`consumption`. None: only the window limits the queue."),
       queue_option("paused", "false", "true", switch_type(), &QueueOptions::paused,
                    "Whether the queue is paused, so that none of its jobs starts until a user "
                    "resumes it. Off, because the jobs of a queue should run."),
       backfill()},
      SchemaMembers{
          [](const Config& config) { return names_in(config.governing.queueing.queues); },
          [](Config& config, const std::string& name) { config.governing.queueing.queues[name]; }}};
}

constexpr auto resource_option = options_of(
    "resources.NAME", [](auto& config, const std::string& name) -> auto& {
      return config.governing.queueing.resources.at(name);
    });

using ResourceKind = ResourceOptions::Kind;

SchemaOption resource_kind(const std::string& kind, const std::string& doc) {
  return kind_option({"resources.NAME.kind", kind == "quantity" ? kind : "", doc, kind},
                     "`quantity`, `discrete`, `highlander`");
}

SchemaOption consumption(const std::string& fallback, const std::string& doc) {
  return resource_option("consumption", fallback, "2", whole_type({0, kMostUnits}),
                         &ResourceOptions::consumption, doc);
}

SchemaOption shortage(const std::string& fallback, const std::string& doc) {
  return resource_option(
      "shortage", fallback, "skip",
      word_type<Shortage>({{"block", Shortage::block}, {"skip", Shortage::skip}}),
      &ResourceOptions::shortage, doc);
}

SchemaSection resource_section(const std::string& kind, ResourceKind value, std::string doc) {
  SchemaMembers members;
  members.names = [value](const Config& config) {
    std::vector<std::string> names;
    for (const auto& [name, manager] : config.governing.queueing.resources) {
      if (manager.kind == value) names.push_back(name);
    }
    return names;
  };
  members.add = [value](Config& config, const std::string& name) {
    config.governing.queueing.resources[name].kind = value;
  };
  return {"resources.NAME", kind, std::move(doc), {}, std::move(members)};
}

SchemaSection quantity_section() {
  SchemaSection section =
      resource_section("quantity", ResourceKind::quantity,
                       "A resource manager: a number of units, of which running jobs hold some.");
  section.options = {
      resource_kind("quantity", "Makes NAME a number of units; the most common kind."),
      resource_option("total", "10", "4", whole_type({0, kMostUnits}), &ResourceOptions::total,
                      "The number of units. A number below the current use is allowed: nothing "
                      "starts until it fits. JQM's number."),
      consumption("1",
                  "The need of a job that does not declare one. JQM's number: one job, one unit, "
                  "so that a manager on a queue counts its jobs."),
      shortage("block",
               "What to do when too little is left for a job. `block`: its queue starts no more "
               "jobs for now and no job takes what is left, so that the large request that has "
               "waited longest gets its turn. `skip`: Sluice looks at the next job.")};
  return section;
}

SchemaSection discrete_section() {
  SchemaSection section = resource_section(
      "discrete", ResourceKind::discrete,
      "A resource manager: items with names, which the job receives; ports, devices, accounts.");
  section.options = {
      resource_kind("discrete", "Makes NAME a set of items."),
      resource_option(
          "items",
          "[item01, item02, item03, item04, item05, item06, item07, item08, item09, item10]",
          "[port1, port2]", name_list_type({0, kMostItems}), &ResourceOptions::items,
          "The items; jobs get the first free ones in this order. JQM also has ten; most users "
          "name their own."),
      consumption("0",
                  "The number of items for a job that does not declare one. None: a job that "
                  "wants an item has to use its name."),
      shortage("block",
               "What to do when too few items are free; see `kind: quantity` for the values and "
               "the reason."),
      resource_option("jqm_compatible", "false", "true", switch_type(),
                      &ResourceOptions::jqm_compatible,
                      "Tell jobs their items also in the environment variable that JQM uses. Off: "
                      "only former users of JQM need it.")};
  return section;
}

SchemaSection highlander_section() {
  SchemaSection section =
      resource_section("highlander", ResourceKind::highlander,
                       "A resource manager: only one job of each key runs at a time.");
  section.options = {
      resource_kind("highlander", "Makes NAME a manager that lets one job of each key run."),
      shortage("skip",
               "What to do with a job while another of its key runs. `skip`, because the jobs "
               "behind it have other keys; JQM's queues clogged without it.")};
  return section;
}

constexpr auto option_of_key = options_of(
    "keys.NAME", [](auto& config, const std::string& name) -> auto& {
      return config.governing.queueing.keys.at(name);
    });

template <typename T, typename Member>
SchemaOption key_option(const std::string& what, const std::string& doc, const std::string& example,
                        ValueType<T> type, Member member) {
  return nullable(option_of_key(what, "null", example, type, member, doc));
}

std::vector<SchemaOption> key_options() {
  using Options = KeyOptions;
  return {
      key_option("queue", "The queue. `null`: `default`, or the first by name.", "nightly",
                 name_type(), &Options::queue),
      key_option("priority", "Larger goes first. `null`: 0, so that there is room above and below.",
                 "5", whole_as<int>({-kMostPriority, kMostPriority}), &Options::priority),
      key_option("inventory",
                 "The number of nodes that a job works on. `null`: 1, since every job works on "
                 "something.",
                 "2", whole_as<int>({0, kMostInventory}), &Options::inventory),
      key_option("nice",
                 "The niceness of its processes. `null`: that of the process that starts "
                 "them.",
                 "10", whole_as<int>({-20, 19}), &Options::nice),
      key_option("cost", "Its cost in points. `null`: the cost model predicts it.", "15",
                 whole_as<Points>({1, kMostPoints.value}), &Options::cost),
      option_of_key("resources", "{}", "{db: 2}", amounts_type(), &Options::resources,
                    "Its needs of resource managers, by name; these need not be managers of its "
                    "queue. None: the needs of its queue."),
      key_option("locks",
                 "Its locks, by level; see above. `null`: as `contention.undeclared` says; `{}`: "
                 "none.",
                 "{instance: \"exclusive:{instance}\", node: unknown-exclusive}",
                 lock_templates_type(), &Options::locks),
      option_of_key("global_lock", "false", "true", switch_type(), &Options::global_lock,
                    "Whether it locks everything, exclusively. Off: hardly any job does.")};
}

SchemaSection key_section() {
  return {
      "keys.NAME", "",
      "The defaults for jobs of a key. Locks are `none`, `shared:a,b`, `unknown-shared`, "
      "`all-shared`, `exclusive:a,b`, `unknown-exclusive`, `all-exclusive`, or several of them "
      "separated by blanks. In a name, `{instance}` stands for the job's parameter `instance`; "
      "if the job has none, the lock is unknown.",
      key_options(),
      SchemaMembers{
          [](const Config& config) { return names_in(config.governing.queueing.keys); },
          [](Config& config, const std::string& name) { config.governing.queueing.keys[name]; }}};
}

void clear_queues(Config& config) { config.governing.queueing.queues.clear(); }

constexpr std::int64_t kMostRunning = 1'000'000;

constexpr auto rule_option = options_of(
    "rules.NAME", [](auto& config, const std::string& index) -> auto& {
      return config.governing.queueing.rules.at(std::stoul(index));
    });

SchemaOption predicate(const std::string& what, const std::string& doc, const std::string& example,
                       std::optional<std::string> RuleOptions::*member) {
  ValueType<std::string> type = label_type();
  type.name = "text";
  return nullable(rule_option("match." + what, "null", example, type, member, doc));
}

SchemaOption action() {
  using Action = RuleOptions::Action;
  return required(rule_option(
      "do", "", "pause",
      word_type<Action>({{"accept", Action::accept},
                         {"pause", Action::pause},
                         {"reject", Action::reject},
                         {"rate_limit", Action::rate_limit},
                         {"continue", Action::pass_on}}),
      &RuleOptions::action,
      "What to do with a job to which the rule applies: accept it as if there were no rules, let "
      "it wait, refuse it for good, or run it with at most `n` - 1 others of the rule. `continue`: "
      "Sluice looks at the next rules. Required: a rule must do something."));
}

SchemaOption limit() {
  ValueType<int> type = whole_as<int>({1, kMostRunning});
  type.print = [](const int& number) { return number == 0 ? "null" : std::to_string(number); };
  return nullable(rule_option("n", "null", "2", type, &RuleOptions::n,
                              "`rate_limit` only, and needed there: the most jobs of the rule that "
                              "may run at once. No default: a rate limit needs a number."));
}

SchemaSection rule_section() {
  return {
      "rules.NAME",
      "",
      "A list of filter rules. The first one that matches a job and is not `continue` applies "
      "to it; if none does, the job is accepted. All that `match` names must match; `*` stands "
      "for any text and `?` for one character; an empty `match` matches every job.",
      {predicate("id",
                 "The job's own id; or `>12` and `<12`, which compare with the number that "
                 "Sluice gave it. `null`: any.",
                 "\">12\"", &RuleOptions::id),
       predicate("key", "The job's key. `null`: any.", "\"lint-*\"", &RuleOptions::key),
       predicate("queue", "The name of its queue. `null`: any.", "nightly", &RuleOptions::queue),
       predicate("reason", "Any one of its reasons. `null`: with or without reasons.",
                 "\"release-*\"", &RuleOptions::reason),
       action(), limit()},
      SchemaMembers{
          [](const Config& config) { return indices(config.governing.queueing.rules.size()); },
          [](Config& config, const std::string&) {
            config.governing.queueing.rules.emplace_back();
          }}};
}

}  // namespace

std::vector<SchemaSection> queueing_sections() {
  return {queue_section(),      quantity_section(), discrete_section(),
          highlander_section(), key_section(),      rule_section()};
}

std::vector<SchemaCollection> queueing_collections() {
  using Form = SchemaCollection::Form;
  return {{"queues", Form::map, {}, "", problem_of_name, clear_queues},
          {"resources",
           Form::map,
           {"quantity", "discrete", "highlander"},
           "quantity",
           problem_of_name,
           nullptr},
          {"keys", Form::map, {}, "", problem_of_label, nullptr},
          {"rules", Form::list, {}, "", nullptr, nullptr}};
}

}  // namespace sluice

#include <string>

#include "config/name_check.h"
#include "config/option_types_queueing.h"
#include "config/schema.h"

namespace sluice {
namespace {

constexpr std::int64_t kMostRunning = 1'000'000;

template <typename Member>
auto rule(Member member) {
  return [member](auto& config, const std::string& index) -> auto& {
    return config.governing.queueing.rules.at(std::stoul(index)).*member;
  };
}

SchemaOption predicate(const std::string& what, const std::string& doc, const std::string& example,
                       std::optional<std::string> RuleOptions::*member) {
  SchemaOption option =
      make_option({"rules.NAME.match." + what, "null", doc, example}, label_type(), rule(member));
  option.type = "text";
  option.null = Null::fallback;
  return option;
}

SchemaOption action() {
  using Action = RuleOptions::Action;
  SchemaOption option = make_option(
      {"rules.NAME.do", "",
       "What to do with a job to which the rule applies: take it as if there were no rules, let "
       "it wait, refuse it for good, or run it beside at most `n` - 1 others of the rule. "
       "`continue`: Sluice looks at the next rules. Required: a rule must do something.",
       "pause"},
      word_type<Action>({{"accept", Action::accept},
                         {"pause", Action::pause},
                         {"reject", Action::reject},
                         {"rate_limit", Action::rate_limit},
                         {"continue", Action::pass_on}}),
      rule(&RuleOptions::action));
  option.required = true;
  return option;
}

SchemaOption limit() {
  ValueType<int> type = as<int, std::int64_t>(
      whole_type({1, kMostRunning}), [](const int& number) { return std::int64_t{number}; });
  type.print = [](const int& number) { return number == 0 ? "null" : std::to_string(number); };
  SchemaOption option = make_option(
      {"rules.NAME.n", "null",
       "`rate_limit` only, and needed there: the most jobs of the rule that may run side by side. "
       "No default: a rate limit needs a number.",
       "2"},
      type, rule(&RuleOptions::n));
  option.null = Null::fallback;
  return option;
}

std::vector<std::string> indices(const Config& config) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < config.governing.queueing.rules.size(); ++i) {
    names.push_back(std::to_string(i));
  }
  return names;
}

void add_rule(Config& config, const std::string&) {
  config.governing.queueing.rules.emplace_back();
}

}  // namespace

std::vector<SchemaSection> rule_sections() {
  return {
      {"rules.NAME",
       "",
       "A list of filter rules. The first one that matches a job and is not `continue` applies "
       "to it; without any a job is taken. All that `match` names must match; `*` stands for "
       "any text and `?` for one letter; an empty `match` matches every job.",
       {predicate("id",
                  "The job's own id; or `>12` and `<12`, which compare with the number that "
                  "Sluice gave it. `null`: any.",
                  "\">12\"", &RuleOptions::id),
        predicate("key", "The job's key. `null`: any.", "\"lint-*\"", &RuleOptions::key),
        predicate("queue", "The name of its queue. `null`: any.", "nightly", &RuleOptions::queue),
        predicate("reason", "Any one of its reasons. `null`: with or without reasons.",
                  "\"release-*\"", &RuleOptions::reason),
        action(), limit()},
       SchemaMembers{indices, add_rule}}};
}

}  // namespace sluice

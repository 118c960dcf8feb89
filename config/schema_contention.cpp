#include <array>
#include <string>
#include <utility>

#include "config/option_types_queueing.h"
#include "config/schema_sections.h"
#include "config/stored_option.h"
#include "sluice/locks.h"
#include "sluice/status.h"

namespace sluice {
namespace {

constexpr int kMostTenths = 1000;
constexpr int kMostAgingTicks = 10000;

constexpr auto contention_option = options_of(
    "contention",
    [](auto& config, const std::string&) -> auto& { return config.governing.queueing.contention; });

/// A number of ticks, or `off`.
SchemaOption aging_ticks() {
  SchemaOption option;
  option.text = {"contention.aging_ticks", "30",
                 "Ticks after which a job weighs nothing and is first among its priority; 0: at "
                 "once, which is first come, first served; `off`: jobs do not age. Ganeti's "
                 "number: with ticks of 30s no job is overtaken for more than 15 minutes.",
                 "20"};
  option.type = "whole number";
  option.allowed = "at least 0 and at most " + std::to_string(kMostAgingTicks) + ", or `off`";
  option.read = [](Config& config, const std::string&,
                   const YamlNode& node) -> std::optional<ValueError> {
    auto& ticks = config.governing.queueing.contention.aging_ticks;
    const auto word = parse_switch(node.text);
    if (const auto* off = std::get_if<Presence>(&word); off != nullptr && *off == Presence::off) {
      ticks.reset();
      return std::nullopt;
    }
    const auto number = parse_whole(node.text);
    const auto* given = std::get_if<std::int64_t>(&number);
    if (given == nullptr || *given < 0 || *given > kMostAgingTicks) {
      return ValueError{
          "must be a whole number from 0 to " + std::to_string(kMostAgingTicks) + ", or off", ""};
    }
    ticks = static_cast<int>(*given);
    return std::nullopt;
  };
  option.show = [](const Config& config, const std::string&) -> std::optional<std::string> {
    const auto& ticks = config.governing.queueing.contention.aging_ticks;
    return ticks ? std::to_string(*ticks) : "off";
  };
  return option;
}

using Cells = std::array<std::int16_t, LockTable::kColumns>;

std::optional<ValueError> judge_row(const Cells& row) {
  const std::pair<LockTable::Column, LockTable::Column> pairs[] = {
      {LockTable::shared_hit, LockTable::shared_miss},
      {LockTable::exclusive_hit, LockTable::exclusive_miss}};
  for (const auto& [hit, miss] : pairs) {
    if (row[hit] >= row[miss]) continue;
    const std::string mode = hit == LockTable::shared_hit ? "a shared" : "an exclusive";
    return ValueError{"must not weigh " + mode + " lock less where names meet (" +
                          print_tenths(row[hit]) + ") than where they do not (" +
                          print_tenths(row[miss]) + ")",
                      ""};
  }
  return std::nullopt;
}

ValueType<Cells> row_type() {
  const ValueType<int> cell = tenths_type({0, kMostTenths});
  const auto judge = [read = scalar_part(cell, "must be a number").read](
                         const std::string&, const YamlNode& node) { return error_in(read(node)); };
  const auto read = [cell](const YamlNode& node) -> ParsedValue<Cells> {
    if (node.kind != YamlNode::Kind::list || node.items.size() != LockTable::kColumns) {
      return ValueError{"must be a list of nine numbers such as [5, 30, 5, 15, 30, 30, 5, 15, 30]",
                        "it has " + std::to_string(node.items.size())};
    }
    Cells row{};
    for (std::size_t column = 0; column < row.size(); ++column) {
      row[column] = static_cast<std::int16_t>(std::get<int>(cell.read(node.items[column])));
    }
    if (auto error = judge_row(row)) return std::move(*error);
    return row;
  };
  const auto print = [](const Cells& row) {
    std::string text;
    for (const std::int16_t tenths : row) text += (text.empty() ? "" : ", ") + print_tenths(tenths);
    return "[" + text + "]";
  };
  return {"list of numbers", "nine, each " + cell.allowed, read, print, judge};
}

SchemaSection table_section() {
  SchemaSection section{
      "contention.table",
      "",
      "The likelihood that a pending job's lock blocks on a running job's. A row for each mode "
      "of the pending job; its nine numbers are for the modes of the running job: none, shared "
      "where names meet, shared where they do not, unknown-shared, all-shared, exclusive where "
      "names meet, exclusive where they do not, unknown-exclusive, all-exclusive. Rows that are "
      "omitted keep their default. The largest number of all is a certain conflict, for which "
      "`hold` holds jobs back.",
      {},
      {}};
  const ValueType<Cells> type = row_type();
  const LockTable defaults;
  for (std::size_t row = 0; row < LockTable::kRows; ++row) {
    const std::string mode(LockTable::kModes[row]);
    const std::string meaning = mode == "none" ? "no lock on the level" : "`" + mode + "`";
    section.options.push_back(make_option(
        {"contention.table." + mode, type.print(defaults.tenths[row]),
         "Of a pending job with " + meaning +
             ". The numbers of Ganeti's design: 0 cannot block, 0.3 and 0.5 cost later jobs a "
             "little, 1.5 may block, 3 will.",
         "[0.5, 3, 0.5, 1.5, 3, 3, 0.5, 1.5, 3]"},
        type, [row](auto& config, const std::string&) -> auto& {
          return config.governing.queueing.contention.table.tenths[row];
        }));
  }
  return section;
}

SchemaSection contention_section() {
  using Options = ContentionOptions;
  return {
      "contention",
      "",
      "The order of pending jobs of one priority: the one that is least likely to block on the "
      "locks of running jobs goes first, but the longer a job waits, the less its locks count. "
      "`contention: off`, `order` and `hold` are short for `mode`.",
      {contention_option("mode", "order", "hold", word_type(words_of<ContentionMode>(3)),
                         &Options::mode,
                         "`off`: jobs start in the order of their arrival. `order`: by weight. "
                         "`hold`: also keeps back a job that would certainly block, until its age "
                         "has used up its weight. Ganeti uses `order`; it costs nothing if jobs "
                         "declare no locks, and wastes no capacity."),
       contention_option("levels", "[node_group, instance, node, node_resource, network]",
                         "[repository, database]", name_list_type({1, kMostLevels}),
                         &Options::levels,
                         "The kinds of things that jobs lock. Ganeti's levels, which do not matter "
                         "to jobs without locks; any names work."),
       contention_option("base", "1", "0.5", tenths_type({0, kMostTenths}), &Options::base_tenths,
                         "The weight of every job before its locks count. With 0 a job without any "
                         "contention weighs as little as one that has waited for long, and they go "
                         "by arrival; 1, Ganeti's number, keeps them apart."),
       contention_option(
           "tick", "30s", "1s",
           duration_type({std::chrono::milliseconds(1), std::chrono::hours(24)}), &Options::tick,
           "Age counts in whole ticks of this length from a job's arrival. Ganeti's number: short "
           "compared with CI jobs of minutes, and the order rarely changes."),
       aging_ticks(),
       contention_option("undeclared", "none", "all-exclusive",
                         word_type<Undeclared>({{"none", Undeclared::none},
                                                {"all-exclusive", Undeclared::all_exclusive}}),
                         &Options::undeclared,
                         "The locks of a job without any `locks`. `none`, because most jobs lock "
                         "nothing; `all-exclusive` where every job should declare its locks, which "
                         "makes forgetting them slow instead of wrong."),
       contention_option(
           "batch", "false", "true", switch_type(), &Options::batch,
           "Weigh pending jobs once per pass, as Ganeti does, and not after every job that starts. "
           "Off: two jobs that exclude each other would start together. Not with `hold`."),
       contention_option("boosts_priority", "false", "true", switch_type(),
                         &Options::boosts_priority,
                         "A job whose age has used up its weight goes before every priority. Off: "
                         "users set priorities, and waiting does not overrule them.")},
      {}};
}

}  // namespace

std::vector<SchemaSection> contention_sections() { return {contention_section(), table_section()}; }

}  // namespace sluice

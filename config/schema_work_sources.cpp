#include <chrono>
#include <string>

#include "config/complaint.h"
#include "config/contradictions.h"
#include "config/option_types_queueing.h"
#include "config/schema_sections.h"
#include "config/stored_option.h"

namespace sluice {
namespace {

constexpr auto source_option = options_of(
    "work_sources.NAME", [](auto& config, const std::string& index) -> auto& {
      return config.work_sources.at(std::stoul(index));
    });

SchemaOption kind() {
  return required(source_option(
      "kind", "", "gearman",
      word_type<GearmanOptions::Kind>({{"gearman", GearmanOptions::Kind::gearman}}),
      &GearmanOptions::kind, "The protocol of the source. Required: more protocols may follow."));
}

SchemaOption servers() {
  return required(source_option(
      "servers", "", "[\"127.0.0.1:4730\"]", address_list_type(), &GearmanOptions::servers,
      "The servers, HOST:PORT each; gearmand listens on 4730. Sluice asks all at once. Required: "
      "Sluice cannot guess a server."));
}

SchemaOption timeout() {
  return nullable(source_option(
      "timeout", "null", "2h",
      duration_type({std::chrono::seconds(1), std::chrono::hours(24 * 30)}),
      &GearmanOptions::timeout,
      "How long a job may run; Sluice then ends it as failed. The payload's own `timeout` takes "
      "precedence. Time in which it waits here or is suspended does not count. `null`: no limit, "
      "because Sluice does not know how long jobs take."));
}

std::vector<SchemaOption> function_options() {
  return {source_option(
              "functions", "{}", "{\"executor:execute\": [/usr/bin/run-job]}", commands_type(),
              &GearmanOptions::functions,
              "The functions that are offered while this executor takes work, and the command that "
              "runs the jobs of each: a program and its arguments, without a shell. The payload is "
              "its standard input. `{host}` in a name stands for this host's."),
          source_option("always", "{}", "{\"executor:stop:{host}\": [/usr/bin/stop-job]}",
                        commands_type(), &GearmanOptions::always,
                        "Functions that stay offered even if this executor is full, such as those "
                        "that stop a job or report on one. Their jobs cost no points and never "
                        "wait for room; up to eight run at once."),
          nullable(source_option("zone", "null", "eu-west", optional_label_type(),
                                 &GearmanOptions::zone,
                                 "Only jobs for this zone are taken: `:ZONE` is appended to the "
                                 "name of each of `functions`. `null`: those for no zone.")),
          source_option("unzoned", "false", "true", switch_type(), &GearmanOptions::unzoned,
                        "With a `zone`: jobs for no zone are taken, too. Off, because an executor "
                        "in a zone usually cannot reach what the other jobs need.")};
}

SchemaOption environment() {
  return source_option(
      "environment", "[HOME, LANG, LC_ALL, LOGNAME, PATH, SHELL, TMPDIR, TZ, USER]",
      "[PATH, HOME, CCACHE_DIR]", label_list_type({0, 1000}), &GearmanOptions::environment,
      "The variables of `sluice serve`'s own environment that a job gets, in addition to those "
      "that describe the job. `[\"*\"]`: all of them. The default has those that programs need to "
      "find others and to use the host's language, and no secret has one of these names.");
}

std::vector<SchemaOption> payload_options() {
  return {
      source_option("most_payload", "1MiB", "64KiB", size_type({Bytes{1}, Bytes{64ULL << 20}}),
                    &GearmanOptions::most_payload,
                    "The largest payload that is taken; a job with a larger one fails. As much as "
                    "a submit over the Unix socket may have."),
      source_option("trust_payload", "false", "true", switch_type(), &GearmanOptions::trust_payload,
                    "The `command` in a payload, a list of a program and its arguments, runs "
                    "instead of the configured one. Any client of the server may then run anything "
                    "as the user of `sluice serve`, which must not be root.")};
}

}  // namespace

void check_work_sources(const Config& config, Contradictions& found) {
  for (std::size_t i = 0; i < config.work_sources.size(); ++i) {
    const std::string path = path_of_item("work_sources", i) + ".always";
    for (const auto& [function, command] : config.work_sources[i].always) {
      const std::string place = path_of_entry(path, function);
      if (!config.work_sources[i].functions.contains(function) || !found.given(place)) continue;
      found.add(place, place + " is in `functions` as well; list it in one of them only");
    }
  }
}

std::vector<SchemaSection> work_source_sections() {
  return {{"work_sources.NAME", "",
           "A list of servers from which `sluice serve` takes jobs and runs them itself: Gearman "
           "servers. Read at the start only.",
           joined(std::vector{kind(), servers()}, function_options(),
                  std::vector{timeout(), environment()}, payload_options()),
           SchemaMembers{
               [](const Config& config) { return indices(config.work_sources.size()); },
               [](Config& config, const std::string&) { config.work_sources.emplace_back(); }}}};
}

SchemaCollection work_source_collection() {
  return {"work_sources", SchemaCollection::Form::list, {}, "", nullptr, nullptr};
}

}  // namespace sluice

#include "recognition/configured_programs.h"

#include <variant>

#include "base/readiness.h"
#include "costmodel/history.h"

namespace sluice {
namespace {

/// For the daemon's answer.
constexpr Duration kPatience = std::chrono::seconds(2);

}  // namespace

ConfiguredPrograms configured_programs(const BuildAnswer& answer) {
  ConfiguredPrograms programs;
  programs.timed_hold = answer.timed_hold;
  programs.listed.timekeepers = {answer.timers.begin(), answer.timers.end()};
  programs.listed.learned = {answer.learned.begin(), answer.learned.end()};
  auto& classes = programs.listed.classes;
  for (const auto& [name, what] : answer.programs) {
    if (what == "heavy") classes[name] = ProgramClass::heavy;
    if (what == "unknown") classes[name] = ProgramClass::other;
    if (what == "free") classes[name] = ProgramClass::transparent;
  }
  return programs;
}

void learn(ListedPrograms& programs, const std::string& program, Bytes peak) {
  if (peak >= kHeavyMemory) programs.learned.insert(program);
  if (peak > Bytes{0} && peak < kHeavyMemory) programs.learned.erase(program);
}

ConfiguredPrograms ask_for_programs(const Client& daemon) {
  auto reached = daemon.another();
  auto* client = std::get_if<Client>(&reached);
  if (!client || client->send("GET", "/v1/build")) return {};
  if (!is_readable(client->descriptor(), kPatience)) return {};
  const auto got = client->receive();
  const auto* reply = got ? std::get_if<ClientReply>(&*got) : nullptr;
  const auto answer = reply ? read_build(*reply) : std::nullopt;
  return answer ? configured_programs(*answer) : ConfiguredPrograms{};
}

}  // namespace sluice

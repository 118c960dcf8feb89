// The payload of a Gearman job, which any client may have queued.
#include <chrono>

#include "service/gearman/payload.h"
#include "support/fuzz.h"

namespace sluice::fuzz {
namespace {

void check(const gearman::PayloadOrder& order) {
  require(!order.request.key.empty(), "a job has a key");
  require(!order.timeout || *order.timeout > Duration{0}, "a timeout is some time");
  require(!order.timeout || *order.timeout <= std::chrono::hours(24 * 30), "a timeout ends");
  for (const std::string& word : order.command) {
    require(word.find('\0') == word.npos, "a word of a command can be given to the kernel");
  }
  require(order.command.empty() || !order.command.front().empty(), "a command names a program");
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  JobRequest base;
  base.key = "executor:execute";
  for (const gearman::PayloadTrust trust :
       {gearman::PayloadTrust::data, gearman::PayloadTrust::commands}) {
    const auto read = gearman::read_payload(text, base, trust);
    if (const auto* problem = std::get_if<std::string>(&read)) {
      require(!problem->empty(), "a refusal says why");
      continue;
    }
    const gearman::PayloadOrder& order = std::get<gearman::PayloadOrder>(read);
    check(order);
    require(trust == gearman::PayloadTrust::commands || order.command.empty(),
            "no payload names a command that is not trusted to");
  }
}

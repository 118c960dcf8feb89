// Bytes that a command may take for the daemon's replies.
#include <string>

#include "client/client.h"
#include "support/fuzz.h"

void sluice::fuzz::one_input(std::string_view text) {
  std::string in(text);
  while (true) {
    const std::size_t before = in.size();
    const auto reply = take_reply(in);
    if (!reply || std::holds_alternative<std::string>(*reply)) return;
    require(in.size() < before, "an answer is taken off the front");
    require(std::get<ClientReply>(*reply).body.size() < before, "no answer is more than came");
  }
}

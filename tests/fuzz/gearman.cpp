// Bytes from a Gearman server. However they are split, they give the same packets, the reader
// buffers a bounded amount of them, and a session that receives them sends nothing unreadable.
#include <vector>

#include "service/gearman/session.h"
#include "support/fuzz.h"

namespace sluice::fuzz {
namespace {

constexpr std::size_t kMostPayload = 256;

struct Heard {
  std::vector<gearman::Packet> packets;
  bool faulty = false;

  bool operator==(const Heard&) const = default;
};

Heard hear(std::string_view text, std::size_t piece) {
  gearman::PacketReader reader(kMostPayload);
  Heard heard;
  while (!text.empty() && !heard.faulty) {
    reader.put(text.substr(0, piece));
    text.remove_prefix(std::min(piece, text.size()));
    while (true) {
      auto next = reader.next();
      heard.faulty = std::holds_alternative<gearman::PacketReader::Fault>(next);
      auto* packet = std::get_if<gearman::Packet>(&next);
      if (!packet) break;
      heard.packets.push_back(std::move(*packet));
    }
  }
  return heard;
}

void check(const gearman::Packet& packet) {
  require(packet.arguments.size() == gearman::argument_count(packet.command),
          "no argument is missing");
  if (packet.arguments.empty()) return;
  const bool is_job = packet.command == gearman::PacketCommand::job_assign ||
                      packet.command == gearman::PacketCommand::job_assign_uniq;
  require(packet.arguments.back().size() <= (is_job ? kMostPayload : gearman::kMostText),
          "what is kept is bounded");
  gearman::Packet whole = packet;
  whole.cut = 0;
  require(hear(encode(whole), 1 << 20).packets == std::vector{whole},
          "what is read can be written");
}

/// Always wants a job, and finishes one in three steps.
void live(std::string_view text, std::size_t piece) {
  gearman::Session session("fuzz", kMostPayload);
  session.offer({"build", "test"});
  std::string said = session.take_output();
  while (!text.empty()) {
    bool is_over = false;
    for (const auto& event : session.receive(text.substr(0, piece))) {
      if (std::holds_alternative<gearman::Session::Woken>(event)) session.grab();
      if (std::holds_alternative<gearman::Session::Assigned>(event)) {
        session.data("some");
        session.warning("more");
        session.complete("all");
      }
      is_over = std::holds_alternative<gearman::Session::Broken>(event) ||
                std::holds_alternative<gearman::Session::Settled>(event);
    }
    said += session.take_output();
    if (is_over) break;
    text.remove_prefix(std::min(piece, text.size()));
  }
  require(!hear(said, 1 << 20).faulty, "what a session says can be read");
}

}  // namespace
}  // namespace sluice::fuzz

void sluice::fuzz::one_input(std::string_view text) {
  const std::size_t piece = text.empty() ? 1 : 1 + static_cast<unsigned char>(text.back()) % 32;
  const Heard heard = hear(text, text.size() + 1);
  require(heard == hear(text, piece), "pieces make no difference");
  for (const gearman::Packet& packet : heard.packets) check(packet);
  live(text, piece);
}

#include "service/gearman/packet.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

namespace sluice::gearman {
namespace {

constexpr std::size_t kHeaderBytes = 12;
constexpr std::string_view kRequest{"\0REQ", 4};
constexpr std::string_view kResponse{"\0RES", 4};

struct CommandFacts {
  PacketCommand command;
  std::string_view name;
  std::size_t arguments;
};

using enum PacketCommand;
constexpr std::array<CommandFacts, 23> kCommands{{{can_do, "CAN_DO", 1},
                                                  {cant_do, "CANT_DO", 1},
                                                  {reset_abilities, "RESET_ABILITIES", 0},
                                                  {pre_sleep, "PRE_SLEEP", 0},
                                                  {noop, "NOOP", 0},
                                                  {grab_job, "GRAB_JOB", 0},
                                                  {no_job, "NO_JOB", 0},
                                                  {job_assign, "JOB_ASSIGN", 3},
                                                  {work_status, "WORK_STATUS", 3},
                                                  {work_complete, "WORK_COMPLETE", 2},
                                                  {work_fail, "WORK_FAIL", 1},
                                                  {echo_req, "ECHO_REQ", 1},
                                                  {echo_res, "ECHO_RES", 1},
                                                  {error, "ERROR", 2},
                                                  {set_client_id, "SET_CLIENT_ID", 1},
                                                  {can_do_timeout, "CAN_DO_TIMEOUT", 2},
                                                  {work_exception, "WORK_EXCEPTION", 2},
                                                  {option_req, "OPTION_REQ", 1},
                                                  {option_res, "OPTION_RES", 1},
                                                  {work_data, "WORK_DATA", 2},
                                                  {work_warning, "WORK_WARNING", 2},
                                                  {grab_job_uniq, "GRAB_JOB_UNIQ", 0},
                                                  {job_assign_uniq, "JOB_ASSIGN_UNIQ", 4}}};

const CommandFacts* facts_of(PacketCommand command) {
  const auto found = std::ranges::find(kCommands, command, &CommandFacts::command);
  return found == kCommands.end() ? nullptr : &*found;
}

bool assigns_job(PacketCommand command) {
  return command == job_assign || command == job_assign_uniq;
}

std::uint32_t read_number(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char byte : bytes.substr(0, 4)) {
    number = number << 8U | static_cast<unsigned char>(byte);
  }
  return number;
}

void append_number(std::uint32_t number, std::string& bytes) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    bytes += static_cast<char>(static_cast<unsigned char>(number >> shift));
  }
}

void require(bool holds, const CommandFacts& facts, const char* what) {
  if (!holds) throw std::invalid_argument(std::string(facts.name) + " " + what);
}

}  // namespace

std::string_view to_string(PacketCommand command) {
  const CommandFacts* facts = facts_of(command);
  return facts ? facts->name : "unknown";
}

std::size_t argument_count(PacketCommand command) {
  const CommandFacts* facts = facts_of(command);
  return facts ? facts->arguments : 0;
}

std::string encode(const Packet& packet) {
  const CommandFacts* facts = facts_of(packet.command);
  if (!facts) throw std::invalid_argument("not a Gearman command");
  require(packet.arguments.size() == facts->arguments, *facts, "has the wrong number of arguments");
  std::string body;
  for (std::size_t i = 0; i < packet.arguments.size(); ++i) {
    const std::string& argument = packet.arguments[i];
    const bool is_last = i + 1 == packet.arguments.size();
    if (!is_last) {
      require(argument.find('\0') == argument.npos, *facts, "has an argument with a NUL byte");
      require(argument.size() <= kMostName, *facts, "has an argument that is too long");
    }
    body += argument;
    if (!is_last) body += '\0';
  }
  require(body.size() <= std::numeric_limits<std::uint32_t>::max(), *facts, "is too large");
  std::string bytes(packet.magic == Packet::Magic::request ? kRequest : kResponse);
  append_number(static_cast<std::uint32_t>(packet.command), bytes);
  append_number(static_cast<std::uint32_t>(body.size()), bytes);
  return bytes + body;
}

void PacketReader::put(std::string_view bytes) {
  if (fault_) return;
  in_.erase(0, used_);
  used_ = 0;
  in_ += bytes;
}

std::uint64_t PacketReader::most_body(PacketCommand command) const {
  const std::size_t arguments = argument_count(command);
  if (arguments == 0) return 0;
  const std::uint64_t names = (arguments - 1) * (kMostName + 1);
  return names + (assigns_job(command) ? most_data_ : kMostText);
}

std::variant<PacketReader::Header, PacketReader::Fault> PacketReader::read_header() const {
  const std::string_view bytes = std::string_view(in_).substr(used_, kHeaderBytes);
  const std::string_view magic = bytes.substr(0, kRequest.size());
  if (magic != kRequest && magic != kResponse) {
    return Fault{"received data that is not a Gearman packet"};
  }
  const std::uint32_t number = read_number(bytes.substr(4));
  const std::uint64_t size = read_number(bytes.substr(8));
  const CommandFacts* facts = facts_of(PacketCommand{number});
  if (!facts) return Fault{"packet type " + std::to_string(number) + " is not known"};
  const std::uint64_t kept = std::min(size, most_body(facts->command));
  if (kept < size && !assigns_job(facts->command)) {
    return Fault{std::string(facts->name) + " of " + std::to_string(size) +
                 " bytes, more than the " + std::to_string(kept) + " allowed"};
  }
  const auto kind = magic == kRequest ? Packet::Magic::request : Packet::Magic::response;
  return Header{kind, facts->command, kept, size - kept, size - kept};
}

PacketReader::Next PacketReader::split(const Header& header, std::string_view body) const {
  Packet packet{header.magic, header.command, {}, header.cut};
  const std::size_t count = argument_count(header.command);
  const auto fault = [&](const char* what) {
    return Fault{std::string(to_string(header.command)) + " " + what};
  };
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const std::size_t end = body.find('\0');
    if (end == body.npos && header.cut == 0) return fault("lacks an argument");
    if (end == body.npos || end > kMostName) return fault("has an argument that is too long");
    packet.arguments.emplace_back(body.substr(0, end));
    body.remove_prefix(end + 1);
  }
  if (count == 0) return packet;
  const std::size_t most = assigns_job(header.command) ? most_data_ : kMostText;
  if (body.size() > most && !assigns_job(header.command))
    return fault("has a text that is too long");
  packet.cut += body.size() - std::min(body.size(), most);
  packet.arguments.emplace_back(body.substr(0, most));
  return packet;
}

PacketReader::Next PacketReader::next() {
  if (fault_) return *fault_;
  if (!header_) {
    if (in_.size() - used_ < kHeaderBytes) return Incomplete{};
    auto header = read_header();
    if (auto* fault = std::get_if<Fault>(&header)) return *(fault_ = std::move(*fault));
    header_ = std::get<Header>(header);
    used_ += kHeaderBytes;
  }
  if (in_.size() - used_ < header_->kept) return Incomplete{};
  const std::size_t behind = used_ + header_->kept;
  const std::uint64_t thrown = std::min<std::uint64_t>(header_->skipped, in_.size() - behind);
  in_.erase(behind, thrown);
  header_->skipped -= thrown;
  if (header_->skipped > 0) return Incomplete{};
  const Header header = *std::exchange(header_, std::nullopt);
  Next packet = split(header, std::string_view(in_).substr(used_, header.kept));
  used_ = behind;
  if (const auto* fault = std::get_if<Fault>(&packet)) fault_ = *fault;
  return packet;
}

}  // namespace sluice::gearman

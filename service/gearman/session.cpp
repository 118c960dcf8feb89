#include "service/gearman/session.h"

#include <algorithm>
#include <iterator>

namespace sluice::gearman {
namespace {

/// Returned by the server once it has read everything sent before.
constexpr const char* kSettledToken = "settled";

/// Larger outputs go in several packets, so readers need only small buffers.
constexpr std::size_t kMostChunk = 32 * 1024;

/// After more complaints than this on one connection, hang up.
constexpr int kMostComplaints = 100;

/// The functions in `first` that are not in `second`.
std::vector<std::string> without(const std::vector<std::string>& first,
                                 const std::vector<std::string>& second) {
  std::vector<std::string> rest;
  std::set_difference(first.begin(), first.end(), second.begin(), second.end(),
                      std::back_inserter(rest));
  return rest;
}

}  // namespace

Session::Session(std::string client_id, std::size_t most_payload) : reader_(most_payload) {
  send(PacketCommand::set_client_id, {std::move(client_id)});
}

void Session::send(PacketCommand command, std::vector<std::string> arguments) {
  out_ += encode({Packet::Magic::request, command, std::move(arguments), 0});
}

void Session::offer(std::vector<std::string> functions) {
  std::ranges::sort(functions);
  functions.erase(std::unique(functions.begin(), functions.end()), functions.end());
  wanted_ = std::move(functions);
  register_wanted();
}

void Session::register_wanted() {
  if (state_ != State::idle && state_ != State::asleep && state_ != State::awake) return;
  const auto given_up = without(registered_, wanted_);
  const auto added = without(wanted_, registered_);
  for (const std::string& function : given_up) send(PacketCommand::cant_do, {function});
  for (const std::string& function : added) send(PacketCommand::can_do, {function});
  registered_ = wanted_;
  if (registered_.empty() && state_ == State::awake) {
    grab_in_vain();
  } else if (registered_.empty()) {
    state_ = State::idle;
  } else if (state_ == State::idle || (state_ == State::asleep && !added.empty())) {
    // For a job already queued, a server wakes only workers that go to sleep.
    send(PacketCommand::pre_sleep);
    state_ = State::asleep;
  }
}

/// gearmand wakes no worker again that has not grabbed since. No job can be the answer here.
void Session::grab_in_vain() {
  send(PacketCommand::grab_job_uniq);
  state_ = State::grabbing;
}

bool Session::grab() {
  if (state_ != State::awake) return false;
  send(PacketCommand::grab_job_uniq);
  state_ = State::grabbing;
  return true;
}

void Session::send_parts(PacketCommand command, const std::string& bytes) {
  if (state_ != State::working) return;
  for (std::size_t at = 0; at < bytes.size(); at += kMostChunk) {
    send(command, {handle_, bytes.substr(at, kMostChunk)});
  }
}

void Session::complete(std::string bytes) {
  if (state_ != State::working) return;
  send(PacketCommand::work_complete, {handle_, std::move(bytes)});
  settle();
}

void Session::fail() {
  if (state_ != State::working) return;
  send(PacketCommand::work_fail, {handle_});
  settle();
}

void Session::settle() {
  send(PacketCommand::echo_req, {kSettledToken});
  state_ = State::settling;
}

std::vector<Session::Event> Session::receive(std::string_view bytes) {
  std::vector<Event> events;
  reader_.put(bytes);
  while (state_ != State::over) {
    auto next = reader_.next();
    if (std::holds_alternative<PacketReader::Incomplete>(next)) break;
    if (auto* fault = std::get_if<PacketReader::Fault>(&next)) {
      give_up(std::move(fault->reason), events);
    } else {
      handle_packet(std::move(std::get<Packet>(next)), events);
    }
  }
  return events;
}

void Session::handle_packet(Packet packet, std::vector<Event>& events) {
  if (packet.magic != Packet::Magic::response) {
    return give_up("the server sent a request, " + std::string(to_string(packet.command)), events);
  }
  switch (packet.command) {
    case PacketCommand::noop:
      if (state_ == State::idle) return grab_in_vain();
      // A NOOP may arrive while a grab is unanswered or a job runs; it then means nothing new.
      if (state_ != State::asleep) return;
      state_ = State::awake;
      events.emplace_back(Woken{});
      return;
    case PacketCommand::no_job:
      if (state_ != State::grabbing) return give_up("unexpected NO_JOB", events);
      state_ = State::idle;
      register_wanted();
      events.emplace_back(NoJob{});
      return;
    case PacketCommand::job_assign_uniq:
      return take_job(std::move(packet), events);
    case PacketCommand::error:
      return take_error(packet, events);
    case PacketCommand::echo_res:
      return take_echo(packet, events);
    default:
      return give_up(std::string(to_string(packet.command)) + " is not sent to workers", events);
  }
}

void Session::take_job(Packet packet, std::vector<Event>& events) {
  if (state_ != State::grabbing) return give_up("unexpected job: none was grabbed", events);
  auto& arguments = packet.arguments;
  if (!std::ranges::binary_search(registered_, arguments[1])) {
    return give_up("job for a function that is not offered: " + arguments[1], events);
  }
  handle_ = arguments[0];
  state_ = State::working;
  events.emplace_back(Assigned{{std::move(arguments[0]), std::move(arguments[1]),
                                std::move(arguments[2]), std::move(arguments[3]), packet.cut}});
}

void Session::take_error(const Packet& packet, std::vector<Event>& events) {
  const std::string text = packet.arguments[0] + ": " + packet.arguments[1];
  // Whether an answer still follows is unknown.
  if (state_ == State::grabbing) return give_up("the server says " + text, events);
  if (++complaints_ > kMostComplaints)
    return give_up("too many errors from the server: " + text, events);
  events.emplace_back(Complaint{text});
}

void Session::take_echo(const Packet& packet, std::vector<Event>& events) {
  if (state_ != State::settling || packet.arguments[0] != kSettledToken) {
    return give_up("unexpected ECHO_RES", events);
  }
  state_ = State::over;
  events.emplace_back(Settled{});
}

void Session::give_up(std::string reason, std::vector<Event>& events) {
  state_ = State::over;
  out_.clear();
  events.emplace_back(Broken{std::move(reason)});
}

}  // namespace sluice::gearman

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "service/gearman/packet.h"

namespace sluice::gearman {

/// A job handed over by a server.
struct Job {
  std::string handle;    ///< The server's name for it.
  std::string function;  ///< One of those offered.
  std::string unique;    ///< The submitter's name for it; may be empty.
  std::string payload;
  std::uint64_t cut = 0;  ///< Bytes of the payload beyond the limit, which are missing here.
};

/// A worker's side of one connection to a Gearman server, without the socket: bytes and requests go
/// in, bytes and events come out. Whatever the caller requests, it obeys three rules:
///
/// - It grabs a job only when told to, so the caller can reserve a slot first. A session that was
///   woken and then has nothing to offer grabs once more when no job can be the answer: otherwise
///   gearmand would never wake it again.
/// - It withdraws functions only while no grab is unanswered and no job was handed over: gearmand
///   requeues a running job whose function its connection no longer offers, and the job would run
///   twice. Requests made meanwhile take effect once a grab was answered without a job.
/// - A connection that was given a job does nothing else and ends with that job. Another connection
///   keeps listening.
class Session {
 public:
  enum class State {
    idle,      ///< Offers nothing.
    asleep,    ///< Waits until the server says that there may be a job.
    awake,     ///< There may be one: `grab` when a slot is reserved.
    grabbing,  ///< Has requested it.
    working,   ///< Was given one.
    settling,  ///< Has reported its end, and waits until the server has read that.
    over       ///< Sends nothing more.
  };

  /// There may be a job.
  struct Woken {};
  /// There was no job: the slot is free again.
  struct NoJob {};
  /// The server handed over a job.
  struct Assigned {
    Job job;
  };
  /// The server knows how the job ended.
  struct Settled {};
  /// The server reports an error.
  struct Complaint {
    std::string text;
  };
  /// The connection can no longer be used.
  struct Broken {
    std::string reason;
  };
  using Event = std::variant<Woken, NoJob, Assigned, Settled, Complaint, Broken>;

  /// `client_id`: the worker's name for people. `most_payload`: bytes to keep of a job's payload.
  Session(std::string client_id, std::size_t most_payload);

  /// Offers these functions and no others, as soon as the rules allow. A name has 1 to
  /// `kMostName` bytes without NUL. Does nothing once a job was handed over.
  void offer(std::vector<std::string> functions);

  /// Requests a job. False, and nothing is requested, unless `awake`.
  bool grab();

  // For the assigned job; these do nothing unless `working`.
  /// Part of its output.
  void data(const std::string& bytes) { send_parts(PacketCommand::work_data, bytes); }
  /// Part of its messages to people.
  void warning(const std::string& bytes) { send_parts(PacketCommand::work_warning, bytes); }
  void complete(std::string bytes);  ///< It succeeded.
  void fail();                       ///< It failed.

  /// Takes bytes from the server. After `Broken` or `Settled` nothing more is to be sent.
  std::vector<Event> receive(std::string_view bytes);

  /// Takes the bytes to send to the server.
  std::string take_output() { return std::exchange(out_, {}); }

  State state() const { return state_; }

 private:
  void send(PacketCommand command, std::vector<std::string> arguments = {});
  void send_parts(PacketCommand command, const std::string& bytes);
  void register_wanted();
  void grab_in_vain();
  void settle();
  void handle_packet(Packet packet, std::vector<Event>& events);
  void take_job(Packet packet, std::vector<Event>& events);
  void take_error(const Packet& packet, std::vector<Event>& events);
  void take_echo(const Packet& packet, std::vector<Event>& events);
  void give_up(std::string reason, std::vector<Event>& events);

  PacketReader reader_;
  std::string out_;
  State state_ = State::idle;
  std::vector<std::string> wanted_, registered_;  ///< Sorted.
  std::string handle_;                            ///< The job's.
  int complaints_ = 0;
};

}  // namespace sluice::gearman

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "service/gearman/packet.h"

namespace sluice {

/// A function as a worker offers it to a server.
struct GearmanFunction {
  std::string name;  ///< 1 to `kMostGearmanName` bytes without NUL.
  /// Milliseconds after which the server gives a job of it to another worker, while it runs on at
  /// the first; >= 1000. None: never.
  std::optional<std::int64_t> timeout;

  auto operator<=>(const GearmanFunction&) const = default;
};

/// A job as a server hands it over.
struct GearmanJob {
  std::string handle;    ///< The server's name for it.
  std::string function;  ///< One of those that were offered.
  std::string unique;    ///< The submitter's name for it; may be empty.
  std::string payload;
  std::uint64_t cut = 0;  ///< Bytes of the payload that were beyond the limit, and are not here.
};

/// A worker's side of one connection to a Gearman server, without the connection: bytes and wishes
/// go in, bytes and events come out. It obeys three rules, whatever it is asked for:
///
/// - It grabs a job only when told to, so that whoever tells it can reserve a slot first. One that
///   was woken and is to offer nothing then grabs once more, when no job can be the answer:
///   gearmand would never wake it again.
/// - Functions are taken back only while no grab is unanswered and no job was handed over: gearmand
///   queues a running job again whose function its connection no longer offers, and it would run
///   twice. What is asked for meanwhile is done once the grab was answered without a job.
/// - A connection that was given a job does nothing else any more and ends with that job. Another
///   one goes on listening.
class GearmanSession {
 public:
  enum class State {
    idle,      ///< Offers nothing.
    asleep,    ///< Waits for the server to say that there may be a job.
    awake,     ///< There may be one: `grab` when a slot is reserved.
    grabbing,  ///< Has asked for it.
    working,   ///< Was given one.
    settling,  ///< Has told of its end, and waits for the server to have read that.
    over       ///< Nothing more is said.
  };

  struct Woken {};  ///< There may be a job.
  struct NoJob {};  ///< There was none: the slot is free again.
  struct Assigned {
    GearmanJob job;
  };                  ///< There was one.
  struct Settled {};  ///< The server knows how the job ended.
  struct Complaint {
    std::string text;
  };  ///< The server says that something is wrong.
  struct Broken {
    std::string reason;
  };  ///< The connection is of no more use.
  using Event = std::variant<Woken, NoJob, Assigned, Settled, Complaint, Broken>;

  /// `client_id`: how the server names this worker to people. `most_payload`: bytes of a job's
  /// payload that are kept.
  GearmanSession(std::string client_id, std::size_t most_payload);

  /// Offers these functions and no others, as soon as that may be said. Does nothing once a job was
  /// handed over.
  void offer(std::vector<GearmanFunction> functions);

  /// Asks for a job; only if `awake`. False: it was not, and nothing was asked for.
  bool grab();

  // Of the job that was given; while `working`, otherwise they do nothing.
  void data(const std::string& bytes);                              ///< A part of its output.
  void status(std::uint64_t numerator, std::uint64_t denominator);  ///< How far it has come.
  void warning(const std::string& bytes);  ///< A part of what it says to people.
  void exception(std::string text);        ///< Why it will fail.
  void complete(std::string bytes);        ///< It has ended well.
  void fail();                             ///< It has ended badly.

  /// Takes what the server sent. After `Broken` or `Settled` there is nothing more to be sent.
  std::vector<Event> receive(std::string_view bytes);

  /// What is to be sent to the server.
  std::string take_output();

  State state() const { return state_; }

 private:
  void send(GearmanCommand command, std::vector<std::string> arguments = {});
  void send_parts(GearmanCommand command, const std::string& bytes);
  void register_wanted();
  void grab_in_vain();
  void settle();
  void take(GearmanPacket packet, std::vector<Event>& events);
  void take_job(GearmanPacket packet, std::vector<Event>& events);
  void take_error(const GearmanPacket& packet, std::vector<Event>& events);
  void take_echo(const GearmanPacket& packet, std::vector<Event>& events);
  void give_up(std::string reason, std::vector<Event>& events);

  GearmanReader reader_;
  std::string out_;
  State state_ = State::idle;
  std::vector<GearmanFunction> wanted_, registered_;  ///< Sorted.
  std::string handle_;                                ///< Of the job.
  int complaints_ = 0;
};

std::string_view to_string(GearmanSession::State state);

}  // namespace sluice

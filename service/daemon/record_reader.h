#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/api/record_reading.h"
#include "sluice/units.h"

namespace sluice {

/// Has the record read by a process, one at a time: a large record takes seconds, a damaged one
/// must not end the daemon, and neither its loop nor the governor's mutex may wait for either.
/// While it reads, one question of each user waits, so that users take turns however often one of
/// them asks; that of a trusted client comes first, but after another of a trusted client. Users
/// are those whose names they read: all clients over TCP without the token are one.
class RecordReader : public RecordReading {
 public:
  struct Limits {
    Duration time = std::chrono::seconds(10);  ///< For one answer.
    std::size_t bytes = std::size_t{1} << 20;  ///< Of one answer.
    std::size_t jobs = 50;                     ///< Of those that run, and of those that wait.
    std::size_t waiting = 64;                  ///< Questions of users that are not trusted.
  };

  /// Why the record is that of another daemon, which no question is answered from; nullopt if it is
  /// this one's.
  using Foreign = std::function<std::optional<std::string>()>;

  /// `program`: this sluice. `state_folder`: has the record.
  RecordReader(boost::asio::io_context& context, std::string program, std::string state_folder,
               Limits limits, Foreign foreign);
  ~RecordReader() override;

  std::optional<ApiError> ask(const RecordQuestion& question, Answered answered) override;
  void connection_closed(http::ConnectionId connection) override;
  /// Answers what is being read, and what waits, that the daemon is stopping.
  void stop();

 private:
  struct Reading;
  struct Waiting {
    RecordQuestion question;
    Answered answered;
  };

  /// Has the question wait for its turn; nullopt, or why there is no room.
  std::optional<ApiError> keep(const RecordQuestion& question, Answered answered);
  /// Takes the question whose turn is next from those that wait.
  Waiting take_next();
  /// Reads for those that wait until a process runs.
  void read_next();
  /// Starts a process, and moves from `answered` then. Returns the error if it cannot.
  std::optional<ApiError> read(const RecordQuestion& question, Answered& answered);
  std::vector<std::string> command(const RecordQuestion& question) const;
  /// Ends the process, and answers so if anybody waits for it.
  void end(const ApiError& why);
  void wait_for_end();
  void ended();

  boost::asio::io_context& context_;
  const std::string program_, state_folder_;
  const Limits limits_;
  const Foreign foreign_;
  std::unique_ptr<Reading> reading_;  ///< Null while nothing is read.
  std::uint64_t readings_ = 0;        ///< Since the start.
  std::deque<Waiting> waiting_;       ///< In the order in which they came.
  bool was_trusted_ = false;          ///< The client of the last reading.
};

}  // namespace sluice

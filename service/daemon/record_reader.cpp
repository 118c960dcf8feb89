#include "service/daemon/record_reader.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptors.h"
#include "base/errno_text.h"
#include "base/parse.h"
#include "base/values.h"
#include "process/child/output_pipe.h"
#include "process/child/spawn.h"

namespace sluice {
namespace {

using boost::system::error_code;

constexpr int kLowestPriority = 19;

/// The exit status that `sluice why` is asked for if the moment is outside the record: none of its
/// own.
constexpr int kOutside = 3;
/// Likewise if the clock did not pass the moment so often.
constexpr int kNotSoOften = 4;

constexpr std::size_t kMostErrors = std::size_t{64} << 10;

ApiError unreadable(const std::string& why) {
  return {503, "record_unreadable", "the record cannot be read: " + why};
}

/// Root, the daemon's user or a client with the token: reads all names.
bool reads_all_names(const RecordQuestion& question) { return question.names_of.empty(); }

/// The field of a question whose answer the record does not have, by the exit status; empty if it
/// has one, or something else is wrong.
std::string missing_in_record(int status) {
  if (!WIFEXITED(status)) return "";
  if (WEXITSTATUS(status) == kNotSoOften) return "occurrence";
  return WEXITSTATUS(status) == kOutside ? "at" : "";
}

/// The last line of what it said, without the name of the command.
std::string problem_in(std::string_view errors) {
  std::string_view line = last_line_of(errors);
  for (const std::string_view name : {"sluice why: ", "sluice: "}) {
    if (line.starts_with(name)) line.remove_prefix(name.size());
  }
  return std::string(line);
}

}  // namespace

/// The process that reads, and the request that it answers.
struct RecordReader::Reading {
  Reading(boost::asio::io_context& context, http::ConnectionId asker, Answered asked,
          OutputPipe::Take add_output)
      : connection(asker),
        answered(std::move(asked)),
        output(context, std::move(add_output)),
        errors(context,
               [this](std::string bytes) {
                 if (error_text.size() < kMostErrors) error_text += bytes;
                 return OutputPipe::Want::more;
               }),
        process_end(context),
        deadline(context) {}

  http::ConnectionId connection;
  Answered answered;  ///< Empty once it was called, or nobody waits for it.
  std::string text, error_text;
  OutputPipe output, errors;
  pid_t pid = 0;
  boost::asio::posix::stream_descriptor process_end;
  boost::asio::steady_timer deadline;
};

RecordReader::RecordReader(boost::asio::io_context& context, std::string program,
                           std::string state_folder, Limits limits, Foreign foreign)
    : context_(context),
      program_(std::move(program)),
      state_folder_(std::move(state_folder)),
      limits_(limits),
      foreign_(std::move(foreign)) {}

RecordReader::~RecordReader() {
  if (!reading_) return;
  kill(reading_->pid, SIGKILL);
  waitpid(reading_->pid, nullptr, 0);
}

std::vector<std::string> RecordReader::command(const RecordQuestion& question) const {
  std::vector<std::string> words{program_, "why", "--json", "--state-dir", state_folder_};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--lines", std::to_string(limits_.jobs));
  add("--at", question.at.empty() ? "0s" : "@" + question.at);
  add("--outside-status", std::to_string(kOutside));
  add("--occurrence", question.occurrence);
  if (!question.occurrence.empty()) add("--occurrence-status", std::to_string(kNotSoOften));
  add("--names-of", question.names_of);
  return words;
}

std::optional<ApiError> RecordReader::ask(const RecordQuestion& question, Answered answered) {
  // Those that wait come first, also while one of them is being told that it cannot be answered.
  if (reading_ || !waiting_.empty()) return keep(question, std::move(answered));
  return read(question, answered);
}

std::optional<ApiError> RecordReader::keep(const RecordQuestion& question, Answered answered) {
  const auto same_user = [&](const Waiting& each) {
    return each.question.names_of == question.names_of;
  };
  const bool waits = std::ranges::any_of(waiting_, same_user);
  if (waits || (!reads_all_names(question) && waiting_.size() >= limits_.waiting)) {
    return ApiError{503, "record_busy", "the record is being read for other clients: try again"};
  }
  waiting_.push_back({question, std::move(answered)});
  return std::nullopt;
}

/// Trusted clients that ask in loops leave every other turn to users.
RecordReader::Waiting RecordReader::take_next() {
  const auto has_turn = [this](const Waiting& each) {
    return reads_all_names(each.question) != was_trusted_;
  };
  auto next = std::ranges::find_if(waiting_, has_turn);
  if (next == waiting_.end()) next = waiting_.begin();
  Waiting taken = std::move(*next);
  waiting_.erase(next);
  return taken;
}

void RecordReader::read_next() {
  while (!reading_ && !waiting_.empty()) {
    Waiting next = take_next();
    if (const auto error = read(next.question, next.answered)) next.answered(*error);
  }
}

std::optional<ApiError> RecordReader::read(const RecordQuestion& question, Answered& answered) {
  was_trusted_ = reads_all_names(question);
  if (const auto why = foreign_()) return unreadable(*why);
  auto reading =
      std::make_unique<Reading>(context_, question.connection, nullptr, [this](std::string bytes) {
        reading_->text += bytes;
        if (reading_->text.size() <= limits_.bytes) return OutputPipe::Want::more;
        end(unreadable("the answer has more than " + std::to_string(limits_.bytes) + " bytes"));
        return OutputPipe::Want::pause;
      });
  if (!reading->output.open() || !reading->errors.open()) return unreadable(errno_text("a pipe"));
  Spawning spawning;
  spawning.argv = command(question);
  spawning.nice = kLowestPriority;
  spawning.streams[1] = reading->output.write_end();
  spawning.streams[2] = reading->errors.write_end();
  const Spawned spawned = spawn(spawning);
  if (spawned.pid <= 0) return unreadable(spawned.reason);
  reading->pid = spawned.pid;
  Descriptor descriptor = open_pidfd(spawned.pid);
  if (!descriptor) {
    const ApiError error = unreadable(errno_text("its process cannot be watched"));
    kill(spawned.pid, SIGKILL);
    waitpid(spawned.pid, nullptr, 0);
    return error;
  }
  reading->process_end.assign(descriptor.release());
  reading->output.close_write_end();
  reading->errors.close_write_end();
  reading->answered = std::move(answered);
  reading_ = std::move(reading);
  reading_->output.go_on();
  reading_->errors.go_on();
  reading_->deadline.expires_after(limits_.time);
  // Its last event may come when the next reading has begun.
  reading_->deadline.async_wait([this, reading = ++readings_](error_code error) {
    if (error || !reading_ || reading != readings_) return;
    end({503, "record_slow", "reading the record took more than " + print_duration(limits_.time)});
  });
  wait_for_end();
  return std::nullopt;
}

void RecordReader::wait_for_end() {
  reading_->process_end.async_wait(boost::asio::posix::descriptor_base::wait_read,
                                   [this](error_code error) {
                                     if (!error) ended();
                                   });
}

void RecordReader::ended() {
  int status = 0;
  if (waitpid(reading_->pid, &status, WNOHANG) == 0) return wait_for_end();
  const std::unique_ptr<Reading> over = std::move(reading_);
  over->text += over->output.drain();
  over->error_text += over->errors.drain();
  // Before the answer, whose client may ask again at once.
  read_next();
  if (!over->answered) return;
  if (over->text.size() <= limits_.bytes && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    http::Response response;
    response.body = std::move(over->text);
    over->answered(std::move(response));
  } else if (const auto field = missing_in_record(status); !field.empty()) {
    over->answered(ApiError{404, "not_in_record", problem_in(over->error_text), field});
  } else {
    const std::string said = problem_in(over->error_text);
    over->answered(unreadable(said.empty() ? "its process failed" : said));
  }
}

void RecordReader::end(const ApiError& why) {
  if (const auto answered = std::exchange(reading_->answered, nullptr)) answered(why);
  kill(reading_->pid, SIGKILL);
}

void RecordReader::connection_closed(http::ConnectionId connection) {
  std::erase_if(waiting_,
                [&](const Waiting& each) { return each.question.connection == connection; });
  if (!reading_ || reading_->connection != connection) return;
  reading_->answered = nullptr;
  kill(reading_->pid, SIGKILL);
}

void RecordReader::stop() {
  const ApiError stopping = stopping_error();
  for (const Waiting& each : std::exchange(waiting_, {})) each.answered(stopping);
  if (reading_) end(stopping);
}

}  // namespace sluice

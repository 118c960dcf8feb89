#include "service/gearman/run.h"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <cerrno>
#include <utility>

#include "base/daemon_sentences.h"
#include "service/protocol/api_error.h"

namespace sluice::gearman {
namespace {

/// With more unsent bytes than this, the job's output waits until the server has taken some.
constexpr std::size_t kMostBacklog = 256 * 1024;

/// A descriptor from which the text can be read; none on failure.
Descriptor descriptor_of(const std::string& text) {
  Descriptor memory(memfd_create("sluice-payload", MFD_CLOEXEC));
  const bool is_whole = memory && write_all(memory.get(), text) == text.size();
  if (!is_whole) return Descriptor();
  lseek(memory.get(), 0, SEEK_SET);
  return memory;
}

/// An environment cannot hold a NUL, and should not hold terminal control characters.
std::string printable(std::string text) {
  for (char& byte : text) {
    if (static_cast<unsigned char>(byte) < ' ' || byte == 127) byte = '?';
  }
  return text;
}

/// A shortage of this host that says nothing about the job.
bool will_pass(int error) {
  return error == EMFILE || error == ENFILE || error == EAGAIN || error == ENOMEM;
}

/// Refusals of jobs that another executor, or this one later, may be able to run.
bool may_run_elsewhere(RefusalCode code) {
  using enum RefusalCode;
  return code == draining || code == cancelled || code == max_pending;
}

/// What the API says of such a submit.
std::string problem_of(const Refusal& refusal, const JobRequest& request,
                       const Governor& governor) {
  auto bad = refusal.code == RefusalCode::invalid ? governor.check(request) : std::nullopt;
  return bad ? "its payload: " + invalid(*std::move(bad)).message : to_sentence(refusal);
}

}  // namespace

Run::Run(Tools tools, Work work, std::function<void()> over)
    : tools_(std::move(tools)),
      work_(std::move(work)),
      over_(std::move(over)),
      output_(tools_.context, [this](const std::string& bytes) { return pass_on(bytes, output_); }),
      error_(tools_.context, [this](const std::string& bytes) { return pass_on(bytes, error_); }) {}

Connection::Handlers Run::handlers() {
  const auto self = shared_from_this();
  Connection::Handlers handlers;
  handlers.event = [self](const Session::Event& event) { self->heard(event); };
  handlers.closed = [self](const std::string& reason) { self->lost(reason); };
  handlers.sent = [self] {
    if (!self->running_) return;
    self->output_.go_on();
    self->error_.go_on();
  };
  return handlers;
}

void Run::queue(Permit reserved) {
  work_.connection->handle_by(handlers());
  const auto self = shared_from_this();
  const auto hand_over = [self](JobId, Admission admission) {
    boost::asio::post(self->tools_.context, [self, admission = std::move(admission)]() mutable {
      self->admitted(std::move(admission));
    });
  };
  const auto result = tools_.governor.submit(work_.order.request, hand_over);
  // Only now, so that jobs already waiting go first, but no later ones.
  reserved.release(Outcome::cancelled);
  if (const auto* refusal = std::get_if<Refusal>(&result)) {
    if (may_run_elsewhere(refusal->code)) return give_back(to_sentence(*refusal));
    return refuse(problem_of(*refusal, work_.order.request, tools_.governor));
  }
  if (std::get<Queued>(result).deduplicated) {
    return refuse(kAlikeRunsInstead);
  }
  pending_ = number_ = std::get<Queued>(result).id;
  report_event(JobEvent::What::waits);
}

void Run::admitted(Admission admission) {
  pending_.reset();
  if (lost_) return finish();
  if (const auto* refusal = std::get_if<Refusal>(&admission)) {
    report_event(JobEvent::What::ends);
    if (may_run_elsewhere(refusal->code)) return give_back(to_sentence(*refusal));
    return refuse(to_sentence(*refusal));
  }
  start(std::move(std::get<Permit>(admission)));
}

std::optional<Command> Run::prepare(const Permit& permit) {
  input_ = descriptor_of(work_.job.payload);
  if (!input_ || !output_.open() || !error_.open()) return std::nullopt;
  Command command;
  command.argv = work_.order.command.empty() ? work_.command : work_.order.command;
  command.inherited = work_.inherited;
  command.nice = work_.order.request.nice;
  command.input = input_.get();
  command.output = output_.write_end();
  command.error = error_.write_end();
  if (permit) command.environment = tools_.environment(permit);
  command.environment["SLUICE_GEARMAN_HANDLE"] = printable(work_.job.handle);
  command.environment["SLUICE_GEARMAN_FUNCTION"] = printable(work_.job.function);
  command.environment["SLUICE_GEARMAN_UNIQUE"] = printable(work_.job.unique);
  return command;
}

void Run::start(Permit permit) {
  work_.connection->handle_by(handlers());
  if (permit) {
    number_ = permit.id();
    cost_ = permit.cost();
  }
  auto command = prepare(permit);
  if (!command) {
    permit.release(Outcome::cancelled);
    input_.reset();
    return give_back("no more descriptors");
  }
  const auto started = tools_.commands.start(
      {std::move(*command), work_.order.request, work_.order.timeout, std::move(permit)},
      [self = shared_from_this()](const CommandJobs::Ended& ended) { self->ended(ended); });
  input_.reset();
  output_.close_write_end();
  error_.close_write_end();
  if (const auto* problem = std::get_if<std::string>(&started)) {
    if (will_pass(tools_.commands.start_error())) return give_back(*problem);
    return refuse(*problem);
  }
  running_ = std::get<pid_t>(started);
  report_event(JobEvent::What::starts);
  output_.go_on();
  error_.go_on();
}

OutputPipe::Want Run::pass_on(const std::string& bytes, OutputPipe& pipe) {
  if (lost_) return OutputPipe::Want::more;
  work_.connection->tell([&](Session& session) {
    if (&pipe == &output_) session.data(bytes);
    if (&pipe == &error_) session.warning(bytes);
  });
  const bool is_slow = work_.connection->backlog() > kMostBacklog;
  return is_slow ? OutputPipe::Want::pause : OutputPipe::Want::more;
}

void Run::ended(const CommandJobs::Ended& ended) {
  running_.reset();
  report_event(JobEvent::What::ends, &ended);
  const std::string output = output_.drain(), error = error_.drain();
  if (lost_) return finish();
  work_.connection->tell([&](Session& session) {
    session.data(output);
    session.warning(error);
  });
  tell_end(ended);
}

void Run::tell_end(const CommandJobs::Ended& ended) {
  if (ended.ok()) {
    return work_.connection->tell([](Session& session) { session.complete(""); });
  }
  const bool timed_out = ended.because == JobDeadline::Because::timeout;
  refuse(timed_out ? "it exceeded its timeout" : ended.end.sentence());
}

void Run::refuse(const std::string& why) {
  work_.connection->handle_by(handlers());
  say(LogLevel::info, "failed: " + why);
  work_.connection->tell([&](Session& session) {
    // Not as an exception: gearmand 1.1.20 treats that as the end of the job and, for a client that
    // did not request exceptions, turns it into a WORK_FAIL on which libgearman waits for ever.
    session.warning(why + "\n");
    session.fail();
  });
}

/// gearmand gives it to the next worker that asks, possibly this one.
void Run::give_back(const std::string& why) {
  say(LogLevel::warning, "goes back to its server: " + why);
  was_given_back_ = true;
  finish();
}

void Run::heard(const Session::Event& event) {
  if (const auto* complaint = std::get_if<Session::Complaint>(&event)) {
    say(LogLevel::warning, "the server says " + complaint->text);
    // Another worker may have it by now.
    if (complaint->text.starts_with("JOB_NOT_FOUND")) return lost("the server no longer knows it");
  }
  if (std::holds_alternative<Session::Settled>(event)) finish();
}

void Run::lost(const std::string& reason) {
  if (running_ || pending_) {
    say(LogLevel::warning, "ended, because its server will give it to another worker: " + reason);
    return end_for_another();
  }
  say(LogLevel::warning, "its result could not be sent, so it may run again: " + reason);
  finish();
}

void Run::withdraw(const std::string& why) {
  if (!lost_ && running_) say(LogLevel::warning, "ended, goes back to its server: " + why);
  if (!lost_ && pending_) say(LogLevel::info, "goes back to its server: " + why);
  end_for_another();
}

void Run::end_for_another() {
  lost_ = running_ || pending_;
  if (running_) tools_.commands.ask_to_end(*running_);
  if (pending_) tools_.governor.cancel(*pending_);
}

void Run::report_event(JobEvent::What what, const CommandJobs::Ended* end) {
  using What = JobEvent::What;
  const bool is_end = what == What::ends;
  if (!tools_.on_event || number_ == JobId{} || (is_end && !is_reported_)) return;
  is_reported_ = !is_end;
  const Prediction* const expected =
      what == What::starts ? &tools_.commands.expected(*running_) : nullptr;
  tools_.on_event({.what = what,
                   .number = number_,
                   .job = work_.job,
                   .request = work_.order.request,
                   .cost = cost_,
                   .expected = expected,
                   .end = end});
}

void Run::finish() {
  report_event(JobEvent::What::ends);
  work_.connection->handle_by({});
  work_.connection->close();
  if (const auto over = std::exchange(over_, nullptr)) over();
}

void Run::abandon() {
  over_ = nullptr;
  tools_.on_event = nullptr;
  finish();
}

void Run::say(LogLevel level, const std::string& text) const {
  tools_.log(level, "gearman " + work_.connection->address().host + ":" +
                        work_.connection->address().port + ": " + printable(work_.job.function) +
                        " " + printable(work_.job.handle) + " " + text);
}

}  // namespace sluice::gearman

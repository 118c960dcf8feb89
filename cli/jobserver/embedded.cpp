#include "cli/jobserver/embedded.h"

#include <poll.h>

#include <algorithm>
#include <boost/json.hpp>
#include <memory>
#include <utility>
#include <variant>

#include "base/mailbox.h"
#include "base/terminal_stop.h"
#include "cli/permit/outer_permit.h"
#include "cli/settings/config_from.h"
#include "costmodel/history.h"
#include "governor/memory/reservation.h"
#include "process/child/signals.h"
#include "process/local_brake.h"
#include "service/jobserver/jobserver.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

/// There is only one client, but it needs a number.
constexpr std::uint64_t kClient = 1;

/// Between checks of the reason for its wait.
constexpr int kPollMilliseconds = 500;

/// A signal that arrived before the command ran, so that it could not be forwarded.
struct Interrupted {
  int signal;
};

using Ending = std::variant<ClientEnd, Interrupted, std::string>;

/// The governor and the jobserver of a run without a daemon.
class Embedded {
 public:
  Embedded(const JobserverArguments& arguments, const ToolReporter& reporter)
      : arguments_(arguments), reporter_(reporter), client_(look_at_client(arguments, reporter)) {}

  /// Returns how the command ended, the signal that came before it started, or one line that names
  /// an unusable setting.
  Ending run() {
    Assembly assembly = assemble_parts();
    // A formula learns no costs, but the needs of a token's work are learned all the same.
    const auto history =
        assembly.history ? assembly.history
                         : std::make_shared<History>(CostOptions{}, ReservationOptions{}, nullptr);
    if (outer_) hold_to(*outer_, assembly.options);
    model_ = assembly.cost_model;
    Governor governor(std::move(assembly.options), std::move(assembly.sensors),
                      std::move(assembly.cost_model));
    const Permit outer = outer_ ? adopt(*outer_, governor) : Permit{};
    jobserver::Server jobserver(governor, history, warnings(), brake_meter(brake_),
                                jobserver::TokenWindow::own);
    jobserver::Request request{client_.key, client_.program, client_.most_tokens, {}, {}};
    request.parent = outer.id();
    if (auto problem = jobserver.open(kClient, request)) return *std::move(problem);
    const std::string path = jobserver.view(kClient)->path;
    auto made = jobserver::ClientSetting::make(path, client_.styles);
    if (auto* problem = std::get_if<std::string>(&made)) return std::move(*problem);
    tell_of(path);
    const JobRequest first = within(jobserver.slot_request(request));
    auto slot = wait_for_slot(governor, first);
    if (auto* permit = std::get_if<Permit>(&slot)) {
      return execute(jobserver, std::get<jobserver::ClientSetting>(made), *permit, first);
    }
    if (auto* interrupted = std::get_if<Interrupted>(&slot)) return *interrupted;
    return std::get<std::string>(std::move(slot));
  }

 private:
  jobserver::Server::Say warnings() const {
    return [this](const std::string& line) { reporter_.say("warning", line); };
  }

  Assembly assemble_parts() {
    jobserver::sweep_token_fifos();
    Config config = config_from(arguments_.config);
    config.governing.state_dir = state_folder(arguments_.state_dir, config);
    brake_ = config.governing.reservation.brake;
    reservation_ = config.governing.reservation;
    state_dir_ = config.governing.state_dir.value_or("");
    return assemble_jobserver(config.governing, {nullptr, warnings()});
  }

  void tell_of(const std::string& path) const {
    const std::string learned =
        state_dir_.empty() ? "the history is not kept" : "the history is kept in " + state_dir_;
    const std::string style(to_string(client_.styles.makeflags));
    reporter_.mention("open", "tokens come through " + path + " (" + style + "); " + learned,
                      {{"path", path}, {"style", style}, {"key", client_.key}});
  }

  /// Clamps the cost to the points of the outer permit.
  JobRequest within(JobRequest job) const {
    if (outer_ && job.cost) job.cost = std::min(*job.cost, outer_->points);
    return job;
  }

  OuterPermit permit_of(const Permit& slot, const JobRequest& request) const {
    const auto expected = model_(request).memory;
    const auto memory =
        expected ? std::optional(reserved_peak(reservation_, *expected)) : std::nullopt;
    return {slot.cost(), memory, ""};
  }

  /// The job that the client may run without a token is admitted like any other.
  std::variant<Permit, Interrupted, std::string> wait_for_slot(Governor& governor,
                                                               JobRequest request) {
    const auto submitted = governor.submit(std::move(request), [this](JobId, Admission end) {
      // A refusal here ends a wait that is no longer wanted.
      if (auto* permit = std::get_if<Permit>(&end)) admitted_.put(std::move(*permit));
    });
    if (const auto* refusal = std::get_if<Refusal>(&submitted)) return to_sentence(*refusal);
    const JobId job = std::get<Queued>(submitted).id;
    WaitingLine line(Clock::now());
    while (true) {
      pollfd ready[] = {{admitted_.descriptor(), POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}};
      poll(ready, 2, kPollMilliseconds);
      if (const int signal = heed(); signal != 0) return Interrupted{signal};
      std::vector<Permit> permits = admitted_.take_all();
      if (!permits.empty()) return std::move(permits.front());
      tell_why(governor, job, line);
    }
  }

  void tell_why(const Governor& governor, JobId job, WaitingLine& line) {
    if (arguments_.telling == WaitTelling::silent) return;
    const auto view = governor.job(job);
    if (!view || !view->refusal) return;
    const Refusal& refusal = *view->refusal;
    const std::string kind =
        std::string(to_string(refusal.code)) + ' ' + std::string(refusal.binding);
    if (line.is_due(kind, Clock::now()))
      reporter_.say("waiting", "waiting: " + to_sentence(refusal, governor.status()));
  }

  /// The signal that ends this process; 0 if none has arrived.
  int heed() {
    while (const auto signal = signals_.next()) {
      if (signal->number == SIGTSTP) stop_by_sigtstp();
      const bool harmless =
          signal->number == SIGTSTP || signal->number == SIGCONT || signal->number == SIGCHLD;
      if (!harmless) return signal->number;
    }
    return 0;
  }

  ClientEnd execute(jobserver::Server& jobserver, const jobserver::ClientSetting& setting,
                    Permit& slot, const JobRequest& request) {
    Meanwhile meanwhile;
    tell(permit_of(slot, request), meanwhile.environment);
    meanwhile.started = [&](pid_t child) {
      jobserver.begin(kClient, child, [&slot](const JobUsage& usage) { slot.measured(usage); });
    };
    meanwhile.descriptor = jobserver.descriptor();
    meanwhile.work = [&] { jobserver.work(); };
    jobserver.offer(kClient);
    const ClientEnd end = run_client(arguments_, setting, signals_, reporter_, meanwhile);
    const Outcome outcome = end.ok() ? Outcome::ok : Outcome::failed;
    const auto tokens = jobserver.close(kClient, outcome);
    if (tokens) report_end(client_.program, end, *tokens, reporter_);
    slot.release(outcome);
    return end;
  }

  const JobserverArguments& arguments_;
  const ToolReporter& reporter_;
  const JobserverClient client_;
  SignalDescriptor signals_{kCommandSignals};
  Mailbox<Permit> admitted_;
  std::string state_dir_;
  ReservationOptions::Brake brake_ = ReservationOptions::Brake::suspend;
  ReservationOptions reservation_;
  CostModel model_;
  const std::optional<OuterPermit> outer_ = outer_permit();
};

}  // namespace

Assembly assemble_jobserver(const Options& options, Learning learning) {
  Assembly parts = assemble(options, std::move(learning));
  parts.options.when_red = GovernorOptions::WhenRed::use_half;
  return parts;
}

int run_embedded_jobserver(const JobserverArguments& arguments, const ToolReporter& reporter) {
  // Everything is destroyed, and what was learned is saved, before this process ends as its command
  // did.
  const Ending ending = Embedded(arguments, reporter).run();
  if (const auto* problem = std::get_if<std::string>(&ending)) {
    reporter.say("error", *problem);
    return 2;
  }
  if (const auto* interrupted = std::get_if<Interrupted>(&ending)) die_by(interrupted->signal);
  return end_as(std::get<ClientEnd>(ending));
}

}  // namespace sluice::cli

#include <poll.h>
#include <sys/wait.h>

#include <boost/json.hpp>
#include <chrono>
#include <memory>
#include <utility>
#include <variant>

#include "cli/config_from.h"
#include "cli/inbox.h"
#include "cli/jobserver_client.h"
#include "cli/state_folder.h"
#include "costmodel/history.h"
#include "service/command_process.h"
#include "service/jobserver.h"
#include "service/run_brake.h"
#include "sluice/embed.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

/// There is one client; it needs some name.
constexpr std::uint64_t kClient = 1;

/// How long to wait in silence.
constexpr int kSilenceMilliseconds = 1000;

/// The signal that came before the command ran, when there was nobody yet to pass it on to.
struct Interrupted {
  int signal;
};

using Ending = std::variant<ClientEnd, Interrupted, std::string>;

/// Everything that governs, without a daemon.
class Embedded {
 public:
  Embedded(const JobserverArguments& arguments, const JobserverTeller& teller)
      : arguments_(arguments), teller_(teller), client_(look_at_client(arguments, teller)) {}

  /// How the command ended, what kept it from starting, or one line that says what cannot be used.
  Ending run() {
    Assembly assembly = assemble_parts();
    // Under a formula no cost is learned, but what a token's work needs is all the same.
    const auto history =
        assembly.history ? assembly.history
                         : std::make_shared<History>(CostOptions{}, ReservationOptions{}, nullptr);
    Governor governor(std::move(assembly.options), std::move(assembly.sensors),
                      std::move(assembly.cost_model));
    Jobserver jobserver(governor, history, warnings(), brake_meter(brake_));
    const JobserverRequest request{client_.key, client_.program, client_.most_tokens, {}, {}};
    if (auto problem = jobserver.open(kClient, request)) return *std::move(problem);
    const std::string path = jobserver.view(kClient)->path;
    auto made = ClientSetting::make(path, client_.styles);
    if (auto* problem = std::get_if<std::string>(&made)) return std::move(*problem);
    tell_of(path);
    auto slot = wait_for_slot(governor, jobserver.slot_request(request));
    if (auto* permit = std::get_if<Permit>(&slot)) {
      return execute(jobserver, std::get<ClientSetting>(made), *permit);
    }
    if (auto* interrupted = std::get_if<Interrupted>(&slot)) return *interrupted;
    return std::get<std::string>(std::move(slot));
  }

 private:
  Jobserver::Say warnings() const {
    return [this](const std::string& line) { teller_.say("warning", line); };
  }

  Assembly assemble_parts() {
    sweep_token_fifos();
    Config config = config_from(arguments_.config);
    config.governing.state_dir = state_folder(arguments_.state_dir, config);
    brake_ = config.governing.reservation.brake;
    state_dir_ = config.governing.state_dir.value_or("");
    return assemble(config.governing, {nullptr, warnings()});
  }

  void tell_of(const std::string& path) const {
    const std::string learned = state_dir_.empty() ? "what is learned is forgotten at the end"
                                                   : "what is learned is kept in " + state_dir_;
    const std::string style(to_string(client_.styles.makeflags));
    teller_.mention("open", "tokens come through " + path + " (" + style + "); " + learned,
                    {{"path", path}, {"style", style}, {"key", client_.key}});
  }

  /// The job that the client may run without a token is admitted like any other.
  std::variant<Permit, Interrupted, std::string> wait_for_slot(Governor& governor,
                                                               JobRequest request) {
    const auto submitted = governor.submit(
        std::move(request), [this](JobId, Admission end) { inbox_.admitted(0, std::move(end)); });
    if (const auto* refusal = std::get_if<Refusal>(&submitted)) return to_sentence(*refusal);
    const JobId job = std::get<Queued>(submitted).id;
    while (true) {
      pollfd ready[] = {{inbox_.descriptor(), POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}};
      const bool silent = poll(ready, 2, kSilenceMilliseconds) == 0;
      if (const int signal = heed(); signal != 0) return Interrupted{signal};
      Inbox::Mail mail = inbox_.take();
      if (!mail.admitted.empty()) return std::move(mail.admitted.front().second);
      if (silent) tell_why(governor, job);
    }
  }

  void tell_why(const Governor& governor, JobId job) {
    const auto view = governor.job(job);
    const std::string why = view && view->refusal ? to_sentence(*view->refusal) : "";
    if (!why.empty() && std::exchange(said_, why) != why) {
      teller_.mention("waiting", "waiting: " + why);
    }
  }

  /// The signal that ends this process; 0: none has come.
  int heed() {
    while (const auto signal = signals_.next()) {
      if (signal->number == SIGTSTP) raise(SIGSTOP);
      const bool harmless =
          signal->number == SIGTSTP || signal->number == SIGCONT || signal->number == SIGCHLD;
      if (!harmless) return signal->number;
    }
    return 0;
  }

  ClientEnd execute(Jobserver& jobserver, const ClientSetting& setting, Permit& slot) {
    Meanwhile meanwhile;
    meanwhile.started = [&](pid_t child) {
      jobserver.begin(kClient, child, [&slot](const JobUsage& usage) { slot.measured(usage); });
    };
    meanwhile.descriptor = jobserver.descriptor();
    meanwhile.work = [&] { jobserver.work(); };
    const ClientEnd end = run_client(arguments_, setting, signals_, teller_, meanwhile);
    const Outcome outcome = end.ok() ? Outcome::ok : Outcome::failed;
    const auto tokens = jobserver.close(kClient, outcome);
    if (tokens) teller_.tell_end(client_.program, end, *tokens);
    slot.release(outcome);
    return end;
  }

  const JobserverArguments& arguments_;
  const JobserverTeller& teller_;
  const JobserverClient client_;
  SignalDescriptor signals_{kCommandSignals};
  Inbox inbox_;
  std::string state_dir_;
  ReservationOptions::Brake brake_ = ReservationOptions::Brake::suspend;
  std::string said_;
};

}  // namespace

int run_embedded_jobserver(const JobserverArguments& arguments, const JobserverTeller& teller) {
  // All of it is gone, with what was learned kept, before this process ends as its command did.
  const Ending ending = Embedded(arguments, teller).run();
  if (const auto* problem = std::get_if<std::string>(&ending)) {
    teller.say("error", *problem);
    return 2;
  }
  if (const auto* interrupted = std::get_if<Interrupted>(&ending)) die_by(interrupted->signal);
  return end_as(std::get<ClientEnd>(ending));
}

}  // namespace sluice::cli

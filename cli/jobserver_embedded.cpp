#include <poll.h>
#include <sys/wait.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstdlib>
#include <memory>

#include "cli/config_from.h"
#include "cli/demo_inbox.h"
#include "cli/jobserver_client.h"
#include "costmodel/history.h"
#include "service/command_process.h"
#include "service/jobserver.h"
#include "sluice/embed.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

/// There is one client; it needs some name.
constexpr std::uint64_t kClient = 1;

/// How long to wait in silence.
constexpr int kSilenceMilliseconds = 1000;

/// Everything that governs, without a daemon.
class Embedded {
 public:
  Embedded(const JobserverArguments& arguments, const JobserverTeller& teller)
      : arguments_(arguments), teller_(teller), client_(look_at_client(arguments, teller)) {}

  int run() {
    sweep_token_fifos();
    Options options = config_from(arguments_.config).governing;
    if (!arguments_.state_dir.empty()) options.state_dir = arguments_.state_dir;
    Assembly assembly = assemble(
        options, {nullptr, [this](const std::string& line) { teller_.say("warning", line); }});
    // Under a formula nothing is learned of costs; what a token's work needs is all the same.
    history_ = assembly.history ? assembly.history
                                : std::make_shared<History>(options.cost, options.reservation,
                                                            nullptr);
    Governor governor(std::move(assembly.options), std::move(assembly.sensors),
                      std::move(assembly.cost_model));
    Jobserver jobserver(governor, history_,
                        [this](const std::string& line) { teller_.say("warning", line); });
    const JobserverRequest request{client_.key, client_.program, client_.most_tokens, {}, {}};
    if (const auto problem = jobserver.open(kClient, request)) return unusable(*problem);
    const std::string path = jobserver.view(kClient)->path;
    const auto setting = ClientSetting::make(path, client_.styles);
    if (const auto* problem = std::get_if<std::string>(&setting)) return unusable(*problem);
    teller_.mention("open", "tokens come through " + path + " (" + style() + "); " +
                                MEMORY);
    auto slot = wait_for_slot(governor, jobserver.slot_request(request));
    if (const auto* problem = std::get_if<std::string>(&slot)) return unusable(*problem);
    return execute(jobserver, std::get<ClientSetting>(setting), std::get<Permit>(slot));
  }

 private:
  std::string style() const { return std::string(to_string(client_.styles.makeflags)); }

  int unusable(const std::string& problem) const {
    teller_.say("error", problem);
    return 2;
  }

  /// The job that the client may run without a token is admitted like any other.
  std::variant<Permit, std::string> wait_for_slot(Governor& governor, JobRequest request) {
    const auto submitted = governor.submit(
        std::move(request), [this](JobId, Admission end) { inbox_.admitted(0, std::move(end)); });
    if (const auto* refusal = std::get_if<Refusal>(&submitted)) return to_sentence(*refusal);
    const JobId job = std::get<Queued>(submitted).id;
    std::string said;
    while (true) {
      pollfd ready[] = {{inbox_.descriptor(), POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}};
      const bool silent = poll(ready, 2, kSilenceMilliseconds) == 0;
      heed_signals();
      Inbox::Mail mail = inbox_.take();
      if (!mail.admitted.empty()) return std::move(mail.admitted.front().second);
      const auto view = governor.job(job);
      const std::string why = view && view->refusal ? to_sentence(*view->refusal) : "";
      if (silent && why != said) teller_.mention("waiting", "waiting: " + why);
      if (silent) said = why;
    }
  }

  /// Before the command runs there is nobody to pass them on to.
  void heed_signals() {
    while (const auto signal = signals_.next()) {
      if (signal->number == SIGTSTP) raise(SIGSTOP);
      const bool harmless =
          signal->number == SIGTSTP || signal->number == SIGCONT || signal->number == SIGCHLD;
      if (!harmless) die_by_signal_ = signal->number;
    }
    if (die_by_signal_ != 0) throw Interrupted{die_by_signal_};
  }

  int execute(Jobserver& jobserver, const ClientSetting& setting, Permit& slot) {
    Meanwhile meanwhile;
    meanwhile.started = [&](pid_t child) {
      jobserver.begin(kClient, child, [&slot](const JobUsage& usage) { slot.measured(usage); });
    };
    meanwhile.descriptor = jobserver.descriptor();
    meanwhile.work = [&] { jobserver.work(); };
    const ClientEnd end = run_client(arguments_, setting, signals_, teller_, meanwhile);
    tell_end(end, *jobserver.close(kClient));
    slot.release(end.ok() ? Outcome::ok : Outcome::failed);
    exit_ = end;
    return 0;
  }

  void tell_end(const ClientEnd& end, const JobserverEnd& tokens) const {
    const std::string how = end.end ? end.end->sentence() : "did not start";
    const json::object facts{{"granted", tokens.granted},
                             {"lost", tokens.lost},
                             {"most_granted", tokens.most_granted},
                             {"granted_ever", tokens.granted_ever}};
    const std::string count = std::to_string(tokens.lost) + " of " +
                              std::to_string(tokens.granted) +
                              (tokens.granted == 1 ? " token" : " tokens");
    if (tokens.lost > 0) {
      teller_.say("end",
                  client_.program + ": " + how + ": " + count +
                      " had been taken and not put back: written off, permits returned",
                  facts);
      return;
    }
    teller_.mention("end",
                    client_.program + ": " + how + ": " + std::to_string(tokens.most_granted) +
                        " tokens at most, " + std::to_string(tokens.granted_ever) +
                        " granted in all, none missing",
                    facts);
  }

 public:
  struct Interrupted {
    int signal;
  };
  const ClientEnd& exit() const { return exit_; }

 private:
  const JobserverArguments& arguments_;
  const JobserverTeller& teller_;
  SignalDescriptor signals_{kCommandSignals};
  Inbox inbox_;
  const JobserverClient client_;
  std::shared_ptr<History> history_;
  ClientEnd exit_;
  int die_by_signal_ = 0;
};

}  // namespace

int run_embedded_jobserver(const JobserverArguments& arguments, const JobserverTeller& teller) {
  ClientEnd end;
  int signal = 0;
  try {
    // Gone before this process ends as its command did: with its fifo, and all that was learned.
    Embedded embedded(arguments, teller);
    if (const int status = embedded.run(); status != 0) return status;
    end = embedded.exit();
  } catch (const Embedded::Interrupted& interrupted) {
    signal = interrupted.signal;
  }
  if (signal != 0) die_by(signal);
  return end_as(end);
}

}  // namespace sluice::cli

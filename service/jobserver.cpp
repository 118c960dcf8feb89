#include "service/jobserver.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "costmodel/history.h"
#include "service/run_brake.h"
#include "service/token_mail.h"
#include "service/token_runs.h"

namespace sluice {
namespace {

/// Between two looks at the fifos. A client whose tokens are all in use grows by one in this time.
constexpr Duration kLook = std::chrono::milliseconds(20);

/// Between two looks at what the clients' processes use; less often where a look takes longer than
/// a twentieth of it, on a host with very many processes.
constexpr Duration kMeasure = std::chrono::milliseconds(100);
constexpr int kMeasurePart = 20;
constexpr int kUrgentMeasurePart = 3;  ///< While memory is short or something is suspended.

/// Of a token of which nothing is known.
constexpr Points kUnknownCost{10};

/// Runs are numbered apart from jobs, which are numbered from 1.
constexpr std::uint64_t kFirstRun = std::uint64_t{1} << 63;
constexpr int kRunBits = 24;

struct Client {
  Client(const JobserverRequest& request, TokenFifo made, std::uint64_t id)
      : key("jobserver:" + request.key),
        program(request.program),
        most(request.most_tokens),
        fifo(std::move(made)),
        runs(kFirstRun | (id << kRunBits)) {}

  std::string key, program;
  std::size_t most;
  TokenFifo fifo;
  TokenRuns runs;
  std::vector<TokenRuns::Run> alive;
  std::vector<Permit> permits;  ///< One for each token.
  std::optional<JobId> asked;
  bool running = false;
  pid_t process = 0;
  std::function<void(const JobUsage&)> measured_slot;
  Prediction prediction;
  bool warm = false;
  bool armed = false;
  std::size_t debt = 0;
  std::size_t most_granted = 0;
  std::uint64_t granted_ever = 0;
  std::uint64_t suspended = 0;
  bool told_of_surplus = false;
};

JobRequest request_for(const std::string& key, const std::string& program) {
  JobRequest request;
  request.key = key;
  request.program = program;
  request.measured = true;
  return request;
}

/// Whether it speaks of jobs like these, and not of jobs at large.
bool is_of_its_kind(const Prediction& prediction) {
  return prediction.rung == Rung::key || prediction.rung == Rung::program ||
         prediction.rung == Rung::declared;
}

Duration since_boot() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

Duration tick_length() {
  static const Duration tick = Duration(std::chrono::seconds(1)) / sysconf(_SC_CLK_TCK);
  return tick;
}

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Bytes mean_memory(const Prediction& prediction) {
  const double mean = prediction.memory ? prediction.memory->mean : 0;
  return Bytes{static_cast<std::uint64_t>(std::max(mean, 0.0))};
}

/// Jobs beyond it are taken to have outgrown what is known of them: one in a hundred, if their
/// peaks are spread normally.
double likely_peak(const Prediction& prediction) {
  constexpr double kZ = 2.33;
  return prediction.memory ? prediction.memory->mean + kZ * prediction.memory->deviation : 0;
}

}  // namespace

class Jobserver::Impl {
 public:
  Impl(Governor& governor, std::shared_ptr<History> history, Say say, MemoryMeter brake)
      : governor_(governor),
        history_(std::move(history)),
        say_(std::move(say)),
        mail_(std::make_shared<TokenMail>()),
        epoll_(epoll_create1(EPOLL_CLOEXEC)),
        timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
    watch(mail_->descriptor());
    watch(timer_);
    brake_with(std::move(brake));
  }

  ~Impl() {
    while (!clients_.empty()) close(clients_.begin()->first, Outcome::cancelled);
    ::close(timer_);
    ::close(epoll_);
  }

  int descriptor() const { return epoll_; }

  void work() {
    std::uint64_t times = 0;
    [[maybe_unused]] const ssize_t got = read(timer_, &times, sizeof times);
    const TimePoint now = Clock::now();
    for (TokenMail::Letter& letter : mail_->take()) receive(std::move(letter));
    if (now >= measure_at_) measure(now);
    look(now);
  }

  JobRequest slot_request(const JobserverRequest& client) const {
    JobRequest request = request_for("jobserver:" + client.key, client.program);
    if (!is_of_its_kind(history_->predict(request))) request.cost = kUnknownCost;
    return request;
  }

  std::optional<std::string> open(std::uint64_t id, const JobserverRequest& request) {
    auto made = TokenFifo::make(request.folder, request.owner);
    if (auto* problem = std::get_if<std::string>(&made)) return std::move(*problem);
    Client& client =
        clients_.try_emplace(id, request, std::move(std::get<TokenFifo>(made)), id).first->second;
    foresee(client);
    return std::nullopt;
  }

  void begin(std::uint64_t id, pid_t process, std::function<void(const JobUsage&)> measured_slot) {
    const auto found = clients_.find(id);
    if (found == clients_.end()) return;
    found->second.running = true;
    found->second.process = process;
    found->second.measured_slot = std::move(measured_slot);
    set_timer();
  }

  std::optional<JobserverEnd> close(std::uint64_t id, Outcome outcome) {
    const auto found = clients_.find(id);
    if (found == clients_.end()) return std::nullopt;
    Client& client = found->second;
    withdraw_request(client);
    disarm(client);
    JobserverEnd end;
    end.granted = client.permits.size();
    end.lost = end.granted - std::min(end.granted, client.fifo.idle());
    totals_.lost += end.lost;
    end.most_granted = client.most_granted;
    end.granted_ever = client.granted_ever;
    end.suspended = client.suspended;
    finish_runs(client, outcome);
    clients_.erase(found);  // Returns the permits.
    set_timer();
    return end;
  }

  std::optional<JobserverView> view(std::uint64_t id) const {
    const auto found = clients_.find(id);
    if (found == clients_.end()) return std::nullopt;
    return view_of(id, found->second);
  }

  const JobserverTotals& totals() const { return totals_; }
  void learn_with(std::shared_ptr<History> history) { history_ = std::move(history); }

  void brake_with(MemoryMeter brake) {
    brake_ = brake ? std::make_unique<RunBrake>(std::move(brake)) : nullptr;
  }

  std::vector<JobserverView> views() const {
    std::vector<JobserverView> views;
    for (const auto& [id, client] : clients_) views.push_back(view_of(id, client));
    return views;
  }

 private:
  static JobserverView view_of(std::uint64_t id, const Client& client) {
    JobserverView view;
    view.id = id;
    view.key = client.key;
    view.program = client.program;
    view.path = client.fifo.path();
    view.running = client.running;
    view.warm = client.warm;
    view.granted = client.permits.size();
    view.idle = std::min(client.fifo.idle(), view.granted);
    view.debt = client.debt;
    view.asked = client.asked ? 1 : 0;
    view.most_granted = client.most_granted;
    view.granted_ever = client.granted_ever;
    view.suspended = client.suspended;
    view.cost = client.warm ? client.prediction.cost : kUnknownCost;
    view.memory = mean_memory(client.prediction);
    return view;
  }

  void watch(int descriptor) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
  }

  /// While there is debt, every token that comes back wakes this thread, which then races with the
  /// client for it.
  void arm(Client& client) {
    if (!std::exchange(client.armed, true)) watch(client.fifo.descriptor());
  }
  void disarm(Client& client) {
    if (!std::exchange(client.armed, false)) return;
    epoll_ctl(epoll_, EPOLL_CTL_DEL, client.fifo.descriptor(), nullptr);
  }

  void set_timer() {
    const bool needed =
        std::ranges::any_of(clients_, [](const auto& each) { return each.second.running; });
    itimerspec period{};
    if (needed) period.it_interval.tv_nsec = period.it_value.tv_nsec = kLook.count();
    timerfd_settime(timer_, 0, &period, nullptr);
  }

  void receive(TokenMail::Letter letter) {
    const auto found = clients_.find(letter.client);
    // What nobody waits for any more goes back as it is dropped.
    if (found == clients_.end() || found->second.asked != letter.job) return;
    Client& client = found->second;
    client.asked.reset();
    auto* permit = std::get_if<Permit>(&letter.admission);
    if (!permit || client.fifo.put(1) != 1) return;
    client.permits.push_back(std::move(*permit));
    ++client.granted_ever;
    ++totals_.granted;
    client.most_granted = std::max(client.most_granted, client.permits.size());
  }

  void look(TimePoint now) {
    std::vector<TokenClient> seen;
    std::size_t asked = 0;
    Points held{0};
    for (auto& [id, client] : clients_) {
      if (!client.running) continue;
      seen.push_back(look_at(id, client));
      asked += seen.back().asked;
      for (const Permit& each : client.permits) held += each.cost();
    }
    if (seen.empty()) return;
    const TokenPressure pressure = token_pressure(governor_.status(), asked, held);
    for (const TokenDecision& decision : pool_.decide(seen, pressure, now)) {
      carry_out(decision, clients_.at(decision.id));
    }
  }

  TokenClient look_at(std::uint64_t id, Client& client) {
    TokenClient seen;
    seen.id = id;
    seen.granted = client.permits.size();
    seen.idle = idle_of(client);
    seen.asked = client.asked ? 1 : 0;
    seen.most = client.most;
    seen.warm = client.warm && !(brake_ && brake_->holds_any());
    seen.cost = client.permits.empty() ? client.prediction.cost : client.permits.back().cost();
    seen.cost = std::max(seen.cost, Points{1});
    seen.memory = mean_memory(client.prediction);
    return seen;
  }

  /// More than there are: a client has put back what it had not taken. That must not let it run
  /// more than it has permits for.
  std::size_t idle_of(Client& client) {
    const std::size_t idle = client.fifo.idle();
    const std::size_t granted = client.permits.size();
    if (idle <= granted) return idle;
    client.fifo.take(idle - granted);
    if (!std::exchange(client.told_of_surplus, true)) {
      say_(client.program + " put back more tokens than it had taken; they are removed");
    }
    return std::min(client.fifo.idle(), granted);
  }

  void carry_out(const TokenDecision& decision, Client& client) {
    const std::size_t taken = client.fifo.take(decision.take_back);
    client.permits.resize(client.permits.size() - taken);
    client.debt = decision.debt - taken;
    client.debt > 0 ? arm(client) : disarm(client);
    if (decision.ask == TokenDecision::Ask::one_more) ask(decision.id, client);
    if (decision.ask == TokenDecision::Ask::withdraw) withdraw_request(client);
  }

  void ask(std::uint64_t id, Client& client) {
    JobRequest request = request_for(client.key, client.program);
    // The permit may come before its number is known here; only `work` reads the mail.
    auto result =
        governor_.submit(std::move(request), [mail = mail_, id](JobId job, Admission admission) {
          mail->put({id, job, std::move(admission)});
        });
    if (const auto* queued = std::get_if<Queued>(&result)) {
      client.asked = queued->id;
      return;
    }
    const Refusal& refusal = std::get<Refusal>(result);
    // More cannot help, and the queue of this process must not be asked again and again.
    client.most = client.permits.size();
    say_(client.program + " gets no more tokens: " + to_sentence(refusal));
  }

  void withdraw_request(Client& client) {
    if (client.asked) governor_.cancel(*std::exchange(client.asked, std::nullopt));
  }

  void foresee(Client& client) {
    client.prediction = history_->predict(request_for(client.key, client.program));
    client.warm = is_of_its_kind(client.prediction) && has_enough_runs(client);
  }

  /// Runs of one command differ as those of one program do, however few of them there are.
  bool has_enough_runs(const Client& client) const {
    constexpr std::size_t kRunsToSpeak = 3;
    return client.warm || client.prediction.rung != Rung::key ||
           history_->samples(client.key).size() >= kRunsToSpeak;
  }

  void measure(TimePoint now) {
    const std::vector<ProcessFacts> all = read_processes();
    const auto kills = read_host_oom_kills();
    const bool killed = kills && oom_kills_ && *kills > *oom_kills_;
    oom_kills_ = kills;
    for (auto& [id, client] : clients_) {
      if (client.running) measure_one(client, all, killed ? Outcome::oom : Outcome::ok);
    }
    if (brake_) brake(now);
    const bool urgent = brake_ && brake_->is_urgent();
    const Duration took = Clock::now() - now;
    measure_at_ = now + std::max(kMeasure, took * (urgent ? kUrgentMeasurePart : kMeasurePart));
  }

  void brake(TimePoint now) {
    std::vector<BrakedRun> alive;
    std::map<std::uint64_t, Client*> owners;
    for (auto& [id, client] : clients_) {
      const double peak = likely_peak(client.prediction);
      for (const TokenRuns::Run& run : client.alive) {
        alive.push_back({run.number, {run.process, run.started}, run.usage, peak});
        owners[run.process] = &client;
      }
    }
    for (const BrakeAction& action : brake_->look(std::move(alive), now)) {
      const auto owner = owners.find(action.job);
      if (owner == owners.end()) continue;
      if (action.what == BrakeAction::What::suspended) {
        ++owner->second->suspended;
        ++totals_.suspended;
      }
      say_(owner->second->program + ": " + action.sentence());
    }
  }

  /// `worst`: how the largest of the runs that are over may have ended; their parent alone knows.
  void measure_one(Client& client, const std::vector<ProcessFacts>& all, Outcome worst) {
    const auto processes = read_client(all, client.process);
    TokenRuns::Look look = client.runs.look(processes, client.process, since_boot(), tick_length());
    std::ranges::sort(look.ended, std::greater{},
                      [](const TokenRuns::Run& run) { return run.usage.peak_memory; });
    const JobRequest kind = request_for(client.key, client.program);
    Outcome outcome = worst;
    for (const TokenRuns::Run& run : look.ended) {
      learn(client, run, std::exchange(outcome, Outcome::ok));
    }
    for (const TokenRuns::Run& run : look.alive) history_->running(run.number, kind, run.usage);
    client.alive = std::move(look.alive);
    spread(client, memory_of_client(processes));
    foresee(client);
  }

  /// Nobody knows which process runs on which token: each permit stands for its part of the whole.
  static void spread(Client& client, Bytes memory) {
    JobUsage part;
    part.memory = part.peak_memory = Bytes{memory.value / (client.permits.size() + 1)};
    for (Permit& each : client.permits) each.measured(part);
    if (client.measured_slot) client.measured_slot(part);
  }

  void learn(const Client& client, const TokenRuns::Run& run, Outcome outcome) {
    const JobRequest kind = request_for(client.key, client.program);
    JobUsage usage = run.usage;
    if (brake_) usage.wall -= std::min(usage.wall, brake_->suspended_for(run.number, Clock::now()));
    history_->ended(run.number);
    history_->learn(
        sample_of(kind, usage, outcome, mean_memory(client.prediction), unix_seconds()));
  }

  /// What was cut off teaches nothing.
  void finish_runs(const Client& client, Outcome outcome) {
    for (const TokenRuns::Run& run : client.alive) {
      outcome == Outcome::ok ? learn(client, run, outcome) : history_->ended(run.number);
      if (brake_) brake_->gone(run.number);
    }
  }

  Governor& governor_;
  std::shared_ptr<History> history_;
  const Say say_;
  const std::shared_ptr<TokenMail> mail_;
  const int epoll_;
  const int timer_;
  std::map<std::uint64_t, Client> clients_;
  TokenPool pool_;
  JobserverTotals totals_;
  TimePoint measure_at_;
  std::optional<std::uint64_t> oom_kills_;
  std::unique_ptr<RunBrake> brake_;  ///< Null: off.
};

Jobserver::Jobserver(Governor& governor, std::shared_ptr<History> history, Say say,
                     MemoryMeter brake)
    : impl_(
          std::make_unique<Impl>(governor, std::move(history), std::move(say), std::move(brake))) {}
Jobserver::~Jobserver() = default;
int Jobserver::descriptor() const { return impl_->descriptor(); }
void Jobserver::work() { impl_->work(); }
JobRequest Jobserver::slot_request(const JobserverRequest& client) const {
  return impl_->slot_request(client);
}
std::optional<std::string> Jobserver::open(std::uint64_t id, const JobserverRequest& client) {
  return impl_->open(id, client);
}
void Jobserver::begin(std::uint64_t id, pid_t process,
                      std::function<void(const JobUsage&)> measured_slot) {
  impl_->begin(id, process, std::move(measured_slot));
}
std::optional<JobserverEnd> Jobserver::close(std::uint64_t id, Outcome outcome) {
  return impl_->close(id, outcome);
}
std::optional<JobserverView> Jobserver::view(std::uint64_t id) const { return impl_->view(id); }
JobserverTotals Jobserver::totals() const { return impl_->totals(); }
void Jobserver::learn_with(std::shared_ptr<History> history) {
  impl_->learn_with(std::move(history));
}
void Jobserver::brake_with(MemoryMeter brake) { impl_->brake_with(std::move(brake)); }
std::vector<JobserverView> Jobserver::views() const { return impl_->views(); }

}  // namespace sluice

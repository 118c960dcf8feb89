#include "fixture.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "costmodel/history.h"

namespace sluice::testing {

const char* const kSmallWindow =
    "window: {law: rfc, initial: 20, minimum: 20, maximum: 20}\n"
    "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off,\n"
    "          cgroup: off, disk: off, pids: off, starting: off}\n";

bool eventually(const std::function<bool()>& condition) {
  const auto deadline = Clock::now() + kDeadline;
  while (!condition()) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = std::filesystem::temp_directory_path() / "sluice-test-XXXXXX";
  path_ = mkdtemp(name.data());
}

TemporaryFolder::~TemporaryFolder() {
  // A daemon that ends meanwhile removes files of its own in there.
  constexpr int kTries = 10;
  std::error_code failed;
  for (int tried = 0; tried < kTries; ++tried) {
    std::filesystem::remove_all(path_, failed);
    if (!failed) return;
  }
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

GovernorOptions fixed_window(std::int64_t size) {
  GovernorOptions options;
  options.window.law = Law::rfc;
  options.window.initial = options.window.minimum = options.window.maximum = Points{size};
  options.window.threshold = Points{size};
  options.window.interval = std::chrono::milliseconds(10);
  options.starting = Presence::off;
  return options;
}

Bench::Bench(GovernorOptions options, std::size_t most_declared_bytes)
    : governor(std::move(options), {},
               [](const JobRequest& job) { return Points{5 + 5 * job.inventory.value_or(1)}; }) {
  Routes::Callbacks callbacks;
  callbacks.jobs.hand_over = [this](JobId job, Admission admission) {
    const std::lock_guard lock(mutex_);
    handed_over_.emplace_back(job, std::move(admission));
  };
  callbacks.jobs.unwatchable = [this](pid_t) { return watch_problem; };
  callbacks.jobs.watch = [this](JobId job, pid_t process) {
    if (!watch_problem) watched.emplace_back(job.value, process);
    return watch_problem;
  };
  callbacks.jobs.unwatch = [this](JobId job) { unwatched.push_back(job.value); };
  callbacks.jobs.measure_below = [this](JobId job, pid_t process) {
    measured_below.emplace_back(job.value, process);
  };
  callbacks.jobs.ancestors_of = [this](pid_t process) {
    const auto found = ancestors.find(process);
    return found == ancestors.end() ? std::vector<pid_t>{} : found->second;
  };
  callbacks.jobs.process_started = [this](pid_t process) {
    const auto found = started.find(process);
    return found == started.end() ? 1 : found->second;
  };
  callbacks.jobs.witnesses.above = [this](pid_t) { return above; };
  callbacks.jobs.witnesses.beside = [this](pid_t) { return beside; };
  callbacks.jobs.held = [this](JobId job, TimePoint) -> std::optional<Bytes> {
    const auto found = held.find(job.value);
    if (found == held.end()) return std::nullopt;
    return found->second;
  };
  callbacks.jobs.cpu = [this](JobId job, TimePoint) -> std::optional<LeaseCpu> {
    const auto read = cpu.find(job.value);
    return read == cpu.end() ? std::nullopt : std::optional(read->second);
  };
  callbacks.jobs.holders.begin = [this](JobId job, pid_t process) { holders[job.value] = process; };
  callbacks.jobs.holders.over = [this](JobId job) { holders.erase(job.value); };
  callbacks.jobs.holders.lost = [this](JobId, pid_t) { return LostHolder{now, signal, kill}; };
  callbacks.reply = [this](http::ConnectionId connection, http::Response response) {
    replies.emplace_back(connection.value, std::move(response));
  };
  callbacks.reload = [this] { return reload_result; };
  callbacks.daemon_facts = [] {
    DaemonFacts facts;
    facts.socket = "/run/test.sock";
    facts.host_names = {"builder7"};
    return facts;
  };
  callbacks.metrics = [](const Status& status, std::vector<ClientRequests>) {
    return "size " + std::to_string(status.size.value) + "\n";
  };
  callbacks.operated = [](std::string_view) {};
  callbacks.jobs.most_declared_bytes = most_declared_bytes;
  callbacks.is_jqm_compatible = [](std::string_view manager) { return manager == "jqm"; };
  history = std::make_shared<History>(CostOptions{}, ReservationOptions{}, nullptr);
  jobserver = std::make_unique<jobserver::Server>(governor, history, [](const std::string&) {});
  callbacks.jobserver = jobserver.get();
  callbacks.jobserver_folder = folder.path("");
  callbacks.jobs.faults = &faults;
  callbacks.reserve = &reserve;
  routes = std::make_unique<Routes>(governor, std::move(callbacks));
}

std::optional<http::Response> Bench::ask(const std::string& method, const std::string& target,
                                         const std::string& body, std::uint64_t connection) {
  http::Request request;
  request.method = method;
  request.target = target;
  request.body = body;
  request.connection = http::ConnectionId{connection};
  request.peer.pid = 4242;
  request.peer.user = 0;
  return ask(request);
}

std::optional<http::Response> Bench::ask(http::Request request) {
  return routes->handle(request, {now, std::chrono::system_clock::now()});
}

void Bench::pump() {
  std::deque<std::pair<JobId, Admission>> taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(handed_over_);
  }
  for (auto& [job, admission] : taken) routes->jobs().admitted(job, std::move(admission), now);
}

bool Bench::pump_until(const std::function<bool()>& condition) {
  return eventually([&] {
    pump();
    return condition();
  });
}

RunningDaemon::RunningDaemon(const std::string& yaml, http::Limits limits, MemoryMeter memory,
                             std::function<void(Config&)> amend)
    : config_file(folder.path("sluice.yaml")) {
  write_file(config_file, yaml.empty() ? kSmallWindow : yaml);
  ServeOptions options;
  auto config = read_config(config_file, 2);
  if (auto* errors = std::get_if<std::vector<ConfigError>>(&config)) {
    throw std::runtime_error(to_string(errors->front()));
  }
  options.config = std::move(std::get<Config>(config));
  if (amend) amend(options.config);
  options.amend = std::move(amend);
  options.config_file = config_file;
  options.socket = folder.path("sluice.sock");
  options.listen = "127.0.0.1:0";
  options.limits = limits;
  options.memory = std::move(memory);
  daemon_ = std::make_unique<Daemon>(std::move(options), [this](LogLevel, std::string_view line) {
    const std::lock_guard lock(mutex_);
    log_.append(line).append("\n");
  });
  thread_ = std::thread([this] { daemon_->run(); });
}

RunningDaemon::~RunningDaemon() { stop(); }

void RunningDaemon::stop() {
  if (!thread_.joinable()) return;
  daemon_->stop();
  thread_.join();
}

Client RunningDaemon::client() const {
  auto connected = Client::connect(socket());
  if (auto* problem = std::get_if<std::string>(&connected)) throw std::runtime_error(*problem);
  return std::move(std::get<Client>(connected));
}

ClientReply RunningDaemon::ask(const std::string& method, const std::string& target,
                               const std::string& body) const {
  Client connection = client();
  auto result = connection.call(method, target, body);
  if (auto* problem = std::get_if<std::string>(&result)) return {0, *problem};
  return std::get<ClientReply>(result);
}

std::string RunningDaemon::log() const {
  const std::lock_guard lock(mutex_);
  return log_;
}

}  // namespace sluice::testing

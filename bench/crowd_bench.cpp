// A thousand clients connected to a real daemon and ten thousand pending jobs: measures the latency
// of a submit, and the memory left in use after all are gone.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptors.h"
#include "base/process_table.h"
#include "base/shell_command.h"
#include "client/client.h"
#include "sluice/units.h"
#include "timing.h"

namespace {
using sluice::Client;
using sluice::Clock;
using sluice::milliseconds_since;
using sluice::quantile;

constexpr int kClients = 1000, kJobsEach = 10, kMore = 10;

/// A daemon with default options, except for disabled sensors: a busy host must not close the
/// window.
constexpr const char* kConfig =
    "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off, "
    "cgroup: off, disk: off, pids: off}\n"
    "service: {listen: off}\n";

double mebibytes_of(pid_t process) {
  const auto memory = sluice::read_process_memory(process).value_or(sluice::ProcessMemory{});
  return static_cast<double>(memory.own.value + memory.shared.value) / (1 << 20);
}

class RealDaemon {
 public:
  RealDaemon(const std::string& folder, const std::string& more) : socket(folder + "/sluice.sock") {
    const std::string config = folder + "/sluice.yaml";
    std::ofstream(config) << kConfig << more;
    const std::vector<std::string> command{SLUICE_COMMAND, "serve",    "--config",
                                           config,         "--socket", socket};
    const std::vector<char*> arguments = sluice::pointers_to(command);
    posix_spawn_file_actions_t silent;
    posix_spawn_file_actions_init(&silent);
    posix_spawn_file_actions_addopen(&silent, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn(&process, arguments[0], &silent, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&silent);
    while (!std::holds_alternative<Client>(Client::connect(socket))) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ~RealDaemon() {
    kill(process, SIGTERM);
    waitpid(process, nullptr, 0);
  }
  RealDaemon(const RealDaemon&) = delete;
  RealDaemon& operator=(const RealDaemon&) = delete;

  const std::string socket;
  pid_t process = 0;
};

/// Submits `jobs` jobs from each client in [first, last) and appends their latencies to `times`.
void submit(std::vector<Client>& clients, std::size_t first, std::size_t last, int jobs,
            std::vector<double>& times) {
  for (int n = 0; n < jobs; ++n) {
    for (std::size_t at = first; at < last; ++at) {
      const auto start = Clock::now();
      clients[at].call("POST", "/v1/jobs",
                       R"({"key":"g++:t#_heavy.cpp:df08fd8e","cost":5,"hold":"connection"})");
      times.push_back(milliseconds_since(start));
    }
  }
}

/// The same from several threads at once, each with its own clients.
std::vector<double> submit(std::vector<Client>& clients, std::size_t threads, int jobs) {
  std::vector<std::vector<double>> times(threads);
  std::vector<std::thread> running;
  for (std::size_t n = 0; n < threads; ++n) {
    running.emplace_back([&, n] {
      submit(clients, n * clients.size() / threads, (n + 1) * clients.size() / threads, jobs,
             times[n]);
    });
  }
  for (std::thread& each : running) each.join();
  std::vector<double> all;
  for (const auto& each : times) all.insert(all.end(), each.begin(), each.end());
  return all;
}

void tell(const char* what, std::vector<double> times) {
  std::printf("  %-34s p50 %6.3f ms   p99 %6.3f ms   most %7.3f ms\n", what, quantile(times, .5),
              quantile(times, .99), quantile(times, 1));
}

std::vector<Client> connect(const std::string& socket, std::size_t count) {
  std::vector<Client> clients;
  while (clients.size() < count) {
    auto connected = Client::connect(socket);
    if (auto* client = std::get_if<Client>(&connected)) clients.push_back(std::move(*client));
  }
  return clients;
}

/// Waits until nothing runs or is pending, and three more seconds. Returns the milliseconds.
double wait_until_idle(const std::string& socket) {
  const auto start = Clock::now();
  auto asking = Client::connect(socket);
  while (milliseconds_since(start) < 20000) {
    const auto reply = std::get<Client>(asking).call("GET", "/v1/jobs?limit=1");
    const auto* jobs = std::get_if<sluice::ClientReply>(&reply);
    if (jobs && jobs->body.find("\"running\":0,\"pending\":0") != std::string::npos) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const double took = milliseconds_since(start);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  return took;
}

void measure(const std::string& folder, const std::string& more) {
  const RealDaemon daemon(folder, more);
  {
    // Warm up: its code is in memory, and it remembers the last jobs that ended.
    std::vector<Client> few = connect(daemon.socket, 20);
    submit(few, 1, 100);
  }
  wait_until_idle(daemon.socket);
  const double before = mebibytes_of(daemon.process);
  {
    std::vector<Client> clients = connect(daemon.socket, kClients);
    tell("while the queue fills, one at a time", submit(clients, 1, kJobsEach));
    std::printf("  %d clients, %d jobs: %.1f MiB\n", kClients, kClients * kJobsEach,
                mebibytes_of(daemon.process));
    tell("10,000 wait, one at a time", submit(clients, 1, kMore));
    tell("20,000 wait, 16 at a time", submit(clients, 16, kMore));
    std::printf("  %d jobs: %.1f MiB\n", kClients * (kJobsEach + 2 * kMore),
                mebibytes_of(daemon.process));
  }
  std::printf("  all gone after %.0f ms\n", wait_until_idle(daemon.socket));
  const double after = mebibytes_of(daemon.process);
  std::printf("  memory before %.1f MiB, after %.1f MiB: %+.0f %% (goal +10 %%)\n", before, after,
              100 * (after / before - 1));
}

}  // namespace

int main() {
  std::string folder = std::filesystem::temp_directory_path() / "sluice-bench-XXXXXX";
  if (!mkdtemp(folder.data())) return 1;
  sluice::raise_descriptor_limit();
  std::printf("submit -> answer with %d clients connected (goal: p99 5 ms)\nfrom memory\n",
              kClients);
  measure(folder, "");
  std::printf("with a state_dir\n");
  measure(folder, "state_dir: " + folder + "/state\n");
  std::filesystem::remove_all(folder);
  return 0;
}

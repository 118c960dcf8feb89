// The cost to a client: submit, admission and finish over one kept connection, and `sluice run`
// against the bare command.
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/shell_command.h"
#include "client/client.h"
#include "service/daemon/daemon.h"
#include "timing.h"

namespace {
using sluice::Client;
using sluice::Clock;
using sluice::microseconds_since;
using sluice::quantile;

constexpr int kRounds = 20000;
constexpr int kCommands = 300;

bool round_trip(Client& client) {
  const auto submitted =
      client.call("POST", "/v1/jobs?wait=30s", R"({"id":"bench","cost":5,"hold":"connection"})");
  const auto* admitted = std::get_if<sluice::ClientReply>(&submitted);
  const auto finished = client.call("DELETE", "/v1/jobs/bench");
  return admitted && admitted->status == 201 &&
         admitted->body.find("\"running\"") != std::string::npos &&
         std::holds_alternative<sluice::ClientReply>(finished);
}

int measure_round_trips(const std::string& socket) {
  auto connected = Client::connect(socket);
  if (!std::holds_alternative<Client>(connected)) return 1;
  Client& client = std::get<Client>(connected);
  for (int n = 0; n < 1000; ++n) round_trip(client);
  std::vector<double> times;
  for (int n = 0; n < kRounds; ++n) {
    const auto start = Clock::now();
    if (!round_trip(client)) return 1;
    times.push_back(microseconds_since(start));
  }
  std::printf("submit -> admitted -> finish, one kept connection, %d rounds\n", kRounds);
  std::printf("  p50 %6.1f us (goal 60)   p99 %6.1f us (goal 250)\n", quantile(times, .5),
              quantile(times, .99));
  return 0;
}

double run_once(const std::vector<std::string>& command) {
  const std::vector<char*> arguments = sluice::pointers_to(command);
  const auto start = Clock::now();
  pid_t child = 0;
  if (posix_spawn(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) {
    return 0;
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) std::printf("  %s ended with %d\n", arguments[0], status);
  return microseconds_since(start) / 1000;
}

void measure_run(const std::string& socket) {
  std::vector<double> bare;
  std::vector<double> governed;
  for (int n = 0; n < kCommands; ++n) {
    bare.push_back(run_once({"/bin/true"}));
    governed.push_back(
        run_once({SLUICE_COMMAND, "run", "--socket", socket, "--cost", "5", "--", "/bin/true"}));
  }
  const double plain = quantile(bare, .5);
  const double ours = quantile(governed, .5);
  std::printf("sluice run -- true, median of %d, interleaved with the bare command\n", kCommands);
  std::printf("  bare %.2f ms   governed %.2f ms   more by %.2f ms (goal 3)\n", plain, ours,
              ours - plain);
}

}  // namespace

int main() {
  std::string folder = std::filesystem::temp_directory_path() / "sluice-bench-XXXXXX";
  if (!mkdtemp(folder.data())) return 1;
  sluice::ServeOptions options;
  options.socket = folder + "/sluice.sock";
  options.listen = "";
  // A busy host must not close the measured window.
  for (sluice::SensorSettings* sensor : std::initializer_list<sluice::SensorSettings*>{
           &options.config.governing.sensors.load,
           &options.config.governing.sensors.memory_pressure,
           &options.config.governing.sensors.io_pressure, &options.config.governing.sensors.disk,
           &options.config.governing.sensors.cgroup, &options.config.governing.sensors.memory}) {
    sensor->presence = sluice::Presence::off;
  }
  int status = 1;
  try {
    sluice::Daemon daemon(std::move(options), [](sluice::LogLevel, std::string_view) {});
    std::thread serving([&] { daemon.run(); });
    status = measure_round_trips(daemon.socket());
    measure_run(daemon.socket());
    daemon.stop();
    serving.join();
  } catch (const sluice::CannotServe& problem) {
    std::printf("%s\n", problem.what());
  }
  std::filesystem::remove_all(folder);
  return status;
}

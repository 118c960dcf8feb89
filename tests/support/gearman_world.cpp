#include "gearman_world.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <sstream>

#include "contents.h"

namespace sluice::testing {
namespace {

constexpr const char* kGearman = "/usr/bin/gearman";

/// The path to which ./test unpacks it, or where it is installed.
std::string gearmand() {
  const std::string unpacked = SLUICE_SOURCE "/build/tools/gearmand/usr/sbin/gearmand";
  return access(unpacked.c_str(), X_OK) == 0 ? unpacked : "/usr/sbin/gearmand";
}

sockaddr_in loopback(const std::string& port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
  return address;
}

std::unique_ptr<CommandRunner> shell(const std::string& line, const TemporaryFolder& folder) {
  return std::make_unique<CommandRunner>(std::vector<std::string>{"/bin/sh", "-c", line},
                                         folder.path("."));
}

}  // namespace

std::string free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback("0");
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(socket, reinterpret_cast<sockaddr*>(&address), size), 0);
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  close(socket);
  return std::to_string(ntohs(address.sin_port));
}

std::string ask_gearmand(const std::string& port, const std::string& line) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{5, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const sockaddr_in address = loopback(port);
  std::string answer;
  if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const std::string bytes = line + "\n";
    send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    char chunk[4096];
    while (!answer.ends_with(".\n")) {
      const ssize_t count = recv(socket, chunk, sizeof chunk, 0);
      if (count <= 0) break;
      answer.append(chunk, static_cast<std::size_t>(count));
    }
  }
  close(socket);
  return answer;
}

std::string Gearmand::missing() {
  for (const std::string& program : {gearmand(), std::string(kGearman)}) {
    if (access(program.c_str(), X_OK) != 0) return program + " is not there";
  }
  return "";
}

Gearmand::Gearmand() : port_(free_port()) { start(); }

void Gearmand::start() {
  process_ = std::make_unique<CommandRunner>(
      std::vector<std::string>{gearmand(), "--listen=127.0.0.1", "--port=" + port_,
                               "--log-file=" + folder_.path("log"), "--queue-type=libsqlite3",
                               "--libsqlite3-db=" + folder_.path("queue.sqlite")},
      folder_.path("."));
  EXPECT_TRUE(eventually([&] { return !ask_gearmand(port_, "status").empty(); })) << log();
}

void Gearmand::kill() {
  ::kill(process_->pid(), SIGKILL);
  process_->wait();
}

void Gearmand::stop() {
  ::kill(process_->pid(), SIGTERM);
  process_->wait();
}

std::string Gearmand::log() const { return contents_of(folder_.path("log")) + process_->err(); }

Gearmand::Counts Gearmand::counts(const std::string& function) const {
  std::istringstream lines(ask_gearmand(port_, "status"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(function + "\t")) continue;
    Counts counts;
    std::istringstream(line.substr(function.size())) >> counts.total >> counts.running >>
        counts.workers;
    return counts;
  }
  return {};
}

GearmanExecutor::GearmanExecutor(const std::string& sources, int window,
                                 const std::string& service) {
  const std::string size = std::to_string(window);
  write_file(folder.path("sluice.yaml"),
             "window: {law: rfc, initial: " + size + ", minimum: " + size + ", maximum: " + size +
                 ", dwell: 10ms}\n" +
                 "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, "
                 "io_pressure: off, cgroup: off, disk: off, pids: off, starting: off}\n"
                 "cost: {model: formula}\nmemory: {brake: off, prior: 1MiB}\n"
                 "service: {listen: off" +
                 service + "}\nwork_sources:\n" + sources);
  process_ = std::make_unique<CommandRunner>(
      std::vector<std::string>{SLUICE_COMMAND, "serve", "--config", folder.path("sluice.yaml"),
                               "--socket", folder.path("socket")},
      folder.path("."));
  EXPECT_TRUE(eventually([&] { return log().find("serves on") != std::string::npos; })) << log();
}

std::string GearmanExecutor::worker(const Gearmand& server, const std::string& script,
                                    const std::string& more) {
  std::string quoted;
  for (const char c : script) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return "  - {kind: gearman, servers: [\"127.0.0.1:" + server.port() +
         "\"], functions: {work: [/bin/sh, -c, '" + quoted + "']}" + more + "}\n";
}

void GearmanExecutor::kill() {
  ::kill(process_->pid(), SIGKILL);
  process_->wait();
}

void GearmanExecutor::tell(int signal) const { ::kill(process_->pid(), signal); }

ClientReply GearmanExecutor::ask(const std::string& method, const std::string& target) const {
  auto client = Client::connect(folder.path("socket"));
  if (const auto* problem = std::get_if<std::string>(&client)) return {0, *problem};
  auto reply = std::get<Client>(client).call(method, target);
  if (const auto* problem = std::get_if<std::string>(&reply)) return {0, *problem};
  return std::get<ClientReply>(reply);
}

void GearmanExecutor::drain() { EXPECT_EQ(ask("POST", "/v1/drain").status, 200); }

std::int64_t GearmanExecutor::usage() const {
  const ClientReply reply = ask("GET", "/v1/status");
  if (reply.status != 200) return -1;
  return boost::json::parse(reply.body).at("window").at("usage").to_number<std::int64_t>();
}

Submission::Submission(const Gearmand& server, const std::string& function,
                       const std::string& payload, const std::string& options) {
  write_file(folder_.path("payload"), payload);
  process_ = shell("exec " + std::string(kGearman) + " -h 127.0.0.1 -p " + server.port() + " -f " +
                       function + " " + options + " < " + folder_.path("payload"),
                   folder_);
}

int lines_in(const std::string& path) {
  const std::string text = contents_of(path);
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace sluice::testing

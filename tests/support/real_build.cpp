#include "real_build.h"

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <sstream>

#include "client/client.h"
#include "contents.h"

namespace sluice::testing {
namespace json = boost::json;

const char* const kTwoAtOnce =
    "window: {law: adaptive, initial: 1000, minimum: 1000, maximum: 1000}\n"
    "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off,\n"
    "          cgroup: off, disk: off, pids: off, starting: off}\n"
    "resources: {compilers: {total: 2}}\n"
    "queues: {default: {resources: [compilers]}}\n";

ServingProcess::ServingProcess(const std::string& home, const std::string& yaml)
    : home_(home), socket_(home + "/sluice.sock") {
  std::filesystem::create_directories(home + "/state");
  write_file(home + "/sluice.yaml", yaml + "state_dir: " + home + "/state\n");
  start();
}

void ServingProcess::start() {
  daemon_ = std::make_unique<CommandRunner>(
      std::vector<std::string>{SLUICE_COMMAND, "serve", "--config", home_ + "/sluice.yaml",
                               "--socket", socket_, "--listen", "off"},
      home_);
  eventually([&] { return std::holds_alternative<Client>(Client::connect(socket_)); });
}

void ServingProcess::restart() {
  kill(SIGTERM);
  daemon_->wait();
  start();
}

void ServingProcess::kill(int number) const { ::kill(daemon_->pid(), number); }

void ServingProcess::destroy() {
  kill(SIGKILL);
  daemon_->wait();
}

std::vector<std::string> ServingProcess::states() const {
  auto client = Client::connect(socket_);
  if (!std::holds_alternative<Client>(client)) return {};
  const auto reply = std::get<Client>(client).call("GET", "/v1/jobs");
  const auto* answer = std::get_if<ClientReply>(&reply);
  if (!answer) return {};
  std::vector<std::string> states;
  const json::value jobs = json::parse(answer->body);
  for (const json::value& job : jobs.at("jobs").as_array()) {
    states.emplace_back(job.at("state").as_string());
  }
  return states;
}

std::size_t ServingProcess::count(const std::string& state) const {
  const auto all = states();
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), state));
}

RealBuild::RealBuild(std::string folder) : folder_(std::move(folder)) {
  std::filesystem::create_directories(path("bin"));
  write_file(path("uses"), "");
}

void RealBuild::add_compiler(const std::string& name, const std::string& real,
                             const std::string& before) {
  const std::string file = path("bin/" + name);
  write_file(file,
             "#!/bin/sh\n"
             "case \" $* \" in *' -c '*) counts=yes ;; esac\n"
             "[ -z \"$counts\" ] || echo + >>'" +
                 path("uses") + "'\n" + before + "\n" + real +
                 " \"$@\"\n"
                 "status=$?\n"
                 "[ -z \"$counts\" ] || echo - >>'" +
                 path("uses") +
                 "'\n"
                 "exit $status\n");
  chmod(file.c_str(), 0755);
}

void RealBuild::add_sources(const std::vector<std::string>& names) {
  std::string objects, sources;
  for (const std::string& name : names) {
    write_file(path(name + ".c"), "int " + name + "(void) { return 0; }\n");
    objects += " " + name + ".o";
    sources += " " + name + ".c";
  }
  write_file(path("main.c"), "int main(void) { return 0; }\n");
  write_file(path("Makefile"), "prog: main.o" + objects + "\n\t$(CC) -o $@ $^\n");
  write_file(path("CMakeLists.txt"),
             "cmake_minimum_required(VERSION 3.21)\nproject(example C)\n"
             "add_executable(prog main.c" +
                 sources + ")\n");
}

RealBuild::Use RealBuild::use() const {
  Use use;
  int now = 0;
  std::istringstream lines(contents_of(path("uses")));
  for (std::string line; std::getline(lines, line);) {
    now += line == "+" ? 1 : -1;
    use.all += line == "+" ? 1 : 0;
    use.most = std::max(use.most, now);
  }
  return use;
}

}  // namespace sluice::testing

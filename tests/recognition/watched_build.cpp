#include "watched_build.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <utility>

#include "base/process_table.h"
#include "recognition/process_facts.h"

namespace sluice::testing {

const std::string kCompiler =
    "#!/usr/bin/env python3\n"
    "import os, sys, time\n"
    "def note(what):\n"
    "    with open('uses', 'a') as uses: uses.write(what + '\\n')\n"
    "def compute(seconds):\n"
    "    end = time.monotonic() + seconds\n"
    "    while time.monotonic() < end:\n"
    "        sum(range(200000))\n"
    "        time.sleep(0.02)\n"
    "compute(float(os.environ.get('SEEN_WITHIN', '0.3')))\n"
    "note('+')\n"
    "compute(float(os.environ.get('TAKES', '0.3')))\n"
    "open(sys.argv[-1], 'w').close()\n"
    "note('-')\n";

const char* const kOneAtOnce =
    "window: {law: adaptive, initial: 1000, minimum: 1000, maximum: 1000}\n"
    "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: off,\n"
    "          cgroup: off, disk: off, pids: off, starting: off}\n"
    "resources: {compilers: {total: 1}}\n"
    "queues: {default: {resources: [compilers]}}\n";

WatchedBuild::WatchedBuild(const char* yaml) : build(folder.path("build")) {
  for (const char* name :
       {"SLUICE_PERMIT", "SLUICE_JOBSERVER", "MAKEFLAGS", "SEEN_WITHIN", "TAKES"}) {
    unsetenv(name);
  }
  std::filesystem::create_directory(folder.path("daemon"));
  daemon = std::make_unique<ServingProcess>(folder.path("daemon"), yaml);
  add_program("cc1", kCompiler);
}

WatchedBuild::~WatchedBuild() {
  unsetenv("TAKES");
  unsetenv("SEEN_WITHIN");
}

void WatchedBuild::add_program(const std::string& name, const std::string& text) const {
  std::filesystem::create_directories(std::filesystem::path(build.path(name)).parent_path());
  write_file(build.path(name), text);
  chmod(build.path(name).c_str(), 0755);
}

void WatchedBuild::add_lock_programs() const {
  const std::pair<const char*, const char*> kinds[] = {
      {"file", "fcntl.flock(file, fcntl.LOCK_EX)\n"},
      {"ofd",
       "fcntl.fcntl(file, fcntl.F_OFD_SETLKW, struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 0, 0, 0))"
       "\n"}};
  for (const auto& [kind, call] : kinds) {
    const std::string head =
        "#!/usr/bin/env python3\nimport fcntl, os, struct, sys, time\nfile = open('lock', 'w')\n";
    add_program(kind + std::string("/cc1"),
                head + "open('started', 'w').close()\n" +
                    "until = time.monotonic() + 20\n"
                    "while not os.path.exists('taken') and time.monotonic() < until: "
                    "time.sleep(0.01)\n" +
                    call);
    add_program(kind + std::string("/flock"), head + call +
                                                  "os.set_inheritable(file.fileno(), True)\n"
                                                  "open('taken', 'w').close()\n"
                                                  "os.execvp(sys.argv[1], sys.argv[1:])\n");
  }
}

void WatchedBuild::add_makefile(int count) const {
  std::string objects;
  for (int at = 0; at < count; ++at) objects += " o" + std::to_string(at);
  write_file(build.path("Makefile"), "all:" + objects + "\no%:\n\t@./cc1 s$*.c -o $@\n");
}

std::vector<std::string> WatchedBuild::watched(const std::string& line) const {
  return {WATCHED_BUILD, daemon->socket(),
          GetParam(),    "sh",
          "-c",          "cd " + build.path("") + " || exit; " + line};
}

Answer WatchedBuild::run(const std::string& line) const {
  std::string command = "timeout 60";
  for (const std::string& word : watched(line)) command += " '" + word + "'";
  return answer_of(command);
}

int WatchedBuild::number(const Answer& answer, const std::string& name) {
  const std::size_t at = answer.text.rfind(name + " ");
  return at == std::string::npos ? -1 : std::stoi(answer.text.substr(at + name.size() + 1));
}

int WatchedBuild::times_said_to_go_on(const Answer& answer) {
  const std::string part = " continues without a permit: ";
  int times = 0;
  for (std::size_t at = 0; (at = answer.text.find(part, at)) != std::string::npos; ++at) ++times;
  return times;
}

bool WatchedBuild::all_returned() const {
  return eventually([&] { return daemon->states().empty(); });
}

pid_t WatchedBuild::first_child_of(pid_t parent) {
  for (const ProcessFacts& each : read_processes()) {
    if (each.parent == parent) return each.pid;
  }
  return 0;
}

std::size_t WatchedBuild::stopped() const {
  const std::string inside = std::filesystem::canonical(build.path("")).string();
  std::size_t count = 0;
  for (const ProcessFacts& each : read_processes()) {
    if (each.is_stopped() && read_working_directory(each.pid) == inside) ++count;
  }
  return count;
}

}  // namespace sluice::testing

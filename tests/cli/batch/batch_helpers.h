#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "contents.h"

namespace sluice::cli {

using testing::contents_of;

/// Waits for a condition. Returns false after 30 s.
inline bool in_time(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

/// Whether the process does not exist or only remains to be reaped.
inline bool is_gone(const std::string& pid) {
  const std::string stat = contents_of("/proc/" + pid + "/stat");
  const std::size_t name = stat.rfind(") ");
  return name == std::string::npos || stat[name + 2] == 'Z';
}

/// `sluice batch` in a folder of its own, with a constant window.
class BatchCalled : public ::testing::Test {
 protected:
  struct Answer {
    int status;  ///< -1 if a signal ended it.
    std::string out, err;
  };

  BatchCalled() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sluice-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    write("sluice.yaml",
          "window: {initial: 200, minimum: 200, maximum: 200}\n"
          "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off,\n"
          "          io_pressure: off, cgroup: off, disk: off, pids: off, starting: off}\n");
  }
  ~BatchCalled() override { std::filesystem::remove_all(folder_); }

  /// A window in which very many jobs fit, whatever they use.
  void widen_window() const {
    std::string config = read("sluice.yaml");
    const std::string window = "{initial: 200, minimum: 200, maximum: 200}";
    config.replace(config.find(window), window.size(),
                   "{law: rfc, initial: 6000, minimum: 6000, maximum: 6000}");
    write("sluice.yaml", config);
  }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const { return contents_of(path(name)); }
  bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }

  /// The shell command, run in the folder, with output in the files `out` and `err`.
  std::string line(const std::string& arguments) const {
    return "cd " + folder_ +
           " && exec " SLUICE_COMMAND " batch --config sluice.yaml --state-dir state " + arguments +
           " >out 2>err <in";
  }

  Answer batch(const std::string& arguments, const std::string& input = "") const {
    write("in", input);
    const int status = system(line(arguments).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("out"), read("err")};
  }

  /// Starts it and returns its process.
  pid_t begin(const std::string& arguments, const std::string& input = "") const {
    write("in", input);
    const std::string text = line(arguments);
    const pid_t pid = fork();
    if (pid != 0) return pid;
    execl("/bin/sh", "sh", "-c", text.c_str(), nullptr);
    _exit(99);
  }

  std::string folder_;
};

}  // namespace sluice::cli

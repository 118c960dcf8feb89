#pragma once

#include <gtest/gtest.h>
#include <sluice.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace sluice::capi {

/// A configuration in a file, gone with this object.
class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text) {
    close(mkstemp(path_.data()));
    std::ofstream(path_) << text;
  }
  ~ConfigFile() { unlink(path_.c_str()); }
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;
  const char* path() const { return path_.c_str(); }

 private:
  std::string path_ = "/tmp/sluice_capi_XXXXXX";
};

/// A window of 40 points, whatever else this host does.
inline std::string quiet(const std::string& more = "") {
  return "window: {law: rfc, initial: 40, minimum: 40, maximum: 40, dwell: 1ms, interval: 50ms}\n"
         "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off,\n"
         "          io_pressure: off, cgroup: off, disk: off, pids: off, starting: off}\n"
         "cost: {model: formula}\n" +
         more;
}

/// A governor through sluice.h.
class QuietGovernor {
 public:
  explicit QuietGovernor(const std::string& more = "",
                         sluice_governor_options options = SLUICE_GOVERNOR_OPTIONS_INIT) {
    const ConfigFile file(quiet(more));
    options.config_file = file.path();
    code = sluice_govern(&options, &handle, &error);
  }
  ~QuietGovernor() { sluice_governor_destroy(handle, nullptr); }
  QuietGovernor(const QuietGovernor&) = delete;
  QuietGovernor& operator=(const QuietGovernor&) = delete;

  sluice_error error = SLUICE_ERROR_INIT;
  sluice_code code = SLUICE_OK;
  sluice_governor* handle = nullptr;
};

class Job {
 public:
  explicit Job(const sluice_job_options& options) {
    EXPECT_EQ(sluice_job_create(&options, &handle, nullptr), SLUICE_OK);
  }
  explicit Job(std::int64_t cost) : Job(costing(cost)) {}
  ~Job() { sluice_job_destroy(handle, nullptr); }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  static sluice_job_options costing(std::int64_t cost) {
    sluice_job_options options = SLUICE_JOB_OPTIONS_INIT;
    options.cost = cost;
    return options;
  }

  sluice_job* handle = nullptr;
};

}  // namespace sluice::capi

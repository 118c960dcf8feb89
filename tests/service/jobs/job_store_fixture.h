#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "fixture.h"
#include "service/jobs/job_store.h"

namespace sluice::testing::job_store_test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Boot = StoredState::Boot;

inline StoredJob pending(std::uint64_t number) {
  StoredJob stored;
  stored.job.id = JobId{number};
  stored.job.request.id = "job-" + std::to_string(number);
  stored.job.cost = Points{5};
  stored.job.arrived = Clock::now() - 90s;
  stored.job.order = {number, static_cast<std::int64_t>(number), 0};
  return stored;
}

inline StoredJob running(std::uint64_t number) {
  StoredJob stored = pending(number);
  stored.job.admitted = Clock::now() - 30s;
  stored.job.items = {{"ports", {"p1", "p3"}}};
  stored.lease.process = LeaseProcess{42, 123456789};
  stored.lease.heartbeat = 60s;
  stored.lease.renewed = Clock::now();
  return stored;
}

class JobStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<JobStore> open(const std::string& boot = "boot-1") {
    return open_job_store(folder_, boot, [this](const std::string& line) { said_ += line + "\n"; });
  }
  StoredState load(const std::string& boot = "boot-1") { return open(boot)->load(); }
  std::string database() const { return folder_ + "/jobs.db"; }
  bool said(const std::string& part) const { return said_.find(part) != std::string::npos; }

  TemporaryFolder around_;
  std::string folder_ = around_.path("state");
  std::string said_;
};

}  // namespace sluice::testing::job_store_test

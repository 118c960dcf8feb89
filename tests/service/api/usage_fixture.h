#pragma once

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "costmodel/history.h"
#include "fixture.h"

namespace sluice::testing::usage_test {

namespace json = boost::json;
using namespace std::chrono_literals;

inline json::object body_of(const std::optional<http::Response>& response) {
  return json::parse(response->body).as_object();
}

/// The API with a history.
class UsageRoutes : public ::testing::Test {
 protected:
  UsageRoutes() { bench.routes->jobs().usages().learn_with(history); }

  json::object submit(const std::string& body) {
    return body_of(bench.ask("POST", "/v1/jobs", body));
  }
  Prediction next(const std::string& key) const {
    JobRequest job;
    job.key = key;
    job.measured = true;
    return history->predict(job);
  }

  std::shared_ptr<History> history =
      std::make_shared<History>(CostOptions{}, ReservationOptions{}, nullptr);
  Bench bench;
};

inline constexpr const char* kUsage =
    R"({"usage": {"wall": 10, "cpu": 25.5, "memory": 1000, "peak_memory": 4000, "read": 7}})";

}  // namespace sluice::testing::usage_test

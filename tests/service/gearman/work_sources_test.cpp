#include "service/gearman/work_sources.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <stdexcept>

#include "service/gearman/worker.h"

namespace sluice::gearman {
namespace {

GearmanOptions options() {
  GearmanOptions options;
  options.servers = {"127.0.0.1:4730"};
  options.functions = {{"executor:execute", {"/usr/bin/run-job"}}};
  options.always = {{"executor:stop:{host}", {"/usr/bin/stop-job"}}};
  return options;
}

std::vector<std::string> names(const std::vector<Service>& services) {
  std::vector<std::string> names;
  for (const Service& service : services) names.push_back(service.name);
  return names;
}

TEST(GearmanServices, AreNamedForTheirZoneAndHost) {
  GearmanOptions given = options();
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(governed_services(given, "ci1")), Names{"executor:execute"});
  EXPECT_EQ(names(constant_services(given, "ci1")), Names{"executor:stop:ci1"});
  given.zone = "eu-west";
  EXPECT_EQ(names(governed_services(given, "ci1")), Names{"executor:execute:eu-west"});
  EXPECT_EQ(names(constant_services(given, "ci1")), Names{"executor:stop:ci1"});
  given.unzoned = true;
  EXPECT_EQ(names(governed_services(given, "ci1")),
            (Names{"executor:execute:eu-west", "executor:execute"}));
  for (const Service& service : governed_services(given, "ci1")) {
    EXPECT_EQ(service.key, "executor:execute");
    EXPECT_EQ(service.command, std::vector<std::string>{"/usr/bin/run-job"});
  }
}

TEST(GearmanServices, GiveTheirJobsNoneButTheVariablesThatAreNamed) {
  GearmanOptions given = options();
  EXPECT_TRUE(inherited_variables(given)->contains("PATH"));
  EXPECT_FALSE(inherited_variables(given)->contains("NOTIFY_SOCKET"));
  given.environment = {};
  EXPECT_TRUE(inherited_variables(given)->empty());
  given.environment = {"PATH", "*"};
  EXPECT_FALSE(inherited_variables(given));
}

TEST(WorkSources, DoNotTakeCommandsFromPayloadsAsRoot) {
  boost::asio::io_context context;
  GearmanOptions given = options();
  given.trust_payload = true;
  const auto make = [&] { WorkSources sources(context, {given}, [](LogLevel, auto) {}); };
  if (geteuid() != 0) GTEST_SKIP() << "only root is refused";
  EXPECT_THROW(make(), std::invalid_argument);
}

TEST(WorkSources, RefuseFunctionsWhoseNamesNoServerTakes) {
  boost::asio::io_context context;
  GearmanOptions given = options();
  given.functions = {{std::string(300, 'f'), {"x"}}};
  given.zone = std::string(300, 'z');
  EXPECT_THROW(Worker(context, given, [](LogLevel, auto) {}), std::invalid_argument);
}

TEST(WorkSources, AreNoneByDefault) {
  boost::asio::io_context context;
  WorkSources sources(context, {}, [](LogLevel, auto) {});
  EXPECT_TRUE(sources.registered().empty());
  EXPECT_EQ(sources.jobs(), 0U);
}

}  // namespace
}  // namespace sluice::gearman

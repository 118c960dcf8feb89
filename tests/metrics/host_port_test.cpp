#include "metrics/host_port.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(HostPort, TakesNamesAndAddresses) {
  EXPECT_EQ(parse_host_port("127.0.0.1:8125"), (HostPort{"127.0.0.1", "8125"}));
  EXPECT_EQ(parse_host_port("statsd.example.org:1"), (HostPort{"statsd.example.org", "1"}));
  EXPECT_EQ(parse_host_port("[::1]:65535"), (HostPort{"::1", "65535"}));
}

TEST(HostPort, RefusesWhatIsNeither) {
  for (const char* text : {"", ":", "host", "host:", ":8125", "host:0", "host:65536", "host:-1",
                           "host:+1", "host:81 25", "host:http", "::1:8125", "[::1]", "[]:8125",
                           "[::1:8125", "host:99999999999999999999"}) {
    EXPECT_EQ(parse_host_port(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace sluice

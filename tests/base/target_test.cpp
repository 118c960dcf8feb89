#include "base/target.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

using Path = std::vector<std::string>;

TEST(Target, IsTakenApartAndDecoded) {
  const auto target = parse_target("/v1/jobs/a%2Fb%20c?wait=30s&x=%26&y&=z");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, (Path{"v1", "jobs", "a/b c"}));
  EXPECT_EQ(target->query.at("wait"), "30s");
  EXPECT_EQ(target->query.at("x"), "&");
  EXPECT_EQ(target->query.at("y"), "");
  EXPECT_EQ(target->query.size(), 3u);
}

TEST(Target, NamesAParameterThatIsGivenTwice) {
  EXPECT_EQ(parse_target("/v1/jobs?wait=1s&x=1&wait=2s&x=2")->repeated, "wait");
  EXPECT_EQ(parse_target("/v1/jobs?wait=1s&x=1")->repeated, "");
}

TEST(Target, MayBeAbsolute) {
  EXPECT_EQ(parse_target("http://sluice/livez")->path, Path{"livez"});
  EXPECT_EQ(parse_target("http://sluice")->path, Path{""});
  EXPECT_EQ(parse_target("/v1/jobs/")->path, (Path{"v1", "jobs", ""}));
}

TEST(Target, BrokenOnesAreNone) {
  for (const char* bad : {"", "*", "v1", "/%", "/%4", "/%zz", "/%00", "/a?x=%g1"}) {
    EXPECT_FALSE(parse_target(bad)) << bad;
  }
}

TEST(Target, EncodingIsUndoneByParsing) {
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_EQ(parse_target("/" + percent_encode(all))->path, Path{all});
}

TEST(Host, IsFoundWithoutPortAndBrackets) {
  EXPECT_EQ(host_name("Localhost:80"), "localhost");
  EXPECT_EQ(host_name("[::1]:80"), "::1");
  EXPECT_EQ(host_name("10.0.0.1"), "10.0.0.1");
  EXPECT_TRUE(is_address("::1") && is_address("10.0.0.1"));
  EXPECT_FALSE(is_address("evil.example") || is_address("") || is_address("10.0.0.1.example"));
}

}  // namespace
}  // namespace sluice

#include "client/older_daemon.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

ClientReply refusal(const std::string& field, const std::string& code = "unknown_field") {
  return {400,
          R"({"error": {"code": ")" + code + R"(", "message": "m", "field": ")" + field + "\"}}"};
}

TEST(OlderDaemon, IsOneThatDoesNotKnowAFieldWithoutWhichTheJobIsTheSame) {
  EXPECT_TRUE(refuses_newer_field(refusal("parent")));
  EXPECT_TRUE(refuses_newer_field(refusal("variant")));
}

TEST(OlderDaemon, IsNotToldFromAnyOtherAnswer) {
  for (const ClientReply& reply :
       {refusal("locks"), refusal("parent", "bad_value"), ClientReply{422, refusal("parent").body},
        ClientReply{400, "nonsense"},
        ClientReply{400, R"({"error": {"code": "unknown_field", "field": null}})"},
        ClientReply{400, R"({"error": "unknown_field"})"}, ClientReply{200, "{}"}}) {
    EXPECT_FALSE(refuses_newer_field(reply)) << reply.body;
  }
}

TEST(OlderDaemon, GetsABodyWithoutAllThatItLacks) {
  EXPECT_EQ(without_newer_fields(R"({"id":"a","parent":"","variant":"8","key":"k"})"),
            R"({"id":"a","key":"k"})");
}

TEST(OlderDaemon, GetsAllElseAsItIs) {
  for (const char* body : {R"({"key": "k", "locks": {"parent": "exclusive"}})", "", "[]", "{"}) {
    EXPECT_EQ(without_newer_fields(body), body);
  }
}

}  // namespace
}  // namespace sluice

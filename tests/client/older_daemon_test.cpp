#include "client/older_daemon.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

ClientReply refusal(const std::string& field, const std::string& code = "unknown_field") {
  return {400,
          R"({"error": {"code": ")" + code + R"(", "message": "m", "field": ")" + field + "\"}}"};
}

TEST(OlderDaemon, IsOneThatDoesNotKnowAFieldWithoutWhichTheJobIsTheSame) {
  for (const char* field : {"parent", "variant", "batch", "batch_waiting", "batch_unfinished"}) {
    EXPECT_EQ(refused_newer_field(refusal(field)), field);
  }
}

TEST(OlderDaemon, IsNotToldFromAnyOtherAnswer) {
  for (const ClientReply& reply :
       {refusal("locks"), refusal("parent", "bad_value"), ClientReply{422, refusal("parent").body},
        ClientReply{400, "nonsense"},
        ClientReply{400, R"({"error": {"code": "unknown_field", "field": null}})"},
        ClientReply{400, R"({"error": "unknown_field"})"}, ClientReply{200, "{}"}}) {
    EXPECT_EQ(refused_newer_field(reply), std::nullopt) << reply.body;
  }
}

TEST(OlderDaemon, IsSaidToBeOlderAndToBeRestarted) {
  EXPECT_EQ(older_daemon_sentence(refusal("state", "unknown_parameter"), "/run/s"),
            "the daemon at /run/s is older than this command and does not know the parameter "
            "`state`: restart the daemon with this version of Sluice");
  EXPECT_TRUE(older_daemon_sentence(refusal("global_lock"), "/run/s")
                  ->ends_with(" does not know the field `global_lock`: restart the daemon with "
                              "this version of Sluice"));
}

TEST(OlderDaemon, IsNotSaidToBeOlderForAnyOtherAnswer) {
  for (const ClientReply& reply :
       {refusal("state", "bad_value"), refusal("state", "unknown_level"),
        ClientReply{422, refusal("state").body}, ClientReply{400, "nonsense"},
        ClientReply{400, R"({"error": "unknown_field"})"}, ClientReply{200, "{}"}}) {
    EXPECT_FALSE(older_daemon_sentence(reply, "/run/s")) << reply.body;
  }
}

TEST(OlderDaemon, GetsABodyWithoutAllThatItLacks) {
  EXPECT_EQ(without_newer_fields(
                R"({"id":"a","parent":"","variant":"8","key":"k","batch":"b","batch_waiting":16})",
                "parent"),
            R"({"id":"a","key":"k"})");
}

TEST(OlderDaemon, KeepsTheParentOfAJobIfItLacksBatchesAlone) {
  EXPECT_EQ(without_newer_fields(R"({"parent":"t","batch":"b","batch_unfinished":2})", "batch"),
            R"({"parent":"t"})");
}

TEST(OlderDaemon, GetsAllElseAsItIs) {
  for (const char* body : {R"({"key": "k", "locks": {"parent": "exclusive"}})", "", "[]", "{"}) {
    EXPECT_EQ(without_newer_fields(body, "parent"), body);
  }
}

}  // namespace
}  // namespace sluice

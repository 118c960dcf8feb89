#include "record/name_hash.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "record/codec.h"
#include "record_folder.h"
#include "sample_entries.h"

namespace sluice::record::testing {
namespace {

TEST(NameHash, DependsOnTheSecretAndOnTheName) {
  const NameHash one(NameHash::Secret{1}), other(NameHash::Secret{2});
  EXPECT_EQ(one.hashed("build"), one.hashed("build"));
  EXPECT_NE(one.hashed("build"), one.hashed("built"));
  EXPECT_NE(one.hashed("build"), other.hashed("build"));
  EXPECT_EQ(one.hashed("build").size(), 17U);
}

TEST(NameHash, IsToldFromAName) {
  EXPECT_TRUE(is_hash(NameHash(NameHash::Secret{1}).hashed("build")));
  for (const char* name : {"", "build", "#0123", "#0123456789abcdeg", "00123456789abcdef"}) {
    EXPECT_FALSE(is_hash(name)) << name;
  }
}

TEST(NameHash, LeavesWordsOfSluiceAndEmptyNames) {
  const NameHash hash(NameHash::Secret{1});
  EXPECT_EQ(hash.hashed("memory_pressure"), "memory_pressure");
  EXPECT_EQ(hash.hashed(""), "");
}

JobChanged change_of_names() {
  JobChanged change{JobId{1}};
  change.queue = Name{"MARK-queue"};
  change.locks = {std::pair(Name{"MARK-level"}, Name{"exclusive:MARK"})};
  return change;
}

JobSubmitted job_of_names() {
  return JobSubmitted{JobId{1},
                      {"MARK-id"},
                      {"MARK-key"},
                      {"MARK-queue"},
                      {},
                      0,
                      {},
                      {},
                      {"MARK-program"},
                      {"MARK-variant"},
                      {},
                      {},
                      {},
                      {{{"MARK-level"}, {"exclusive:MARK"}}},
                      {{{"MARK-manager"}, 1}},
                      {},
                      true,
                      std::vector{Name{"MARK-reason"}, Name{"rate-limit:2:MARK"}}};
}

TEST(NameHash, HashesEveryNameOfEveryEntry) {
  const NameHash hash(NameHash::Secret{1});
  std::vector<Timed> entries{
      {{}, job_of_names()},
      {{}, JobRestated{job_of_names(), {}, {}, {}}},
      {{},
       Restated{1,
                0,
                {{{"MARK-sensor"}, true, true, false, {"MARK-said"}}},
                std::vector<Name>{{"queue MARK paused"}}}},
      {{}, change_of_names()},
      {{}, Configured{2000, {}, {"queues: {MARK: {}}"}}},
      {{}, JobWaits{JobId{1}, "resource", {"MARK-manager"}, {}, {}, {}, {}, 1, 0, 1, 1}},
      {{}, WindowChanged{{}, {}, "red", {"MARK-sensor"}, {"MARK-said"}, {}, {}, 0}},
      {{}, SensorVerdict{{"MARK-sensor"}, true, true, false, {"MARK-said"}}},
      {{}, DaemonEvent{"operated", {"queue MARK paused"}}},
      {{}, Pressures{{{{"MARK-sensor"}, 3}, {{"load"}, 4}}}}};
  for (Timed& each : entries) hash.hash_names(each.entry);
  std::string encoded;
  for (const Timed& each : entries) append_entry(encoded, {}, {}, each.entry);
  EXPECT_EQ(encoded.find("MARK"), std::string::npos);
  EXPECT_NE(encoded.find("load"), std::string::npos);
}

TEST(NameHash, KeepsItsSecretAmongFilesThatNobodyElseReads) {
  const Folder folder;
  const std::string path = folder.path("record.secret");
  const auto made = secret_in(path);
  ASSERT_EQ(made.index(), 0U) << std::get<1>(made);
  struct stat facts {};
  ASSERT_EQ(stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600U);
  EXPECT_EQ(secret_in(path), made);

  chmod(path.c_str(), 0644);
  EXPECT_EQ(std::get<std::string>(secret_in(path)),
            path + " is not a file of mode 0600 of this user: move it away");
  std::filesystem::remove(path);
  std::filesystem::create_symlink(folder.path("elsewhere"), path);
  EXPECT_EQ(secret_in(path).index(), 1U);
  std::filesystem::remove(path);
  std::ofstream(path) << "short";
  chmod(path.c_str(), 0600);
  EXPECT_EQ(std::get<std::string>(secret_in(path)),
            path + " has no secret of 32 bytes: move it away");
}

}  // namespace
}  // namespace sluice::record::testing

// What `sluice build` says of processes that the kernel kills for memory, in a real memory group.
#include <boost/json.hpp>
#include <sstream>

#include "base/process_table.h"
#include "build_fixture.h"
#include "real_cgroup.h"
#include "recognition/process_connector.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

class KilledBuild : public BuildFixture {
 protected:
  static constexpr int kLimit = 300 << 20;

  void SetUp() override {
    if (!group.problem().empty()) GTEST_SKIP() << group.problem();
    ASSERT_TRUE(group.write("memory.limit_in_bytes", std::to_string(kLimit)));
    group.write("memory.memsw.limit_in_bytes", std::to_string(kLimit));
    write_file(work("cc1"),
               "#!/usr/bin/env python3\n"
               "import time\n"
               "held = []\n"
               "for step in range(100):\n"
               "    held.append(b'x' * (10 << 20))\n"
               "    time.sleep(0.02)\n");
    write_file(work("off.yaml"), "sensors: {load: off, cpu_pressure: off, io_pressure: off}\n");
    ASSERT_EQ(answer_of("chmod 755 " + work("cc1")).status, 0);
  }

  /// The build's command runs in the group; the daemon and `sluice build` do not.
  Answer build_in_group(const std::string& options, const std::string& command) const {
    return build("--alone --config off.yaml --state-dir state " + options + "-- sh -c 'echo $$ > " +
                 group.folder() + "/cgroup.procs; " + command + "'");
  }

  RealCgroup group{"memory"};
};

TEST_F(KilledBuild, SaysWhatWasKeptAndWhatIsKeptNextTime) {
  if (!ProcessConnector::open()) GTEST_SKIP() << "SKIPPED: no events of the kernel";
  const Answer text = build_in_group("", "./cc1 foo.c; true");
  EXPECT_EQ(count(text.text, "cc1 foo.c was killed by the kernel for memory at "), 1u) << text.text;
  EXPECT_EQ(count(text.text, " will be kept for it next time\n"), 1u) << text.text;

  const Answer second = build_in_group("--json ", "./cc1 foo.c; true");
  std::istringstream lines(second.text);
  json::object killed;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('{')) continue;  // The shell's.
    const json::value value = json::parse(line);
    if (value.at("event") == "killed") killed = value.as_object();
  }
  ASSERT_FALSE(killed.empty()) << second.text;
  EXPECT_EQ(killed.at("name"), "cc1 foo.c");
  const auto kept = killed.at("kept_memory").to_number<std::int64_t>();
  const auto next = killed.at("next_memory").to_number<std::int64_t>();
  EXPECT_GE(kept, killed.at("peak_memory").to_number<std::int64_t>());
  EXPECT_GE(next, kept);

  const Answer history = answer_of(SLUICE_COMMAND " history --json --state-dir " + work("state"));
  EXPECT_EQ(count(history.text, "\"oom\":2"), 1u) << history.text;
}

TEST_F(KilledBuild, SaysNothingOfAPlainKillAlsoWhereTheKernelKillsElsewhere) {
  const RealCgroup other{"memory"};
  ASSERT_EQ(other.problem(), "");
  ASSERT_TRUE(other.write("memory.limit_in_bytes", std::to_string(30 << 20)));
  other.write("memory.memsw.limit_in_bytes", std::to_string(30 << 20));
  // Too small to be killed for memory itself, however late the other signal comes.
  ASSERT_EQ(answer_of("mkdir " + work("small")).status, 0);
  write_file(work("small/cc1"), "#!/usr/bin/env python3\nimport time\ntime.sleep(60)\n");
  ASSERT_EQ(answer_of("chmod 755 " + work("small/cc1")).status, 0);
  // Never held: scripts of this name only wait or move bytes.
  ASSERT_EQ(answer_of("cp " + work("cc1") + " " + work("true")).status, 0);
  const auto kills = read_host_oom_kills();
  const Answer answer =
      build_in_group("-v ", "small/cc1 foo.c & one=$!; sleep 1; (echo 0 > " + other.folder() +
                                "/cgroup.procs; exec python3 ./true); kill -9 $one; wait");
  EXPECT_GT(read_host_oom_kills(), kills);
  EXPECT_EQ(count(answer.text, "the heaviest: cc1 foo.c"), 1u) << answer.text;
  EXPECT_EQ(count(answer.text, "cc1 foo.c was killed by the kernel"), 0u) << answer.text;
}

}  // namespace
}  // namespace sluice::testing

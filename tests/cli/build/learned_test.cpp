// Programs that nobody listed, and that have been heavy.
#include <sys/stat.h>

#include <string>

#include "build_fixture.h"
#include "recognition/process_connector.h"

namespace sluice::testing {
namespace {

/// Starts five of them while a compiler has the only permit, which it keeps until all are held.
const char* const kFive =
    "./cc1 busy & sleep 0.5; for each in 1 2 3 4 5; do ./gen $each & sleep 0.2; done; wait";

class LearnedPrograms : public BuildFixture {
 protected:
  LearnedPrograms() {
    write_one_at_a_time();
    // Computes for about 20 ms before it says that it has begun, less than unknown programs have.
    // Holds its memory long enough to be measured on a slow machine.
    write_file(work("gen"),
               "#!/usr/bin/perl\n"
               "for (1 .. 900_000) {}\n"
               "open(my $file, '>', (-e 'busy' ? 'held.' : 'free.') . $ARGV[0]); close $file;\n"
               "my $memory = 'x' x ($ARGV[1] // 100 << 20);\n"
               "select(undef, undef, undef, 1.2);\n");
    write_file(work("cc1"),
               "#!/usr/bin/env python3\n"
               "import os, time\n"
               "open('busy', 'w').close()\n"
               "until = time.monotonic() + 3\n"
               "while time.monotonic() < until: pass\n"
               "os.remove('busy')\n");
    for (const char* name : {"gen", "cc1"}) chmod(work(name).c_str(), 0755);
  }

  void SetUp() override {
    // /proc is read too seldom to see a program within 20 ms.
    if (!ProcessConnector::open()) GTEST_SKIP() << "SKIPPED: no events of the kernel";
  }

  Answer run(const std::string& line) const {
    const Answer built =
        build("--alone --config one.yaml --state-dir state -- sh -c '" + line + "'");
    EXPECT_EQ(built.status, 0) << built.text;
    return built;
  }
  /// Of the five, those that had begun when they were held.
  std::size_t begun() const { return count(answer_of("ls " + work("")).text, "held."); }
};

TEST_F(LearnedPrograms, AreHeldFromTheirStartInTheBuildThatLearnsAboutThem) {
  const Answer built = run(std::string("./gen first; ") + kFive);
  EXPECT_LE(begun(), 2u) << built.text;
}

TEST_F(LearnedPrograms, AreHeldFromTheirStartInTheNextBuild) {
  run("./gen first; true");
  const Answer built = run(kFive);
  EXPECT_LE(begun(), 2u) << built.text;
}

}  // namespace
}  // namespace sluice::testing

#include <sys/stat.h>

#include "build_fixture.h"

namespace sluice::testing {
namespace {

TEST_F(BuildFixture, NinjaIsAskedForItsVersionOnce) {
  write_file(work("ninja"),
             "#!/bin/sh\n[ \"$1\" != --version ] || { echo asked >>log; echo 1.13.2; }\n");
  chmod(work("ninja").c_str(), 0755);
  const Answer built = build("-- ./ninja");
  EXPECT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(contents_of(work("log")), "asked\n");
}

}  // namespace
}  // namespace sluice::testing

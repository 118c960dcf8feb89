#include "base/errno_text.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(ErrnoText, NamesWhatFailedAndWhy) {
  EXPECT_EQ(errno_text("/x", ENOENT), "/x: No such file or directory");
  errno = EACCES;
  EXPECT_EQ(errno_text("cannot open /x"), "cannot open /x: Permission denied");
}

}  // namespace
}  // namespace sluice

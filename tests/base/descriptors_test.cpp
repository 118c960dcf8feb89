#include "base/descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <type_traits>
#include <utility>

namespace sluice {
namespace {

int open_one() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }
bool is_open(int number) { return fcntl(number, F_GETFD) >= 0; }

TEST(Descriptor, ClosesAtTheEndOfItsScope) {
  const int number = open_one();
  {
    const Descriptor owner(number);
    EXPECT_TRUE(owner);
    EXPECT_EQ(owner.get(), number);
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Descriptor, IsAmongTheOpenOnesWhileItIsOpen) {
  const auto before = open_descriptors();
  const Descriptor owner(open_one());
  EXPECT_EQ(open_descriptors(), before + 1);
}

TEST(Descriptor, ThatOwnsNoneIsFalse) {
  EXPECT_FALSE(Descriptor());
  EXPECT_EQ(Descriptor().get(), -1);
  EXPECT_TRUE(Descriptor(open_one()));
}

TEST(Descriptor, ZeroIsOneToo) {
  Descriptor owner(0);
  EXPECT_TRUE(owner);
  EXPECT_EQ(owner.release(), 0);
}

TEST(Descriptor, MovesAndIsNotCopied) {
  static_assert(!std::is_copy_constructible_v<Descriptor>);
  static_assert(!std::is_copy_assignable_v<Descriptor>);
  const int number = open_one();
  Descriptor later;
  {
    Descriptor first(number);
    later = Descriptor(std::move(first));
  }
  EXPECT_EQ(later.get(), number);
  EXPECT_TRUE(is_open(number));
}

TEST(Descriptor, ClosesWhatItOwnedWhenItTakesAnother) {
  const int former = open_one(), number = open_one();
  Descriptor owner(former);
  Descriptor other(number);
  owner = std::move(other);
  EXPECT_FALSE(is_open(former));
  EXPECT_EQ(owner.get(), number);
  EXPECT_TRUE(is_open(number));
}

TEST(Descriptor, ClosesAtAResetAndOwnsTheNext) {
  const int former = open_one(), number = open_one();
  Descriptor owner(former);
  owner.reset(number);
  EXPECT_FALSE(is_open(former));
  EXPECT_EQ(owner.get(), number);
  owner.reset();
  EXPECT_FALSE(is_open(number));
  EXPECT_FALSE(owner);
}

TEST(Descriptor, LeavesErrnoAsItIs) {
  {
    const Descriptor wrong(1 << 30);  // Closing it fails.
    errno = EPERM;
  }
  EXPECT_EQ(errno, EPERM);
}

TEST(Descriptor, LeavesOpenWhatItReleases) {
  int number = -1;
  {
    Descriptor owner(open_one());
    number = owner.release();
    EXPECT_FALSE(owner);
  }
  EXPECT_TRUE(is_open(number));
  Descriptor closes(number);
}

}  // namespace
}  // namespace sluice

#include "base/descriptor.h"

#include <fcntl.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <utility>

#include "gtest/gtest.h"

namespace tidemill {
namespace {

int NewNumber() { return eventfd(0, EFD_CLOEXEC); }

bool IsOpen(int number) { return fcntl(number, F_GETFD) >= 0; }

TEST(Descriptors, AreClosedAtTheirEnd) {
  const int number = NewNumber();
  {
    const Descriptor descriptor(number);
    EXPECT_TRUE(descriptor.is_open());
    EXPECT_EQ(descriptor.number(), number);
  }
  EXPECT_FALSE(IsOpen(number));
}

TEST(Descriptors, OfNoNumberHoldNone) {
  EXPECT_FALSE(Descriptor().is_open());
  EXPECT_FALSE(Descriptor(-1).is_open());
}

TEST(Descriptors, AreClosedOnceAfterAMove) {
  const int number = NewNumber();
  Descriptor first(number);
  Descriptor second(std::move(first));
  EXPECT_FALSE(first.is_open());  // NOLINT(bugprone-use-after-move): it holds none.
  EXPECT_EQ(second.number(), number);
  EXPECT_TRUE(IsOpen(number));
  second.Close();
  EXPECT_FALSE(second.is_open());
  EXPECT_FALSE(IsOpen(number));
}

TEST(Descriptors, AreClosedWhenAnotherTakesTheirPlace) {
  const int before = NewNumber();
  const int after = NewNumber();
  Descriptor descriptor(before);
  descriptor = Descriptor(after);
  EXPECT_FALSE(IsOpen(before));
  EXPECT_TRUE(IsOpen(after));
  EXPECT_EQ(descriptor.number(), after);
}

TEST(Descriptors, SurviveAMoveToThemselves) {
  Descriptor descriptor(NewNumber());
  Descriptor& same = descriptor;
  descriptor = std::move(same);
  EXPECT_TRUE(IsOpen(descriptor.number()));
}

TEST(Descriptors, ThatAreReleasedStayOpen) {
  int number = -1;
  {
    Descriptor descriptor(NewNumber());
    number = descriptor.Release();
    EXPECT_FALSE(descriptor.is_open());
  }
  EXPECT_TRUE(IsOpen(number));
  Descriptor(number).Close();
}

TEST(Descriptors, KeepErrnoWhenTheyClose) {
  const int closed = NewNumber();
  Descriptor(closed).Close();
  errno = ENOSPC;
  Descriptor(closed).Close();  // Fails with EBADF.
  EXPECT_EQ(errno, ENOSPC);
}

}  // namespace
}  // namespace tidemill

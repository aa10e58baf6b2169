#include "base/check.h"

#include "gtest/gtest.h"

namespace tidemill {
namespace {

TEST(Check, APreconditionThatHoldsCostsNothing) {
  int num_evaluated = 0;
  TIDEMILL_CHECK(++num_evaluated == 1);
  EXPECT_EQ(num_evaluated, 1);
}

TEST(CheckDeathTest, OneThatDoesNotHoldSaysWhereAndEndsTheProgram) {
  const int size = 3;
  EXPECT_DEATH(TIDEMILL_CHECK(size < 3), "check_test.cc:[0-9]+: .*: size < 3");
}

TEST(CheckDeathTest, OneForDebuggingIsNotEvaluatedInARelease) {
  int num_evaluated = 0;
#ifdef NDEBUG
  TIDEMILL_DCHECK(++num_evaluated > 1);
  EXPECT_EQ(num_evaluated, 0);
#else
  EXPECT_DEATH(TIDEMILL_DCHECK(++num_evaluated > 1), "num_evaluated > 1");
#endif
}

}  // namespace
}  // namespace tidemill

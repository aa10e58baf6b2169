#include "base/numbers/number_text.h"

#include <limits>
#include <string_view>

#include "gtest/gtest.h"

namespace tidemill {
namespace {

// The number, or -1 for what is out of range.
template <typename T>
T Read(std::string_view text) {
  T value = 7;
  const auto [end, error] = ReadNumber(text, value);
  EXPECT_EQ(end, text.data() + text.size()) << text;
  return error == std::errc() ? value : -1;
}

TEST(ReadNumber, ReadsWhatIsTooSmallAsTheNearestNumber) {
  EXPECT_EQ(Read<float>("1.2e-48"), 0);
  EXPECT_EQ(Read<float>("7e-46"), 0);
  EXPECT_EQ(Read<float>("8e-46"), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(Read<float>("1.5e-322"), 0);
  EXPECT_EQ(Read<double>("1.5e-322"), 1.5e-322);
  EXPECT_EQ(Read<double>("1e-400"), 0);
  EXPECT_EQ(Read<double>("0.00001e-99999999999999999999"), 0);
  EXPECT_TRUE(std::signbit(Read<double>("-1e-400")));
}

TEST(ReadNumber, RefusesWhatIsTooLarge) {
  EXPECT_EQ(Read<float>("1e39"), -1);
  EXPECT_EQ(Read<double>("1e400"), -1);
  EXPECT_EQ(Read<double>("-1e400"), -1);
  EXPECT_EQ(Read<int64_t>("9223372036854775808"), -1);
}

TEST(ReadNumber, StopsAfterTheNumber) {
  constexpr std::string_view kText = "1e-400 apples";
  double value = 7;
  const auto [end, error] = ReadNumber(kText, value);
  EXPECT_EQ(error, std::errc());
  EXPECT_EQ(end, kText.data() + 6);
  EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace tidemill

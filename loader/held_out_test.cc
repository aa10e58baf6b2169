#include "loader/held_out.h"

#include <algorithm>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::loader {
namespace {

TEST(HoldOut, PutsEachKeyOnOneSideForGood) {
  TrainingSet set;
  for (int64_t i = 0; i < 3000; ++i) {
    set.keys.push_back(i % 1000);
    set.weights.push_back(static_cast<float>(i % 1000));
  }
  const DividedSet divided = HoldOut(set, 0.2, 42);
  const std::set<int64_t> trained(divided.trained.keys.begin(), divided.trained.keys.end());
  const std::set<int64_t> held_out(divided.held_out.keys.begin(), divided.held_out.keys.end());
  EXPECT_EQ(trained.size() + held_out.size(), 1000u) << "no key is on both sides";
  EXPECT_EQ(divided.trained.size() + divided.held_out.size(), 3000);
  EXPECT_NEAR(static_cast<double>(held_out.size()), 200, 40);
  for (size_t i = 0; i < divided.held_out.keys.size(); ++i) {
    EXPECT_EQ(divided.held_out.weights[i], static_cast<float>(divided.held_out.keys[i]));
  }
  const DividedSet again = HoldOut({.keys = {5, 6, 7, 8, 9, 10, 11, 12}}, 0.2, 42);
  for (const int64_t key : again.held_out.keys) EXPECT_TRUE(held_out.contains(key));
  EXPECT_NE(HoldOut(set, 0.2, 43).held_out.keys, divided.held_out.keys);
}

TEST(HoldOut, NeverTakesEverySample) {
  for (int64_t key = 0; key < 50; ++key) {
    EXPECT_EQ(HoldOut({.keys = {key}}, 0.5, 1).trained.size(), 1);
  }
}

}  // namespace
}  // namespace tidemill::loader

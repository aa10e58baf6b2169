#include "supervisor/statistics/two_samples/window_distances.h"

#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/testing/draws.h"
#include "supervisor/statistics/two_samples/mmd.h"

namespace tidemill::supervisor::statistics {
namespace {

using testing::Normals;

// The distances of draws of 300 and 200 of 700 rows, and what MmdTest() says about the same
// windows.
void ExpectTheDistancesOfMmd(int64_t num_columns, double tolerance) {
  const auto values = Normals(num_columns * 700, 4);
  const Rows rows = {values, num_columns};
  const std::vector<double> widths = {MedianWidth(rows)};
  const GaussianKernel kernel(rows, widths);
  WindowDistances distances(kernel, {.count = 40});
  std::vector<double> expected;
  for (int64_t draw = 0; draw < 40; ++draw) {
    std::vector<int64_t> numbers(700);
    std::iota(numbers.begin(), numbers.end(), 0);
    DrawFirst(numbers, 500, {.seed = draw, .purpose = "test"});
    const auto drawn = std::span<const int64_t>(numbers).first(500);
    distances.Add(drawn.first(300), drawn.subspan(300));
    const auto x = Gather(rows, drawn.first(300)), y = Gather(rows, drawn.subspan(300));
    expected.push_back(MmdTest({x, num_columns}, {y, num_columns}, {.widths = widths}).squared);
  }
  const std::vector<double> found = std::move(distances).Finish();
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance);
}

// Rows of one number have a narrow factor.
TEST(WindowDistances, AreThoseOfMmdByAFactor) {
  const auto values = Normals(700, 4);
  EXPECT_TRUE(GaussianKernel({values}, {1}).Factor(43).has_value());
  ExpectTheDistancesOfMmd(1, 1e-8);
}

TEST(WindowDistances, AreThoseOfMmdByTheWholeMatrix) {
  const auto values = Normals(8 * 700, 4);
  EXPECT_FALSE(GaussianKernel({values, 8}, {1}).Factor(43).has_value());
  ExpectTheDistancesOfMmd(8, 1e-6);
}

// A window and its mirror image are equally far apart, and so are windows of equal rows.
TEST(WindowDistances, TieWhereWindowsAreEquallyFarApart) {
  for (const int64_t num_columns : {1, 8}) {
    auto values = Normals(num_columns * 320, 6);
    const auto half = static_cast<int64_t>(values.size()) / 2;
    std::copy(values.begin(), values.begin() + half, values.begin() + half);
    const GaussianKernel kernel({values, num_columns}, {1.5});
    WindowDistances distances(kernel, {.count = 3, .of_all_rows = true});
    std::vector<int64_t> rows(320), mirrored, moved;
    std::iota(rows.begin(), rows.end(), 0);
    DrawFirst(rows, 160, {.seed = 1, .purpose = "test"});
    mirrored.assign(rows.rbegin(), rows.rend());
    for (const int64_t row : rows) moved.push_back((row + 160) % 320);
    for (const auto& split : {rows, mirrored, moved}) {
      const std::span<const int64_t> all = split;
      distances.Add(all.first(160), all.subspan(160));
    }
    const std::vector<double> found = std::move(distances).Finish();
    EXPECT_NEAR(found[1], found[0], 1e-12);
    EXPECT_NEAR(found[2], found[0], 1e-12);
  }
}

TEST(WindowDistances, EndSoonAfterAStop) {
  const auto values = Normals(16 * 8000, 4);
  const GaussianKernel kernel({values, 16}, {1});
  std::stop_source stop;
  stop.request_stop();
  WindowDistances distances(kernel, {.count = 100'000, .stop = stop.get_token()});
  std::vector<int64_t> rows(8000);
  std::iota(rows.begin(), rows.end(), 0);
  const std::span<const int64_t> all = rows;
  distances.Add(all.first(4000), all.subspan(4000));
  EXPECT_TRUE(std::move(distances).Finish().empty());
}

}  // namespace
}  // namespace tidemill::supervisor::statistics

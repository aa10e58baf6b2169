#include "selector/columns/key_column.h"

#include <unistd.h>

#include <filesystem>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"

namespace tidemill::selector {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::tidemill::testing::IsOk;

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kNumKeys = 1'000'003;  // 7.6 MiB.

class KeyColumnTest : public ::testing::TestWithParam<int64_t> {
 protected:
  KeyColumnTest() { EXPECT_THAT(files::CreateFolder(folder_), IsOk()); }
  ~KeyColumnTest() override { EXPECT_THAT(files::Remove(folder_), IsOk()); }

  KeyColumn Filled(int64_t budget, size_t piece) const {
    KeyColumn column(folder_, budget);
    std::vector<int64_t> keys(kNumKeys);
    std::iota(keys.begin(), keys.end(), 0);
    for (std::span<const int64_t> rest = keys; !rest.empty();) {
      const auto taken = rest.first(std::min(piece, rest.size()));
      EXPECT_THAT(column.Append(taken), IsOk());
      rest = rest.subspan(taken.size());
    }
    return column;
  }

  static std::vector<int64_t> KeysFrom(const KeyColumn& column, int64_t first) {
    std::vector<int64_t> keys;
    EXPECT_THAT(column.ForEach(first,
                               [&](std::span<const int64_t> piece) {
                                 keys.insert(keys.end(), piece.begin(), piece.end());
                                 return absl::OkStatus();
                               }),
                IsOk());
    return keys;
  }

  const std::string folder_ = ::testing::TempDir() + "key_column_" + std::to_string(getpid());
};

INSTANTIATE_TEST_SUITE_P(Budgets, KeyColumnTest, ::testing::Values(1, 2 * kMiB, 64 * kMiB));

TEST_P(KeyColumnTest, GivesTheKeysOfRows) {
  const KeyColumn column = Filled(GetParam(), 7919);
  const std::vector<int64_t> rows = {0, 1, 262'143, 262'144, 600'000, 999'000, kNumKeys - 1};
  std::vector<int64_t> keys(rows.size());
  EXPECT_THAT(column.Take(rows, keys), IsOk());
  EXPECT_EQ(keys, rows);
  EXPECT_THAT(column.Take({}, {}), IsOk());
}

TEST_P(KeyColumnTest, GivesBackItsKeysFromAnywhere) {
  for (const size_t piece : {size_t{7919}, size_t{131'072}, size_t{kNumKeys}}) {
    const KeyColumn column = Filled(GetParam(), piece);
    ASSERT_EQ(column.size(), kNumKeys);
    for (const int64_t first : {int64_t{0}, int64_t{131'073}, int64_t{524'288}, kNumKeys - 1}) {
      const std::vector<int64_t> keys = KeysFrom(column, first);
      ASSERT_EQ(std::ssize(keys), kNumKeys - first);
      for (int64_t i = 0; i < std::ssize(keys); ++i) ASSERT_EQ(keys[i], first + i);
    }
    EXPECT_THAT(KeysFrom(column, kNumKeys), IsEmpty());
  }
}

TEST_F(KeyColumnTest, LeavesNoFile) {
  Filled(1, 1000);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(KeyColumnTest, IsEmptyAtFirst) {
  EXPECT_THAT(KeysFrom(KeyColumn(folder_, kMiB), 0), IsEmpty());
}

TEST_F(KeyColumnTest, KeepsWhatItIsGivenInPiecesOfOne) {
  KeyColumn column(folder_, 1);
  for (const int64_t key : {5, 3, 9}) EXPECT_THAT(column.Append({{key}}), IsOk());
  EXPECT_THAT(KeysFrom(column, 1), ElementsAre(3, 9));
}

}  // namespace
}  // namespace tidemill::selector

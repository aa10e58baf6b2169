#include "cli/init/candidates/first_rows.h"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"

namespace tidemill::cli {
namespace {

using ::testing::HasSubstr;
using tidemill::testing::IsOk;

class FirstRowsTest : public ::testing::Test {
 protected:
  FirstRowsTest() {
    std::string pattern = "/tmp/first-rows-test-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    draft_.files = {.folder = folder_ + "/data", .header_lines = 1};
  }
  ~FirstRowsTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, int first, int num_rows) {
    std::filesystem::create_directories(draft_.files.folder);
    std::ofstream file(draft_.files.folder + "/" + name);
    file << "number,text\n";
    for (int row = first; row < first + num_rows; ++row) file << fmt::format("{:07},some\n", row);
    draft_.files.paths.push_back(name);
    draft_.training.num_samples += num_rows;
  }

  std::vector<int> Copied(const std::string& name) const {
    const auto text = files::Read(folder_ + "/to/" + name);
    EXPECT_THAT(text, IsOk());
    std::vector<int> numbers;
    if (!text.ok()) return numbers;
    EXPECT_TRUE(text->starts_with("number,text\n"));
    for (size_t at = text->find('\n') + 1; at < text->size(); at = text->find('\n', at) + 1) {
      numbers.push_back(std::atoi(text->substr(at, 7).c_str()));
    }
    return numbers;
  }

  FirstRows Copy(const RowLimits& limits = {.least_rows = 10}) const {
    const auto rows = CopyFirstRows(draft_, folder_ + "/to", limits);
    EXPECT_THAT(rows, IsOk());
    return rows.value_or(FirstRows());
  }

  std::string folder_;
  PipelineDraft draft_;
};

TEST_F(FirstRowsTest, TheFirstThirdOfAFileIsCopiedInWholeLines) {
  Write("a.csv", 0, 300);
  const FirstRows rows = Copy();
  const std::vector<int> numbers = Copied("a.csv");
  EXPECT_NEAR(rows.num_rows, 100, 2);
  EXPECT_EQ(std::ssize(numbers), rows.num_rows);
  EXPECT_EQ(numbers.back(), rows.num_rows - 1);
  EXPECT_THAT(rows.description, HasSubstr("rows of the first third"));
}

TEST_F(FirstRowsTest, OfFilesInTheOrderOfTimeTheFirstOnesAreCopied) {
  for (int file = 0; file < 3; ++file) Write(fmt::format("{}.csv", file), 100 * file, 100);
  Copy();
  EXPECT_NEAR(std::ssize(Copied("0.csv")), 100, 2);
  EXPECT_FALSE(files::Exists(folder_ + "/to/1.csv"));
}

TEST_F(FirstRowsTest, OfFilesThatCoverTheSameTimeTheFirstThirdOfEachIsCopied) {
  draft_.files.in_order = false;
  for (int file = 0; file < 3; ++file) Write(fmt::format("{}.csv", file), 0, 300);
  Copy();
  for (int file = 0; file < 3; ++file) {
    EXPECT_NEAR(std::ssize(Copied(fmt::format("{}.csv", file))), 100, 2);
  }
}

TEST_F(FirstRowsTest, ALargeFileIsCopiedInPartsOfTheWholeThird) {
  Write("a.csv", 0, 600'000);
  const FirstRows rows = Copy();
  EXPECT_NEAR(rows.num_rows, 6'000, 400);
  const std::vector<int> numbers = Copied("a.csv");
  EXPECT_EQ(numbers.front(), 0);
  EXPECT_GT(numbers.back(), 180'000);
  EXPECT_LT(numbers.back(), 200'001);
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
  EXPECT_EQ(std::ranges::adjacent_find(numbers), numbers.end());
}

TEST_F(FirstRowsTest, AThirdOfFewRowsIsTooLittle) {
  Write("a.csv", 0, 60);
  EXPECT_EQ(Copy({.least_rows = 60}).num_rows, 60);
  EXPECT_EQ(Copied("a.csv").size(), 60);
}

TEST_F(FirstRowsTest, CopiesCountAsSettled) {
  Write("a.csv", 0, 300);
  Copy();
  const auto age = std::filesystem::file_time_type::clock::now() -
                   std::filesystem::last_write_time(folder_ + "/to/a.csv");
  EXPECT_GE(age, std::chrono::seconds(59));
}

}  // namespace
}  // namespace tidemill::cli

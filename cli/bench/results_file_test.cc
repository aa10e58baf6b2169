#include "cli/bench/results_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tidemill::cli {
namespace {

using ::testing::HasSubstr;

std::string FreshPath(const std::string& name) {
  const auto path = std::filesystem::path(::testing::TempDir()) / name;
  std::filesystem::remove(path);
  return path;
}

TEST(ResultsFileTest, KeepsWhatWasAdded) {
  const std::string path = FreshPath("e.jsonl");
  {
    auto file = ResultsFile::Open(path);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Add({{"case", "runs/a"}, {"digest", "1"}, {"value", 1}}).ok());
    ASSERT_TRUE(file->Add({{"case", "runs/b"}, {"digest", "2"}, {"value", 2}}).ok());
    ASSERT_TRUE(file->Add({{"case", "runs/a"}, {"digest", "3"}, {"value", 3}}).ok());
  }
  const auto file = ResultsFile::Open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->results().size(), 2);
  EXPECT_EQ(file->FindAny("runs/a")->at("value"), 3);
  EXPECT_EQ(file->Find("runs/a", "1"), nullptr);  // For another pipeline.
  EXPECT_NE(file->Find("runs/a", "3"), nullptr);
}

TEST(ResultsFileTest, NamesALineThatIsNotAResult) {
  const std::string path = FreshPath("broken.jsonl");
  std::ofstream(path) << R"({"case": "runs/a", "digest": "1"})"
                      << "\nhello\n";
  const auto file = ResultsFile::Open(path);
  EXPECT_EQ(file.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(file.status().message()), HasSubstr("broken.jsonl:2:"));
}

}  // namespace
}  // namespace tidemill::cli

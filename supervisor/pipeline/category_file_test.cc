#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "storage/trials/dataset_trial.h"
#include "supervisor/pipeline/disk_files.h"
#include "supervisor/pipeline/pipeline_check.h"
#include "supervisor/testing/testdata.h"
#include "transform/ops/one_hot.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CategoryFile : public ::testing::Test {
 protected:
  CategoryFile() {
    std::string folder = ::testing::TempDir() + "categories_XXXXXX";
    folder_ = mkdtemp(folder.data());
  }
  ~CategoryFile() override { std::filesystem::remove_all(folder_); }

  std::string Write(std::string_view name, std::string_view text) const {
    std::string path = folder_ / name;
    std::ofstream(path) << text;
    return path;
  }

  std::filesystem::path folder_;
};

// A sound pipeline with an op more.
config::Decoded<PipelineSpec> CheckWith(const std::string& op, const std::string& folder) {
  std::ifstream stream(testing::kTestdata / "sound.yaml");
  std::ostringstream text;
  text << stream.rdbuf();
  std::string pipeline = text.str();
  const std::string data = "path: data";
  pipeline.replace(pipeline.find(data), data.size(),
                   fmt::format("path: {}", testing::kTestdata.string() + "/data"));
  const std::string stack = "    - stack";
  pipeline.insert(pipeline.find(stack), op);
  DiskFiles files(folder, "");
  return CheckPipeline({.text = pipeline,
                        .file_name = "pipeline.yaml",
                        .base_folder = folder,
                        .files = &files,
                        .peek = storage::PeekAtDisk});
}

constexpr char kOp[] =
    "    - parse_csv: {columns: [date], dtype: string}\n"
    "    - one_hot: {column: date, categories_file: days.txt}\n";

TEST_F(CategoryFile, TakesItsPlaceInTheGraphWhenAPipelineIsChecked) {
  Write("days.txt", "2012-01-01\n2012-01-02\n");
  const auto checked = CheckWith(kOp, folder_);
  EXPECT_TRUE(checked.problems.empty()) << checked.problems.ToString();
  const auto& op = *checked.value.preprocess.graph[3].value.As<transform::OneHotSpec>();
  EXPECT_THAT(op.categories, ElementsAre("2012-01-01", "2012-01-02"));
  EXPECT_EQ(op.categories_file, "");
}

TEST_F(CategoryFile, ThatIsTooLargeIsAProblemOfItsKey) {
  Write("days.txt", std::string(300 << 10, 'x'));
  const auto checked = CheckWith(kOp, folder_);
  ASSERT_EQ(checked.problems.items().size(), 1U);
  EXPECT_THAT(checked.problems.items()[0].message, HasSubstr("at most 262144 are allowed"));
}

TEST_F(CategoryFile, ThatIsNotThereIsAProblemOfItsKey) {
  const auto checked = CheckWith(kOp, folder_);
  ASSERT_EQ(checked.problems.items().size(), 1U);
  EXPECT_EQ(checked.problems.items()[0].path, "preprocess.graph[3].one_hot.categories_file");
}

}  // namespace
}  // namespace tidemill::supervisor

#include "supervisor/pipeline/category_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "supervisor/pipeline/disk_files.h"
#include "supervisor/pipeline/pipeline_check.h"

namespace tidemill::supervisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tidemill::testing::IsOkAndHolds;
using tidemill::testing::kInvalid;
using tidemill::testing::StatusIs;

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

TEST_F(CategoryFile, HasOneCategoryALine) {
  EXPECT_THAT(CategoriesOf("sun\r\n\nno\n 1.10 \nGr\u00fcn, \"x\"\n  \n007", "a.txt"),
              IsOkAndHolds(ElementsAre("sun", "no", " 1.10 ", "Gr\u00fcn, \"x\"", "007")));
}

TEST_F(CategoryFile, IsRefusedWithTheReason) {
  EXPECT_THAT(CategoriesOf("\n\n", "b.txt"), StatusIs(kInvalid, HasSubstr("b.txt has no lines")));
  EXPECT_THAT(CategoriesOf("a\nb\na\n", "c"), StatusIs(kInvalid, HasSubstr("'a' twice")));
  EXPECT_THAT(CategoriesOf("a\xff\n", "d"), StatusIs(kInvalid, HasSubstr("UTF-8")));
  std::string many;
  for (int i = 0; i <= 20'000; ++i) many += fmt::format("{}\n", i);
  EXPECT_THAT(CategoriesOf(many, "e"), StatusIs(kInvalid, HasSubstr("20001 lines")));
}

// A sound pipeline with an op more.
config::Decoded<PipelineSpec> CheckWith(const std::string& op, const std::string& folder) {
  std::ifstream stream(std::filesystem::path(TIDEMILL_TESTDATA) / "sound.yaml");
  std::ostringstream text;
  text << stream.rdbuf();
  std::string pipeline = text.str();
  const std::string data = "path: data";
  pipeline.replace(pipeline.find(data), data.size(),
                   fmt::format("path: {}", std::string(TIDEMILL_TESTDATA) + "/data"));
  const std::string stack = "    - stack";
  pipeline.insert(pipeline.find(stack), op);
  DiskFiles files(folder, "");
  return CheckPipeline({.text = pipeline,
                        .file_name = "pipeline.yaml",
                        .base_folder = folder,
                        .files = &files,
                        .peek = PeekAtDisk});
}

constexpr char kOp[] =
    "    - parse_csv: {columns: [date], dtype: string}\n"
    "    - one_hot: {column: date, categories_file: days.txt}\n";

TEST_F(CategoryFile, TakesItsPlaceInTheGraphWhenAPipelineIsChecked) {
  Write("days.txt", "2012-01-01\n2012-01-02\n");
  const auto checked = CheckWith(kOp, folder_);
  EXPECT_TRUE(checked.problems.empty()) << checked.problems.ToString();
  const auto& op = std::get<transform::OneHotSpec>(checked.value.preprocess.graph[3].value);
  EXPECT_THAT(op.categories, ElementsAre("2012-01-01", "2012-01-02"));
  EXPECT_EQ(op.categories_file, "");
}

TEST_F(CategoryFile, ThatIsTooLargeIsAProblemOfItsKey) {
  Write("days.txt", std::string(300 << 10, 'x'));
  const auto checked = CheckWith(kOp, folder_);
  ASSERT_EQ(checked.problems.items().size(), 1U);
  EXPECT_THAT(checked.problems.items()[0].message, HasSubstr("the most is 262144"));
}

TEST_F(CategoryFile, ThatIsNotThereIsAProblemOfItsKey) {
  const auto checked = CheckWith(kOp, folder_);
  ASSERT_EQ(checked.problems.items().size(), 1U);
  EXPECT_EQ(checked.problems.items()[0].path, "preprocess.graph[3].one_hot.categories_file");
}

}  // namespace
}  // namespace tidemill::supervisor

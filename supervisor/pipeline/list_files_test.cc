#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "storage/trials/dataset_trial.h"
#include "supervisor/checks/pipeline_check.h"
#include "supervisor/pipeline/disk_files.h"
#include "supervisor/testing/testdata.h"
#include "transform/ops/categories/one_hot.h"

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

// A sound pipeline with an op more, and with `classes` in its label.
config::Decoded<PipelineSpec> CheckWith(const std::string& op, const std::string& folder,
                                        const std::string& classes = "classes: [rain, sun]") {
  std::ifstream stream(testing::kTestdata / "sound.yaml");
  std::ostringstream text;
  text << stream.rdbuf();
  std::string pipeline = text.str();
  const std::string data = "path: data";
  pipeline.replace(pipeline.find(data), data.size(),
                   fmt::format("path: {}", testing::kTestdata.string() + "/data"));
  const std::string given = "classes: [rain, sun]";
  pipeline.replace(pipeline.find(given), given.size(), classes);
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

using ClassFile = CategoryFile;

TEST_F(ClassFile, BecomesTheClassesOfTheLabelWhenAPipelineIsChecked) {
  Write("weathers.txt", "rain\nsun\n");
  const auto by_file = CheckWith("", folder_, "classes_file: weathers.txt");
  EXPECT_TRUE(by_file.problems.empty()) << by_file.problems.ToString();
  EXPECT_EQ(config::Print(by_file.value), config::Print(CheckWith("", folder_).value));
  EXPECT_THAT(by_file.value.datasets.at("weather")->label.classes, ElementsAre("rain", "sun"));
}

TEST_F(ClassFile, ThatLacksAClassOfTheDataIsAProblem) {
  Write("weathers.txt", "rain\nsnow\n");
  const auto checked = CheckWith("", folder_, "classes_file: weathers.txt");
  EXPECT_THAT(checked.problems.ToString(), HasSubstr("'sun'"));
}

TEST_F(ClassFile, ThatCannotBeReadIsTheOnlyProblem) {
  const auto missing = CheckWith("", folder_, "classes_file: weathers.txt");
  ASSERT_EQ(missing.problems.items().size(), 1U) << missing.problems.ToString();
  EXPECT_EQ(missing.problems.items()[0].path, "datasets.weather.label.classes_file");
  Write("weathers.txt", "rain\nsun\nrain\n");
  const auto twice = CheckWith("", folder_, "classes_file: weathers.txt");
  ASSERT_EQ(twice.problems.items().size(), 1U) << twice.problems.ToString();
  EXPECT_THAT(twice.problems.items()[0].message,
              HasSubstr("weathers.txt has the line 'rain' twice"));
  EXPECT_EQ(twice.problems.items()[0].hint, "write one class a line");
}

TEST_F(ClassFile, ReplacesClassesOnly) {
  const auto both = CheckWith("", folder_, "classes: [rain, sun], classes_file: weathers.txt");
  EXPECT_THAT(both.problems.ToString(), HasSubstr("cannot be combined with classes"));
  const auto real = CheckWith("", folder_, "kind: real, classes_file: weathers.txt");
  EXPECT_THAT(real.problems.ToString(), HasSubstr("is given for a real label"));
}

}  // namespace
}  // namespace tidemill::supervisor

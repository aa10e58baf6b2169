#include "supervisor/pipeline_files.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::supervisor {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class PipelineFilesTest : public ::testing::Test {
 protected:
  PipelineFilesTest() {
    fs::remove_all(root_);
    fs::create_directories(root_ / "own");
    fs::create_directories(root_ / "data");
  }
  ~PipelineFilesTest() override { fs::remove_all(root_); }

  std::string Write(const std::string& name, const std::string& content) const {
    const fs::path path = root_ / name;
    std::ofstream(path) << content;
    return path.string();
  }

  // What becomes of an op with that file.
  transform::TorchScriptSpec Read(const std::string& file) {
    transform::GraphSpec graph = {{transform::TorchScriptSpec{.file = file}}};
    files_.ReadInto(graph, "preprocess.graph", problems_);
    return std::get<transform::TorchScriptSpec>(graph[0].value);
  }

  const fs::path root_ = fs::path(::testing::TempDir()) / "pipeline_files";
  const PipelineFiles files_{(root_ / "own").string(), (root_ / "data").string()};
  config::Problems problems_;
};

TEST_F(PipelineFilesTest, AProgramTakesThePlaceOfItsFile) {
  Write("own/rows.pt", "PK-1");
  const std::string in_data = Write("data/rows.pt", "PK-2");
  EXPECT_EQ(Read("rows.pt").program, "UEstMQ==");
  EXPECT_EQ(Read(in_data).program, "UEstMg==");
  EXPECT_EQ(Read("rows.pt").file, "");
  EXPECT_TRUE(problems_.empty()) << problems_.ToString();
}

TEST_F(PipelineFilesTest, AProgramThatIsNotThereOrElsewhereIsAProblemOfItsKey) {
  Read("rows.pt");
  ASSERT_EQ(problems_.items().size(), 1U);
  EXPECT_EQ(problems_.items()[0].path, "preprocess.graph[0].torchscript.file");
  EXPECT_THAT(problems_.items()[0].message, HasSubstr("there is no file"));

  Read(Write("elsewhere.pt", "PK"));
  ASSERT_EQ(problems_.items().size(), 2U);
  EXPECT_THAT(problems_.items()[1].message, HasSubstr("lies outside the pipeline's folder"));
  fs::create_symlink(root_ / "elsewhere.pt", root_ / "own" / "link.pt");
  Read("link.pt");
  EXPECT_EQ(problems_.items().size(), 3U) << "a link leads there, too";
}

TEST_F(PipelineFilesTest, AFileThatIsNoProgramOrTooLargeIsRefused) {
  Write("own/text.pt", "def forward(self, x): return x");
  Read("text.pt");
  ASSERT_EQ(problems_.items().size(), 1U);
  EXPECT_THAT(problems_.items()[0].message, HasSubstr("is no TorchScript file"));

  Write("own/large.pt", "PK" + std::string(size_t{5} << 20, 'x'));
  Read("large.pt");
  ASSERT_EQ(problems_.items().size(), 2U);
  EXPECT_THAT(problems_.items()[1].message, HasSubstr("the most is 4194304"));
}

}  // namespace
}  // namespace tidemill::supervisor

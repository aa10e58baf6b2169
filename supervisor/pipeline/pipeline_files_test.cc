#include "supervisor/pipeline/pipeline_files.h"

#include <map>
#include <string>

#include "absl/strings/escaping.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/digest.h"
#include "transform/ops/torchscript.h"
#include "transform/script_rules/testing/made_archive.h"

namespace tidemill::supervisor {
namespace {

using ::testing::HasSubstr;

// Files in memory.
class HeldFiles final : public PipelineFiles {
 public:
  std::map<std::string, std::string> held;

  std::optional<std::string> Read(const std::string& name, size_t most, std::string_view field,
                                  config::Problems& problems) override {
    const auto found = held.find(name);
    if (found != held.end() && found->second.size() <= most) return found->second;
    problems.Add(field, "no " + name, "");
    return std::nullopt;
  }
  std::optional<std::string> Keep(const std::string& name, std::string_view,
                                  config::Problems&) override {
    return std::string(kKeptFile) + Sha256(held[name]);
  }
  std::optional<Weights> KeepWeights(const models::StartFrom& start_from, std::string_view,
                                     config::Problems&) override {
    return Weights{.kept = {std::string(kKeptFile) + Sha256(held[start_from.file])}};
  }
};

class ReadIntoTest : public ::testing::Test {
 protected:
  transform::TorchScriptSpec Program(const std::string& name) {
    PipelineSpec spec;
    spec.preprocess.graph = {{transform::TorchScriptSpec{.file = name}}};
    ReadInto(spec, files_, problems_);
    return *spec.preprocess.graph[0].value.As<transform::TorchScriptSpec>();
  }

  HeldFiles files_;
  config::Problems problems_;
};

TEST_F(ReadIntoTest, AProgramTakesThePlaceOfItsName) {
  files_.held["rows.pt"] = models::testing::NetworkOf("return torch.relu(x)");
  EXPECT_EQ(Program("rows.pt").program, absl::Base64Escape(files_.held["rows.pt"]));
  EXPECT_EQ(Program("rows.pt").file, "");
  EXPECT_TRUE(problems_.empty()) << problems_.ToString();
}

TEST_F(ReadIntoTest, AMissingOrInvalidProgramIsAProblemOfItsKey) {
  files_.held["text.pt"] = "def forward(self, x): return x";
  EXPECT_EQ(Program("text.pt").file, "");
  EXPECT_EQ(Program("gone.pt").file, "");
  ASSERT_EQ(problems_.items().size(), 2U);
  EXPECT_EQ(problems_.items()[0].path, "preprocess.graph[0].torchscript.file");
  EXPECT_THAT(problems_.items()[0].message, HasSubstr("text.pt is not a TorchScript file"));
  EXPECT_THAT(problems_.items()[1].message, HasSubstr("no gone.pt"));
}

TEST_F(ReadIntoTest, AProgramThatIsNotArithmeticIsAProblemOfItsKey) {
  for (const std::string& body : models::testing::HostileBodies()) {
    problems_ = {};
    files_.held["rows.pt"] = models::testing::NetworkOf(body);
    Program("rows.pt");
    ASSERT_EQ(problems_.items().size(), 1U) << body;
    EXPECT_EQ(problems_.items()[0].path, "preprocess.graph[0].torchscript.file");
    EXPECT_THAT(problems_.items()[0].message, HasSubstr("code/__torch__.py: line")) << body;
  }
}

TEST_F(ReadIntoTest, TheFilesOfAPipelineHaveALimitTogether) {
  PipelineSpec spec;
  for (int i = 0; i < 3; ++i) {
    const std::string name = fmt::format("{}.pt", i);
    models::testing::Records records = {{"data/0", std::string(size_t{3} << 20, 'x')}};
    for (auto& record : models::testing::NetworkRecords(models::testing::CodeOf("return x"))) {
      records.push_back(std::move(record));
    }
    files_.held[name] = models::testing::MadeArchive(records);
    spec.preprocess.graph.push_back({transform::TorchScriptSpec{.file = name}});
  }
  ReadInto(spec, files_, problems_);
  ASSERT_EQ(problems_.items().size(), 1U);
  EXPECT_EQ(problems_.items()[0].path, "preprocess.graph[2].torchscript.file");
  EXPECT_THAT(problems_.items()[0].message, HasSubstr("bytes, but at most 8388608 are allowed"));
}

}  // namespace
}  // namespace tidemill::supervisor

#include "supervisor/pipeline/torchscript_file.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "base/testing/tree.h"
#include "transform/script_rules/testing/made_archive.h"

namespace tidemill::supervisor {
namespace {

using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using tidemill::testing::kInvalid;
using ::tidemill::testing::StatusIs;

absl::Status Judge(const std::string& bytes, size_t piece) {
  TorchScriptLook look;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    look.Add(std::string_view(bytes).substr(at, piece));
  }
  return look.Judge("net.pt");
}

TEST(TorchScriptLook, KnowsWhatTorchWrites) {
  const auto program = files::Read(tidemill::testing::InTree("tests/testdata/rows.pt"));
  ASSERT_THAT(program, IsOk());
  for (const size_t piece : {size_t{1}, size_t{100}, program->size()}) {
    EXPECT_THAT(Judge(*program, piece), IsOk()) << piece;
  }
}

TEST(TorchScriptLook, SaysWhatIsNone) {
  const std::string program = *files::Read(tidemill::testing::InTree("tests/testdata/rows.pt"));
  EXPECT_THAT(Judge("", 1), StatusIs(kInvalid, HasSubstr("net.pt is not a TorchScript file")));
  EXPECT_THAT(Judge("def forward(self, x): return x", 7),
              StatusIs(kInvalid, HasSubstr("is not a TorchScript file")));
  EXPECT_THAT(Judge(program.substr(0, program.size() - 1), 1000),
              StatusIs(kInvalid, HasSubstr("is cut off")));
  const std::string end = "PK\x05\x06" + std::string(18, '\0');
  EXPECT_THAT(Judge("PK\x03\x04 net/data.pkl" + end, 5),
              StatusIs(kInvalid, HasSubstr("holds no program")));
}

// A network with weights of that many bytes.
std::string Large(size_t bytes, const std::string& body) {
  models::testing::Records records = {{"data/0", std::string(bytes, 'x')}};
  for (auto& record : models::testing::NetworkRecords(models::testing::CodeOf(body))) {
    records.push_back(std::move(record));
  }
  return models::testing::MadeArchive(records);
}

TEST(TorchScriptLook, LooksAtTheEndOfAFileOfAnySize) {
  const std::string large = Large(size_t{9} << 20, "return torch.relu(x)");
  const std::string hostile = Large(size_t{9} << 20, "return torch.from_file(\"a\", False, 1)");
  for (const size_t piece : {size_t{1000}, size_t{1} << 20, size_t{3} << 20, large.size()}) {
    EXPECT_THAT(Judge(large, piece), IsOk()) << piece;
    EXPECT_THAT(Judge(hostile, piece), StatusIs(kInvalid, HasSubstr("torch.from_file"))) << piece;
  }
}

TEST(TorchScriptLook, RefusesWhatIsNotArithmeticAndNamesTheLine) {
  for (const std::string& body : models::testing::HostileBodies()) {
    EXPECT_THAT(Judge(models::testing::NetworkOf(body), 100),
                StatusIs(kInvalid, HasSubstr("net.pt: code/__torch__.py: line")))
        << body;
  }
}

}  // namespace
}  // namespace tidemill::supervisor

#include "supervisor/pipeline/torchscript_file.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "base/testing/tree.h"

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

TEST(TorchScriptLook, LooksAtTheEndOfAFileOfAnySize) {
  const std::string end = "/code/PK\x05\x06" + std::string(18, '\0');
  const std::string large = "PK\x03\x04" + std::string(size_t{5} << 20, 'x') + end;
  for (const size_t piece : {size_t{1000}, size_t{1} << 20, size_t{3} << 20, large.size()}) {
    EXPECT_THAT(Judge(large, piece), IsOk()) << piece;
  }
}

}  // namespace
}  // namespace tidemill::supervisor

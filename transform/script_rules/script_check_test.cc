// What a TorchScript may hold, by its text and its records.
#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "base/testing/tree.h"
#include "transform/script_rules/allowed_operators.h"
#include "transform/script_rules/code_check.h"
#include "transform/script_rules/pickle_check.h"
#include "transform/script_rules/script_archive.h"
#include "transform/script_rules/testing/made_archive.h"

namespace tidemill::models {
namespace {

using ::testing::AllOf;
using testing::CodeOf;
using ::testing::HasSubstr;
using testing::MadeArchive;
using testing::NetworkOf;
using testing::NetworkRecords;
using tidemill::testing::InTree;
using tidemill::testing::IsOk;
using tidemill::testing::kInvalid;
using tidemill::testing::StatusIs;

absl::Status CheckBody(const std::string& body) {
  return CheckCode({{.name = "code/__torch__.py", .text = CodeOf(body)}});
}

absl::Status CheckFile(const std::string& file) { return CheckScriptTail(file, file.size()); }

absl::Status CheckRecords(const testing::Records& records) {
  return CheckFile(MadeArchive(records));
}

TEST(ScriptCode, OfArithmeticIsTaken) {
  for (const std::string body : {
           "return torch.relu(x)",
           "return x.relu_()",
           "return torch.relu_(x)",
           "y = torch.size(x, 0)\n    return torch.view(x, [y, -1])",
           "if torch.gt(x.shape[0], 1):\n      y = x\n    else:\n      y = torch.neg(x)\n    "
           "return y",
           "if bool(x):\n      ops.prim.RaiseException(\"torch.from_file is not called\")\n    "
           "return x",
           "y = annotate(List[Tensor], [])\n    torch.append(y, x)\n    return torch.cat(y, 0)",
           "return torch.zeros([2], dtype=ops.prim.dtype(x), device=ops.prim.device(x))",
           "f = __torch__.torch.nn.functional.relu\n    return f(x, False, )",
           "torch.warn(\"it is slow\", 2)\n    return x",
           "return CONSTANTS.c0",
           "y = self.training\n    return x  # print(x)",
           "return torch.mul(x, 1.5e-3)",
           "y = '''torch.from_file'''\n    return x",
       }) {
    EXPECT_THAT(CheckBody(body), IsOk()) << body;
  }
}

TEST(ScriptCode, OfAnythingElseIsRefused) {
  EXPECT_GE(testing::HostileBodies().size(), 20u);
  for (const std::string& body : testing::HostileBodies()) {
    EXPECT_THAT(CheckBody(body), StatusIs(kInvalid, HasSubstr("not among the operators"))) << body;
    EXPECT_THAT(CheckFile(NetworkOf(body)),
                StatusIs(kInvalid, HasSubstr("code/__torch__.py: line")))
        << body;
  }
}

TEST(ScriptCode, ARefusalNamesTheFileTheLineAndTheOperator) {
  EXPECT_THAT(CheckBody("y = torch.relu(x)\n    return torch.from_file(\"a\", False, 1)"),
              StatusIs(kInvalid, AllOf(HasSubstr("code/__torch__.py"), HasSubstr("line 8"),
                                       HasSubstr("torch.from_file"))));
  EXPECT_THAT(CheckBody("return ops.image.read_file(\"a\")"),
              StatusIs(kInvalid, HasSubstr("ops.image.read_file")));
}

TEST(ScriptCode, ARefusalSaysWhatToWriteInstead) {
  const std::pair<std::string, std::string> cases[] = {
      {"return torch.ctc_loss(x, x, [1], [1], 0, 0, False)", "training.loss names the loss"},
      {"return torch.empty([2])", "use torch.zeros"},
      {"return ops.prim.data(x)", "use .detach()"},
      {"return torch.add(x, x, out=x)", "out= is not among"},
  };
  for (const auto& [body, reason] : cases) {
    EXPECT_THAT(CheckBody(body), StatusIs(kInvalid, HasSubstr(reason))) << body;
  }
  // A variable may have that name.
  EXPECT_THAT(CheckBody("out = torch.relu(x)\n    return out"), IsOk());
}

TEST(ScriptCode, NothingHidesInStringsCommentsOrNumbers) {
  for (const std::string body : {
           "y = \"a\\\"\"\n    return torch.from_file(y, False, 1)",
           "y = 'a\\\\'\n    return torch.from_file(y, False, 1)",
           "y = \"\"\"a\"\"\".from_file(False, 1)\n    return y",
           "y = \"\".from_file(False, 1)\n    return y",
           "return 1.or\"a\".from_file(False, 1)",
           "return \"a\" . # a comment\n      from_file(False, 1)",
           "y = x  # type: torch.from_file\n    return y",
           "return getattr(torch, \"from_file\")(\"a\", False, 1)",
           "return getattr(\"a\", \"from\" \"_file\")(False, 1)",
           "return getattr(\"a\", \"from\\x5ffile\")(False, 1)",
           "from_file = 1\n    return \"a\".from_file(False, 1)",
           "torch = 1\n    return x",
       }) {
    EXPECT_FALSE(CheckBody(body).ok()) << body;
  }
  EXPECT_THAT(CheckBody("return \"open"), StatusIs(kInvalid, HasSubstr("does not end")));
  EXPECT_THAT(CheckBody(std::string("return x\0.relu()", 16)),
              StatusIs(kInvalid, HasSubstr("a character that is not valid in code")));
}

TEST(ScriptCode, OfAMethodThatRunsWhenTheFileIsReadIsRefused) {
  const std::string code = CodeOf("return x", "__setstate__");
  EXPECT_THAT(CheckCode({{.name = "code/__torch__.py", .text = code}}),
              StatusIs(kInvalid, HasSubstr("would run when the file is read")));
}

TEST(ScriptOperators, OfAGraphAreThoseOfTheText) {
  EXPECT_TRUE(IsGraphNode("aten::relu"));
  EXPECT_TRUE(IsGraphNode("aten::add_"));
  EXPECT_TRUE(IsGraphNode("prim::If"));
  for (const char* const kind : {"aten::from_file", "aten::save", "aten::empty", "prim::Print",
                                 "prim::fork", "prim::PythonOp", "prim::FusionGroup",
                                 "image::read_file", "aten::", "prim::", "aten::relu__"}) {
    EXPECT_FALSE(IsGraphNode(kind)) << kind;
  }
}

TEST(ScriptFile, WrittenByTorchIsTaken) {
  for (const char* const name : {"rows.pt", "network.pt"}) {
    const std::string file = *files::Read(InTree(std::string("tests/testdata/") + name));
    EXPECT_THAT(CheckFile(file), IsOk()) << name;
    // The bytes before the code are not needed.
    EXPECT_THAT(CheckScriptTail(std::string_view(file).substr(100), file.size()), IsOk()) << name;
  }
  EXPECT_THAT(CheckFile(NetworkOf("return torch.relu(x)")), IsOk());
}

TEST(ScriptFile, WithOtherRecordsIsRefused) {
  const testing::Records good = NetworkRecords(CodeOf("return x"));
  for (const char* const name : {"model.json", "code/__torch__.so", "code/library", "tensors/1",
                                 "CODE/__torch__.py", "../data.pkl", "data.pkl/x"}) {
    testing::Records records = good;
    records.emplace_back(name, "x");
    EXPECT_THAT(CheckRecords(records), StatusIs(kInvalid, HasSubstr("does not write"))) << name;
  }
  testing::Records twice = good;
  twice.emplace_back("code/__TORCH__.py", "");
  EXPECT_THAT(CheckRecords(twice), StatusIs(kInvalid, HasSubstr("twice")));
}

TEST(ScriptFile, WithADamagedTableOfContentsIsRefused) {
  const std::string file = NetworkOf("return x");
  for (size_t at = file.size() - 22; at < file.size(); ++at) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    // Some of these bytes are of no use: then it is as if nothing was done to them.
    CheckFile(damaged).IgnoreError();
  }
  EXPECT_THAT(CheckFile(file.substr(0, file.size() - 1)), StatusIs(kInvalid, HasSubstr("damaged")));
  EXPECT_THAT(CheckFile(""), StatusIs(kInvalid, HasSubstr("damaged")));
}

std::string Pickle(const std::string& body) { return "\x80\x02" + body + "."; }

// A tensor of four bytes a number, by its key and count.
std::string Storage(char key, char count) {
  return std::string("(X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0", 38) + key +
         std::string("X\x03\0\0\0cpuK", 9) + count + "tQ";
}

absl::Status CheckObjects(const std::string& bytes) {
  return CheckPickle(bytes, [](const std::string& key) {
    return key == "0" ? std::optional<uint64_t>(16) : std::nullopt;
  });
}

TEST(ScriptPickle, WithClassesOfItsOwnAndTensorsIsTaken) {
  EXPECT_THAT(CheckObjects(Pickle("c__torch__.a.b\nNet\n)\x81}b")), IsOk());
  EXPECT_THAT(CheckObjects(Pickle(Storage('0', 4))), IsOk());
}

TEST(ScriptPickle, WithClassesOfOtherCodeIsRefused) {
  for (const std::string name :
       {"os\nsystem\n", "posix\nsystem\n", "__builtin__\neval\n", "torch\nload\n",
        "__torch__.torch.classes.quantized\nConv2dPackedParamsBase\n",
        "__torch__.torch\nclasses.c10d.ProcessGroup\n", "__torch__\ntorch.classes.a.B\n",
        "torch.distributed.rpc\nrref\n", "torch._tensor\n_rebuild_from_type_v2\n",
        "__main__\nTensorID\n"}) {
    EXPECT_THAT(CheckObjects(Pickle("c" + name)), StatusIs(kInvalid, HasSubstr("of the class")))
        << name;
  }
}

TEST(ScriptPickle, WithATensorLargerThanItsRecordIsRefused) {
  EXPECT_THAT(CheckObjects(Pickle(Storage('0', 5))),
              StatusIs(kInvalid, HasSubstr("needs 5 numbers of 4 bytes")));
  EXPECT_THAT(CheckObjects(Pickle(Storage('1', 1))), StatusIs(kInvalid, HasSubstr("has 0 bytes")));
}

TEST(ScriptPickle, ThatIsNoneIsRefused) {
  for (const std::string& bytes :
       {std::string(), std::string("x"), Pickle("t"), Pickle("R"), Pickle("Q"), Pickle("h\x01"),
        Pickle("\x8a\x01"), Pickle("i"), std::string("\x80\x02X\xff\xff\xff\xff")}) {
    EXPECT_FALSE(CheckObjects(bytes).ok());
  }
}

}  // namespace
}  // namespace tidemill::models

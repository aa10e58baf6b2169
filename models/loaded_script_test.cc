#include "models/loaded_script.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "models/torch/guard.h"
#include "transform/script_rules/testing/made_archive.h"

namespace tidemill::models {
namespace {

using ::testing::HasSubstr;
using testing::MadeArchive;
using testing::NetworkOf;
using testing::NetworkRecords;
using tidemill::testing::IsOk;
using tidemill::testing::kInvalid;
using tidemill::testing::StatusIs;

// What forward() of a network with this body gives for twelve numbers, or why it raises an error.
absl::StatusOr<torch::Tensor> ResultOf(const std::string& file) {
  ASSIGN_OR_RETURN(torch::jit::Module module, LoadScript(file));
  return Guard("forward()", [&]() -> absl::StatusOr<torch::Tensor> {
    return module.forward({torch::arange(12, torch::kFloat).reshape({3, 4}).requires_grad_()})
        .toTensor();
  });
}

std::string WhyBodyFails(const std::string& body) {
  return std::string(ResultOf(NetworkOf(body)).status().message());
}

// Two classes of which the one has more attributes, and a network that takes the one for the other.
std::string ConfusedCode(const std::string& cast) {
  return "class Small(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
         "class Large(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
         "  a : int\n  b : int\n  c : int\n  d : int\n"
         "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
         "  part : __torch__.Small\n"
         "  def forward(self: __torch__.Net,\n    x: Tensor) -> Tensor:\n"
         "    part = self.part\n    large = " +
         cast + "\n    return torch.add(x, large.d)\n";
}

// The network with a part of this class.
std::string ConfusedNetwork(const std::string& code, const std::string& part) {
  testing::Records records = NetworkRecords(code);
  records[0].second = std::string(
                          "\x80\x02"
                          "c__torch__\nNet\n"
                          ")\x81}(X\x08\0\0\0training\x88X\x04\0\0\0partc__torch__\n",
                          55) +
                      part + std::string("\n)\x81}X\x08\0\0\0training\x88sbub.", 23);
  return MadeArchive(records);
}

TEST(LoadedScript, ACastToAnotherClassIsRefusedWhenItRuns) {
  const std::string cast = ConfusedCode("unchecked_cast(__torch__.Large, part)");
  EXPECT_THAT(ResultOf(ConfusedNetwork(cast, "Small")).status().ToString(),
              HasSubstr("a __torch__.Small is used as a __torch__.Large"));
}

TEST(LoadedScript, AnAttributeOfAnotherClassThanTheCodeSaysIsRefused) {
  std::string code = ConfusedCode("part");
  code.replace(code.find("  part : __torch__.Small"), 24, "  part : __torch__.Large");
  EXPECT_THAT(LoadScript(ConfusedNetwork(code, "Small")).status(),
              StatusIs(kInvalid, HasSubstr("the module.part is a __torch__.Small instead of a "
                                           "__torch__.Large")));
}

TEST(LoadedScript, AnOrderThatAMethodMakesUpIsRefused) {
  std::string code = ConfusedCode("annotate(List[__torch__.Small], [part, part])");
  const size_t large = code.find("class Large");
  code.insert(large,
              "  def __lt__(self: __torch__.Small,\n    other: __torch__.Small) -> bool:\n"
              "    return True\n");
  code.resize(code.find("    return torch.add(x, large.d)"));
  // What has no effect is left out when a file is loaded.
  code += "    torch.sort(large)\n    return torch.add(x, torch.len(large))\n";
  EXPECT_THAT(LoadScript(ConfusedNetwork(code, "Small")).status(),
              StatusIs(kInvalid, HasSubstr("aten::sort of objects is not among")));
  EXPECT_THAT(ResultOf(NetworkOf("y = annotate(List[Tuple[int, int]], [(2, 1), (1, 2)])\n"
                                 "    torch.sort(y)\n    return torch.add(x, torch.len(y))"))
                  .status(),
              IsOk());
}

TEST(LoadedScript, ACastThatHoldsIsNotNoticed) {
  EXPECT_THAT(
      ResultOf(NetworkOf("y = annotate(Optional[Tensor], x)\n    if torch.__isnot__(y, None):"
                         "\n      z = unchecked_cast(Tensor, y)\n    else:\n      z = x\n"
                         "    return z"))
          .status(),
      IsOk());
}

TEST(LoadedScript, NumbersThatNameNoTypeOrLayoutAreRefused) {
  EXPECT_THAT(WhyBodyFails("return torch.zeros([2], dtype=1000)"),
              HasSubstr("dtype is 1000, which is not among the types of numbers"));
  EXPECT_THAT(WhyBodyFails("return torch.zeros([2], layout=7)"), HasSubstr("layout is 7"));
  EXPECT_THAT(WhyBodyFails("return torch.clone(x, memory_format=99)"),
              HasSubstr("memory_format is 99"));
  EXPECT_THAT(WhyBodyFails("return torch.zeros([2], device=torch.device(\"meta\"))"),
              HasSubstr("device is neither a CPU nor a GPU"));
  // Known only when it runs.
  EXPECT_THAT(WhyBodyFails("n = torch.mul(torch.size(x, 0), 100)\n"
                           "    return torch.zeros([2], dtype=n)"),
              HasSubstr("dtype is 300"));
  EXPECT_THAT(ResultOf(NetworkOf("return torch.zeros([2], dtype=ops.prim.dtype(x))")).status(),
              IsOk());
}

TEST(LoadedScript, WhatLeadsOutOfATensorIsRefused) {
  EXPECT_THAT(WhyBodyFails("return torch.as_strided(x, [100], [1])"),
              HasSubstr("lead out of the tensor"));
  EXPECT_THAT(WhyBodyFails("y = torch.slice(x, 0, 1, 2)\n"
                           "    return torch.as_strided(y, [4], [1], 0)"),
              HasSubstr("lead out of the tensor"));
  EXPECT_THAT(ResultOf(NetworkOf("return torch.as_strided(x, [2, 2], [4, 1])")).status(), IsOk());
  EXPECT_THAT(
      WhyBodyFails("i = torch.full([3], 5, dtype=4)\n"
                   "    y, z = torch._pad_packed_sequence(x, i, False, 0., 4)\n    return y"),
      HasSubstr("batch_sizes are not those of a packed sequence"));
}

TEST(LoadedScript, StepsThatDoNotFitInMemoryAreRefused) {
  const std::string body = "return torch.max_pool1d(x, [2], [{}], [0], [1], False)";
  EXPECT_THAT(WhyBodyFails(fmt::format(fmt::runtime(body), "1099511627776")),
              HasSubstr("stride is 1099511627776"));
  EXPECT_THAT(ResultOf(NetworkOf(fmt::format(fmt::runtime(body), "1"))).status(), IsOk());
}

TEST(LoadedScript, ADivisionByZeroIsAnError) {
  EXPECT_THAT(WhyBodyFails("n = torch.sub(torch.size(x, 0), 3)\n"
                           "    return torch.zeros([torch.remainder(5, n)])"),
              HasSubstr("a division by zero"));
}

}  // namespace
}  // namespace tidemill::models

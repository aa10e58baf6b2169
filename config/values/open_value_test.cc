#include "config/values/open_value.h"

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"

namespace tidemill::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;

struct Use {
  std::map<std::string, OpenValue> with;
  void Fields(auto&& field) { field("with", with, "Settings of something else."); }
};

Use MustRead(const std::string& text) {
  auto use = Read<Use>(text, "use.yaml");
  EXPECT_THAT(use, IsOk());
  return use.ok() ? *use : Use();
}

TEST(OpenValue, IsReadAsWhatItsOwnerSaysItIs) {
  const Use use = MustRead("with: {at: 1e-3, many: 2k, loud: true, name: 'yes', list: [1, b]}");
  double at = 0;
  EXPECT_FALSE(ReadOpen(use.with.at("at").scalars[0], at));
  EXPECT_EQ(at, 0.001);
  int64_t many = 0;
  EXPECT_FALSE(ReadOpen(use.with.at("many").scalars[0], many));
  EXPECT_EQ(many, 2000);
  bool on = false;
  EXPECT_FALSE(ReadOpen(use.with.at("loud").scalars[0], on));
  EXPECT_TRUE(on);
  std::string name;
  EXPECT_FALSE(ReadOpen(use.with.at("name").scalars[0], name));
  EXPECT_EQ(name, "yes");
  EXPECT_TRUE(use.with.at("list").is_list);
  EXPECT_EQ(use.with.at("list").scalars.size(), 2U);
}

TEST(OpenValue, OfAnotherTypeNamesTheExpectedType) {
  const Use use = MustRead("with: {at: '0.5', name: no}");
  double at = 7;
  const auto number = ReadOpen(use.with.at("at").scalars[0], at);
  ASSERT_TRUE(number);
  EXPECT_EQ(number->hint, "remove the quotes");
  EXPECT_EQ(at, 7);
  std::string name;
  const auto text = ReadOpen(use.with.at("name").scalars[0], name);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->hint, "quote it: \"no\"");
}

TEST(OpenValue, IsPrintedAsItWasWritten) {
  const std::string text =
      "with:\n"
      "  at: 1e-3\n"
      "  count: 12\n"
      "  list: [1.10, \"1.10\", plain, \"a, b\"]\n"
      "  quoted: \"12\"\n"
      "  word: no\n";
  const Use use = MustRead(text);
  EXPECT_EQ(Print(use), text);
  EXPECT_EQ(MustRead(Print(use)).with, use.with);
}

// A pipeline is kept with the programs that its ops and plug-ins name, in base64.
TEST(KeptDocument, MayHoldSomeMegabytes) {
  const std::string text = "with:\n  file: " + std::string(8 << 20, 'x') + "\n";
  EXPECT_THAT(ReadKept<Use>(text, "use.yaml"), IsOk());
  EXPECT_THAT(Read<Use>(text, "use.yaml").status().message(), HasSubstr("more than 1048576 bytes"));
}

TEST(KeptDocument, MayHaveKeysThatDidNothing) {
  const std::string text = "autocache: false\nwith:\n  at: 1\nmodel_store:\n  encoding: full\n";
  EXPECT_THAT(ReadKept<Use>(text, "use.yaml"), IsOk());
  EXPECT_THAT(Read<Use>(text, "use.yaml").status().message(),
              AllOf(HasSubstr("use.yaml:1:1: error: unknown key 'autocache' at the top level"),
                    HasSubstr("use.yaml:4:1: error: unknown key 'model_store' at the top level"),
                    HasSubstr("delete it: it had no effect")));
}

TEST(OpenValue, IsNotASection) {
  EXPECT_THAT(Read<Use>("with: {at: {x: 1}}", "use.yaml").status().message(),
              HasSubstr("use.yaml:1:8: error: with.at: expected a value or a list of values"));
  EXPECT_THAT(Read<Use>("with: {at: [[1]]}", "use.yaml").status().message(),
              HasSubstr("with.at[0]: expected a value, got a list"));
}

}  // namespace
}  // namespace tidemill::config

#include "plugin/spec/declared_settings.h"

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "plugin/spec/plugin_use.h"

namespace tidemill::plugin {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::tidemill::testing::IsOk;
using ::tidemill::testing::StatusIs;

// What a plug-in with one setting of each type says.
std::vector<DeclaredSetting> Declared() {
  const auto said = json::parse(R"([
    {"name": "threshold", "type": "number", "default": 0.2, "min": 0, "max": 1, "doc": "A share."},
    {"name": "every", "type": "integer"},
    {"name": "loud", "type": "boolean", "default": false},
    {"name": "mode", "type": "text", "default": "mean", "choices": ["mean", "median"]},
    {"name": "weights", "type": "numbers", "default": [1, 2]},
    {"name": "days", "type": "texts", "default": []}])");
  auto declared = ReadDeclared(said);
  EXPECT_THAT(declared, IsOk());
  return declared.value_or(std::vector<DeclaredSetting>());
}

// What the pipeline's `use` gives, or all problems with it.
absl::StatusOr<json> Settings(const std::string& with) {
  auto decoded = config::Decode<PluginUse>(
      {.text = "use: a.py:A\nwith: " + with, .name = "use.yaml", .variables = {}});
  json settings = SettingsOf(Declared(), decoded.value.with, decoded.problems);
  RETURN_IF_ERROR(decoded.problems.ToStatus());
  return settings;
}

TEST(DeclaredSettings, AreWhatThePipelineSaysAndDefaults) {
  const auto settings = Settings("{every: 5, threshold: 1, weights: [0.5], days: [a, b]}");
  ASSERT_THAT(settings, IsOk());
  EXPECT_EQ(*settings, json::parse(R"({"threshold": 1.0, "every": 5, "loud": false, "mode": "mean",
                                      "weights": [0.5], "days": ["a", "b"]})"));
}

TEST(DeclaredSettings, ReportMistakesWithTheirPlace) {
  const auto settings = Settings("{every: 1.5, treshold: 0.1, mode: media, loud: yes, days: a}");
  const std::string text(settings.status().message());
  EXPECT_THAT(text,
              HasSubstr("use.yaml:2:15: error: with.every: expected a whole number, got '1.5'"));
  EXPECT_THAT(text, HasSubstr("the plug-in has no setting 'treshold'"));
  EXPECT_THAT(text, HasSubstr("did you mean 'threshold'?"));
  EXPECT_THAT(text, HasSubstr("unknown value 'media'"));
  EXPECT_THAT(text, HasSubstr("did you mean 'median'?"));
  EXPECT_THAT(text, HasSubstr("write true"));
  EXPECT_THAT(text, HasSubstr("days: expected a list of texts"));
  EXPECT_THAT(text, HasSubstr("write [a]"));
}

TEST(DeclaredSettings, AreMissingWhereThereIsNoDefault) {
  EXPECT_THAT(Settings("{threshold: 2}").status().message(),
              HasSubstr("the setting 'every' is missing"));
  EXPECT_THAT(Settings("{threshold: 2}").status().message(), HasSubstr("2 is above 1"));
}

TEST(DeclaredSettings, OfAnUnknownTypeAreRefused) {
  EXPECT_THAT(ReadDeclared(json::parse(R"([{"name": "a", "type": "date"}])")),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("the setting a is of an unknown type, 'date'")));
}

TEST(PluginUse, NamesAFileAndAPlugInInIt) {
  const auto use = config::Read<PluginUse>("use: parts/a.so:B", "use.yaml");
  ASSERT_THAT(use, IsOk());
  EXPECT_EQ(use->file(), "parts/a.so");
  EXPECT_EQ(use->name(), "B");
  EXPECT_EQ(use->language(), Language::kCpp);
  EXPECT_THAT(config::Read<PluginUse>("use: a.py", "use.yaml").status().message(),
              HasSubstr("does not name a file and a plug-in in it"));
  for (const char* const named : {"a.py:", "a.py::", "a.py::B", ":B"}) {
    EXPECT_THAT(
        config::Read<PluginUse>(fmt::format("use: '{}'", named), "use.yaml").status().message(),
        HasSubstr("does not name a file and a plug-in"))
        << named;
  }
  EXPECT_THAT(config::Read<PluginUse>("{use: 'a.py:B', files: [a.csv, a.csv]}", "use.yaml")
                  .status()
                  .message(),
              HasSubstr("names a.csv again"));
  EXPECT_THAT(config::Read<PluginUse>("use: a.rb:B", "use.yaml").status().message(),
              HasSubstr("neither a Python file nor a shared object"));
}

}  // namespace
}  // namespace tidemill::plugin

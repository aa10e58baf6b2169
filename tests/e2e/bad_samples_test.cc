// Samples that a graph cannot turn into numbers: what becomes of them is the pipeline's choice.
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The small pipeline over data in which the records 100, 200 and 300 have no number in `a`.
std::string WritePipeline(const std::string& folder, const std::string& preprocess,
                          const std::string& training) {
  const std::string path = WriteSmallPipeline(folder);
  std::string data = files::Read(folder + "/drift.csv").value();
  size_t at = data.find('\n') + 1;
  for (int row = 0; row <= 300; ++row) {
    const size_t end = data.find('\n', at);
    if (row > 0 && row % 100 == 0) {
      const size_t field = data.find(',', at) + 1;
      data.replace(field, data.find(',', field) - field, "broken");
    }
    at = data.find('\n', at) + 1;
    if (end == std::string::npos) break;
  }
  EXPECT_TRUE(files::WriteAtomically(folder + "/drift.csv", data).ok());
  std::string text = files::Read(path).value();
  const std::string dataset = "preprocess:\n  dataset: drift\n";
  text.insert(text.find(dataset) + dataset.size(), preprocess);
  const std::string seed = "  seed: 11\n";
  text.insert(text.find(seed) + seed.size(), training);
  // All of the data, so that the bad samples are among it.
  const size_t selection = text.find("selection:");
  text.replace(selection, text.find('\n', selection) - selection, "selection: {type: new_data}");
  EXPECT_TRUE(files::WriteAtomically(path, text).ok());
  return path;
}

class BadSamples : public ::testing::TestWithParam<const char*> {};

TEST_P(BadSamples, AreLeftOutAndListedWithTheirKeysAndReasons) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0);
  const CommandResult run =
      stack.Tidemill({"run", WritePipeline(stack.files(), GetParam(), ""), "--json"});
  EXPECT_EQ(run.exit_code, 8) << run.err << stack.Logs();
  const CommandResult listed = stack.Tidemill({"datasets", "quarantine", "drift", "--json"});
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  const nlohmann::json entries = listed.Json();
  ASSERT_EQ(entries.size(), 3u) << listed.out;
  std::set<int> records;
  for (const nlohmann::json& entry : entries) {
    records.insert(entry.at("record").get<int>());
    EXPECT_TRUE(entry.at("key").is_number_integer());
    EXPECT_THAT(entry.at("reason").get<std::string>(), HasSubstr("broken"));
  }
  EXPECT_THAT(records, ElementsAre(100, 200, 300));
}

TEST_P(BadSamples, EndTheTrainingWhereThePipelineSaysSoNamingOne) {
  const Stack stack;
  const CommandResult run = stack.Tidemill(
      {"run", WritePipeline(stack.files(), GetParam(), "  max_bad_samples: 0\n"), "--json"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("max_bad_samples"));
  EXPECT_THAT(run.err, HasSubstr("broken"));
}

INSTANTIATE_TEST_SUITE_P(Places, BadSamples, ::testing::Values("", "  workers: {}\n"),
                         [](const ::testing::TestParamInfo<const char*>& tested) {
                           return std::string(tested.param).empty() ? "Training" : "Workers";
                         });

}  // namespace
}  // namespace tidemill::tests

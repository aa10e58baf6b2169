// Trainings that are taken from other runs (`training: {reuse: true}`): the same models and counts
// as without, whatever happens to those others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fmt/format.h"

#include "base/files.h"
#include "selector/client/selector_client.h"
#include "tests/run_comparison.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

void Replace(std::string& text, const std::string& what, const std::string& by) {
  ASSERT_NE(text.find(what), std::string::npos) << what;
  text.replace(text.find(what), what.size(), by);
}

// The small pipeline with some bad rows. Each trigger trains on everything before it.
std::string WriteReusingPipeline(const std::string& folder, int64_t every,
                                 const std::string& training = "warm_start: false") {
  const std::string path =
      WriteSmallPipeline(folder, fmt::format("{{type: amount, samples: {}}}", every));
  std::string rows = files::Read(folder + "/drift.csv").value();
  for (const char* const minute : {":13:20Z", ":23:20Z"}) {
    const size_t at = rows.find(',', rows.find(minute));
    rows.insert(at + 1, "none");
  }
  EXPECT_TRUE(files::WriteAtomically(folder + "/drift.csv", rows).ok());
  std::string text = files::Read(path).value();
  Replace(text, "{type: balanced, fraction: 0.8, weights: inverse_probability}", "all_data");
  Replace(text, "retention: {training_sets: 3}\n", "");
  Replace(text, "warm_start: true", training + "\n  reuse: true");
  EXPECT_TRUE(files::WriteAtomically(path, text).ok());
  return path;
}

// The JSON of a run of the pipeline to its end, which says that the bad rows were lost.
json RunOf(const Stack& stack, const std::string& pipeline) {
  constexpr int kPartial = 8;
  const CommandResult result = stack.Tidemill({"run", pipeline, "--json"});
  EXPECT_EQ(result.exit_code, kPartial) << result.err << stack.Logs();
  if (result.exit_code != kPartial) return json::object({{"triggers", json::array()}});
  return result.Json();
}

// For each trigger: "1/2" for a model of trigger 2 of run 1, "" for one that it has trained.
std::vector<std::string> Sources(const json& run) {
  std::vector<std::string> sources;
  for (const json& trigger : run.at("triggers")) {
    const bool reused = trigger.at("reused").get<bool>();
    EXPECT_EQ(reused, trigger.contains("reused_from"));
    sources.push_back(reused ? trigger.at("reused_from").at("run").dump() + "/" +
                                   trigger.at("reused_from").at("trigger").dump()
                             : "");
  }
  return sources;
}

// What else must be equal: where each sample is, and what the trainings cost.
std::vector<std::string> CountsOf(const json& run) {
  std::vector<std::string> counts;
  for (const json& trigger : run.at("triggers")) {
    counts.push_back(trigger.at("ledger").dump() + " bad " + trigger.at("bad").dump());
  }
  return counts;
}

std::vector<double> SecondsOf(const json& run) {
  std::vector<double> seconds;
  for (const json& trigger : run.at("triggers")) {
    seconds.push_back(trigger.at("stages").at("train").get<double>());
  }
  return seconds;
}

void Delete(const Stack& stack, const json& run) {
  const CommandResult deleted =
      stack.Tidemill({"runs", "delete", run.at("run").dump(), "--even-in-use"});
  EXPECT_EQ(deleted.exit_code, 0) << deleted.err;
}

TEST(Reuse, GivesTheModelsCountsAndCostsOfTheFirstTimeWhateverBecomesOfItsRun) {
  const Stack stack;
  const std::string pipeline = WriteReusingPipeline(stack.files(), 250);
  const json first = RunOf(stack, pipeline);
  EXPECT_THAT(Sources(first), ElementsAre("", "", "", ""));
  const json second = RunOf(stack, pipeline);
  EXPECT_THAT(Sources(second), ElementsAre("1/1", "1/2", "1/3", "1/4"));
  EXPECT_EQ(Fingerprint(second), Fingerprint(first));
  EXPECT_EQ(CountsOf(second), CountsOf(first));
  EXPECT_EQ(SecondsOf(second), SecondsOf(first));
  EXPECT_GT(first.at("triggers").at(3).at("bad").get<int>(), 0);
  EXPECT_THAT(stack.Tidemill({"runs", "show", "2"}).out,
              HasSubstr("4 of 4 models were trained before and are reused"));

  // The models of the second run are its own.
  Delete(stack, first);
  const CommandResult exported =
      stack.Tidemill({"models", "export", second.at("models").at(0).dump(), "--output",
                      stack.files() + "/exported"});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  const json third = RunOf(stack, pipeline);
  EXPECT_THAT(Sources(third), ElementsAre("1/1", "1/2", "1/3", "1/4"));
  EXPECT_EQ(Fingerprint(third), Fingerprint(first));
  EXPECT_EQ(SecondsOf(third), SecondsOf(first));

  // Trained again, they are the same.
  Delete(stack, second);
  Delete(stack, third);
  const json again = RunOf(stack, pipeline);
  EXPECT_THAT(Sources(again), ElementsAre("", "", "", ""));
  EXPECT_EQ(Fingerprint(again), Fingerprint(first));
  EXPECT_EQ(CountsOf(again), CountsOf(first));
}

TEST(Reuse, SharesTheCutsThatTwoPoliciesShare) {
  const Stack stack;
  const json coarse = RunOf(stack, WriteReusingPipeline(stack.files(), 500));
  EXPECT_THAT(Sources(coarse), ElementsAre("", ""));
  const json fine = RunOf(stack, WriteReusingPipeline(stack.files(), 250));
  EXPECT_THAT(Sources(fine), ElementsAre("", "1/1", "", "1/2"));
  for (const int i : {0, 1}) {
    EXPECT_EQ(fine.at("triggers").at(2 * i + 1).at("weights_digest"),
              coarse.at("triggers").at(i).at("weights_digest"));
  }
  // Trained under the other number of their triggers they are the same.
  Delete(stack, coarse);
  Delete(stack, fine);
  const json alone = RunOf(stack, WriteReusingPipeline(stack.files(), 250));
  EXPECT_THAT(Sources(alone), ElementsAre("", "", "", ""));
  EXPECT_EQ(Fingerprint(alone), Fingerprint(fine));
  // Another seed is another model, and so is a training from the model before.
  const std::string path = WriteReusingPipeline(stack.files(), 250);
  std::string text = files::Read(path).value();
  Replace(text, "seed: 11", "seed: 12");
  ASSERT_TRUE(files::WriteAtomically(path, text).ok());
  EXPECT_THAT(Sources(RunOf(stack, path)), ElementsAre("", "", "", ""));
  const std::string warm = WriteReusingPipeline(stack.files(), 250, "warm_start: true");
  const json warm_run = RunOf(stack, warm);
  EXPECT_THAT(Sources(warm_run), ElementsAre("3/1", "", "", ""));
  const json warm_again = RunOf(stack, warm);
  EXPECT_THAT(Sources(warm_again), ElementsAre("3/1", "5/2", "5/3", "5/4"));
  EXPECT_EQ(Fingerprint(warm_again), Fingerprint(warm_run));
}

class KilledReuse : public ::testing::TestWithParam<const char*> {};

TEST_P(KilledReuse, IsTheSameAsOneThatNothingDisturbs) {
  const Stack stack;
  const std::string marks = stack.files() + "/marks";
  std::filesystem::create_directory(marks);
  const std::string point = GetParam();
  ASSERT_EQ(stack
                .Tidemill({"up"}, {{"TIDEMILL_FAILPOINTS", point + "=kill"},
                                   {"TIDEMILL_FAILPOINTS_ONCE", marks}})
                .exit_code,
            0)
      << stack.Logs();
  const std::string pipeline = WriteReusingPipeline(stack.files(), 250);
  const json first = RunOf(stack, pipeline);
  EXPECT_FALSE(std::filesystem::exists(marks + "/" + point));
  const json second = RunOf(stack, pipeline);
  EXPECT_TRUE(std::filesystem::exists(marks + "/" + point)) << "nothing passed " << point;
  EXPECT_THAT(Sources(second), ElementsAre("1/1", "1/2", "1/3", "1/4"));
  EXPECT_EQ(Fingerprint(second), Fingerprint(first));
  EXPECT_EQ(CountsOf(second), CountsOf(first));
  EXPECT_EQ(SecondsOf(second), SecondsOf(first));
  const json models = stack.Tidemill({"models", "list", "--json"}).Json();
  EXPECT_EQ(models.size(), 8U) << models.dump();
}

INSTANTIATE_TEST_SUITE_P(Failpoints, KilledReuse,
                         ::testing::Values("supervisor.after_reuse", "model_store.before_reuse"));

std::vector<int64_t> KeysOf(selector::SelectorClient& selector, int64_t run, int64_t trigger) {
  const auto set = selector.ReadTrainingSet(RunId{run}, trigger);
  EXPECT_TRUE(set.ok()) << set.status().ToString();
  if (!set.ok()) return {};
  return {set->keys().begin(), set->keys().end()};
}

TEST(Reuse, TakesNoModelThatHasSeenASampleThatWasDeleted) {
  const Stack stack;
  ASSERT_EQ(stack.Tidemill({"up"}).exit_code, 0) << stack.Logs();
  const std::string pipeline = WriteReusingPipeline(stack.files(), 250);
  const json first = RunOf(stack, pipeline);
  // A sample that trigger 2 was the first to train on.
  const int64_t deleted = first.at("triggers").at(1).at("at_key").get<int64_t>() - 20;
  selector::SelectorClient selector(stack.PeerOf("selector"));
  ASSERT_THAT(KeysOf(selector, 1, 2), Contains(deleted));
  ASSERT_THAT(KeysOf(selector, 1, 1), Not(Contains(deleted)));
  const CommandResult deletion =
      stack.Tidemill({"datasets", "delete", "drift", "--keys", std::to_string(deleted), "--yes"});
  ASSERT_EQ(deletion.exit_code, 0) << deletion.err;
  const json second = RunOf(stack, pipeline);
  EXPECT_THAT(Sources(second), ElementsAre("1/1", "", "", ""));
  for (int64_t trigger = 1; trigger <= 4; ++trigger) {
    EXPECT_THAT(KeysOf(selector, 2, trigger), Not(Contains(deleted)));
  }
}

}  // namespace
}  // namespace tidemill::tests

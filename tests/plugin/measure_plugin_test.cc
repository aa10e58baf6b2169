// Measures of users, in Python and in C++: equal to the built-in ones to the last bit, and what
// becomes of one that does wrong.
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "evaluator/testing/predictors.h"
#include "evaluator/testing/samples.h"
#include "evaluator/trials/invented_outcomes.h"
#include "evaluator/trials/measure_promises.h"
#include "evaluator/windows/window_measurement.h"
#include "results/pooling.h"
#include "tests/plugin/test_plugins.h"

namespace tidemill::evaluator {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::tidemill::testing::IsOk;

// As a pipeline has it once it was submitted.
absl::StatusOr<EvaluationSpec> Submitted(const std::string& rest) {
  auto decoded = config::Decode<EvaluationSpec>(
      {.text = "{dataset: test, " + rest + "}", .name = "evaluation", .variables = {}});
  tests::PluginFiles files;
  if (decoded.problems.empty()) decoded.value.TakeFiles(files, decoded.problems);
  RETURN_IF_ERROR(decoded.problems.ToStatus());
  decoded.value.OpenMeasures();
  return std::move(decoded.value);
}

MeasureSpec MustSubmit(const std::string& measure) {
  const auto spec = Submitted("measures: [" + measure + "]");
  EXPECT_THAT(spec, IsOk()) << measure;
  return spec.ok() ? spec->measures.front() : MeasureSpec();
}

ScoredModel Model() {
  auto spec = config::Read<transform::GraphSpec>(testing::kGraph, "graph");
  auto graph = transform::Graph::Build(*spec, testing::Schema());
  EXPECT_THAT(graph, IsOk());
  std::string fingerprint = graph->Fingerprint();
  ScoredModel model{
      .model_id = 1, .trigger = 1, .status = {}, .graph = nullptr, .predictor = nullptr};
  model.graph = std::make_shared<const PreparedGraph>(
      PreparedGraph{std::move(*graph), std::nullopt, std::move(fingerprint)});
  model.predictor = *testing::MakeThresholdPredictor({}, "6.5");
  return model;
}

enum class Kill { kNobody, kHosts };

// The scores of a window of 300 samples, in blocks of `block` rows.
v1::ModelScores Measured(const EvaluationSpec& spec, int64_t block,
                         Kill kill_whom = Kill::kNobody) {
  const MeasurementPlan plan{
      .spec = spec, .class_names = {"LOW", "HIGH"}, .samples = testing::Schema()};
  ScoredModel model = Model();
  std::vector<ScoredModel*> models = {&model};
  WindowMeasurement measurement(0, plan, models);
  for (int64_t begin = 0; begin < 300; begin += block) {
    std::vector<std::string> records;
    std::vector<int64_t> classes;
    for (int64_t i = begin; i < std::min<int64_t>(300, begin + block); ++i) {
      // The model errs between 4 and 6.5.
      const int64_t x = i * 7 % 13;
      records.push_back(fmt::format("{},{}", x, x > 4 ? "HIGH" : "LOW"));
      classes.push_back(x > 4 ? 1 : 0);
    }
    measurement.Add(
        {.samples = testing::SamplesOf(records, classes, begin), .num_known = std::ssize(records)});
    if (kill_whom == Kill::kNobody) continue;
    for (const pid_t process : tests::Descendants()) kill(process, SIGKILL);
  }
  auto scores = measurement.Scores();
  EXPECT_THAT(measurement.interruption(), IsOk());
  EXPECT_EQ(scores.size(), 1U);
  return scores.front();
}

// The same numbers under another name.
std::string NumbersOf(const v1::ModelScores& scores, const std::string& measure) {
  std::string all;
  for (const v1::Evaluation& score : scores.scores()) {
    if (score.measure() != measure) continue;
    all += fmt::format("{} {} {} {} {}\n", score.slice(), score.has_value(), score.value(),
                       score.low(), score.high());
  }
  return all;
}

// By the language of the file.
class PluginMeasures : public ::testing::TestWithParam<const char*> {
 protected:
  void TearDown() override { EXPECT_THAT(tests::Descendants(), IsEmpty()); }

  static std::string Use(const std::string& name, const std::string& more = "") {
    return fmt::format("{{type: plugin, use: '{}:{}'{}}}", GetParam(), name, more);
  }
  static std::string All() {
    return fmt::format(
        "measures: [accuracy, log_loss, {}, {}, {}], slices: [class], bootstrap: {{replicates: "
        "50}}",
        Use("Right"), Use("RightShare"), Use("Loss"));
  }
};

INSTANTIATE_TEST_SUITE_P(Plugins, PluginMeasures,
                         ::testing::Values("measures.py", "libmeasures.so"),
                         [](const auto& tested) {
                           return std::string(tested.param).ends_with(".py") ? "Python" : "Cpp";
                         });

TEST_P(PluginMeasures, EqualBuiltInOnesToTheLastBit) {
  const auto spec = Submitted(All());
  ASSERT_THAT(spec, IsOk());
  const v1::ModelScores scores = Measured(*spec, 100);
  EXPECT_THAT(NumbersOf(scores, "accuracy"), HasSubstr("class=HIGH"));
  EXPECT_EQ(NumbersOf(scores, "right"), NumbersOf(scores, "accuracy"));
  EXPECT_EQ(NumbersOf(scores, "right_share"), NumbersOf(scores, "accuracy"));
  EXPECT_EQ(NumbersOf(scores, "loss"), NumbersOf(scores, "log_loss"));
}

TEST_P(PluginMeasures, AreTheSameInOtherBlocksAndWhenTheirProcessesAreKilled) {
  const auto spec = Submitted(All());
  ASSERT_THAT(spec, IsOk());
  const std::string whole = Measured(*spec, 300).DebugString();
  EXPECT_EQ(Measured(*spec, 7).DebugString(), whole);
  EXPECT_EQ(Measured(*spec, 100, Kill::kHosts).DebugString(), whole);
}

TEST_P(PluginMeasures, OfRealValuesEqualBuiltInOnes) {
  const MeasureSpec own = MustSubmit(Use("AbsoluteError"));
  const trials::InventedOutcomes samples(500, /*of_classes=*/false);
  Outcomes outcomes = samples.All();
  const auto contributed = own->Contribute(outcomes);
  ASSERT_THAT(contributed, IsOk());
  const Contributions view{.measure = "absolute_error", .numbers = contributed->numbers};
  outcomes.contributions = {&view, 1};
  EXPECT_EQ(own->ValueOf(outcomes), MeasureNamed("mae")->ValueOf(outcomes));
  EXPECT_EQ(own->IsOfClasses(), false);
  EXPECT_TRUE(own->LowerIsBetter());
  EXPECT_EQ(own->Unit(), "EUR");
}

TEST_P(PluginMeasures, ArePooledByTheirSums) {
  const MeasureSpec mean = MustSubmit(Use("Right"));
  const MeasureSpec combined = MustSubmit(Use("RightShare"));
  const auto spec = Submitted(All());
  ASSERT_THAT(spec, IsOk());
  std::map<std::string, results::Rows> windows;
  std::vector<v1::ModelScores> kept = {Measured(*spec, 100), Measured(*spec, 300)};
  for (v1::ModelScores& scores : kept) {
    for (v1::Evaluation& score : *scores.mutable_scores()) {
      if (!score.slice().empty()) continue;
      score.set_num_samples(300);
      windows[score.measure()].push_back(&score);
    }
  }
  const auto expected = results::Pool("accuracy", windows["accuracy"]);
  ASSERT_TRUE(expected);
  EXPECT_EQ(results::Pool("right", windows["right"])->value, expected->value);
  EXPECT_EQ(results::Pool("right", windows["right"], &*mean)->how, Pooling::kMeanOfSamples);
  const auto pooled = results::Pool("right_share", windows["right_share"], &*combined);
  ASSERT_TRUE(pooled);
  EXPECT_EQ(pooled->value, expected->value);
  EXPECT_EQ(pooled->how, Pooling::kOfSums);
  // Only the plug-in can compute a value from the sums.
  EXPECT_FALSE(results::Pool("right_share", windows["right_share"]));
  EXPECT_TRUE(results::Pool("right_share", std::span(windows["right_share"]).first(1)));
}

TEST_P(PluginMeasures, ThatFailHaveNoValueAndTheOthersDo) {
  for (const char* const at : {"contributions", "combine"}) {
    for (const char* const how : {"throw", "exit", "not_finite"}) {
      const auto spec = Submitted(
          fmt::format("measures: [accuracy, {}], slices: [class], bootstrap: {{replicates: 5}}",
                      Use("Faulty", fmt::format(", with: {{how: {}, at: {}}}", how, at))));
      ASSERT_THAT(spec, IsOk());
      const v1::ModelScores scores = Measured(*spec, 100);
      EXPECT_EQ(scores.common().failure(), "");
      EXPECT_TRUE(scores.scores(0).has_value());
      EXPECT_EQ(scores.scores(0).fault(), "");
      EXPECT_FALSE(scores.scores(1).has_value()) << at << how;
      // A value that is not finite is none, and no fault.
      const bool is_none = std::string(how) == "not_finite" && std::string(at) == "combine" &&
                           std::string(GetParam()).ends_with(".so");
      EXPECT_EQ(scores.scores(1).fault().empty(), is_none) << at << how;
      if (is_none) continue;
      EXPECT_THAT(scores.scores(1).fault(), HasSubstr(GetParam()));
    }
  }
}

TEST_P(PluginMeasures, ThatFailSayWhatAndWhere) {
  const auto spec = Submitted(
      fmt::format("measures: [{}], bootstrap: {{replicates: 0}}", Use("Faulty", ", name: broken")));
  ASSERT_THAT(spec, IsOk());
  const v1::ModelScores scores = Measured(*spec, 100);
  EXPECT_EQ(scores.scores(0).measure(), "broken");
  EXPECT_THAT(scores.scores(0).fault(), HasSubstr("thrown on purpose"));
  if (std::string(GetParam()).ends_with(".so")) return;
  EXPECT_THAT(scores.scores(0).fault(), HasSubstr("measures.py:"));
  EXPECT_THAT(scores.scores(0).traceback(), HasSubstr("raise ValueError"));
}

TEST_P(PluginMeasures, ThatTakeTooLongAreNotAskedForever) {
  const MeasureSpec slow = MustSubmit(Use("Faulty", ", with: {how: loop}, timeout: 200ms"));
  const trials::InventedOutcomes samples(10, /*of_classes=*/true);
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(std::string(slow->Contribute(samples.All()).status().message()),
                HasSubstr("took longer"));
  }
  EXPECT_THAT(std::string(slow->Contribute(samples.All()).status().message()),
              HasSubstr("is not called again"));
}

TEST_P(PluginMeasures, AreKeptWithThePipeline) {
  const MeasureSpec submitted = MustSubmit(Use("Loss"));
  EXPECT_EQ(submitted->Name(), "loss");
  EXPECT_EQ(submitted->Needs(), Needs::kProbabilities);
  EXPECT_THAT(submitted->RunsWith(), HasSubstr(GetParam()));
  const auto again = config::ReadKept<MeasureSpec>(config::Print(submitted), "measure");
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(*again, submitted);
  EXPECT_EQ((*again)->Needs(), Needs::kProbabilities);
}

TEST_P(PluginMeasures, NeedANameOfTheirOwn) {
  const auto taken = Submitted("measures: [" + Use("Right", ", name: accuracy") + "]");
  EXPECT_THAT(std::string(taken.status().message()), HasSubstr("is a measure of Tidemill"));
  const auto twice = Submitted("measures: [" + Use("Right") + ", " + Use("Right") + "]");
  EXPECT_THAT(std::string(twice.status().message()), HasSubstr("right twice"));
  const auto odd = Submitted("measures: [" + Use("Right", ", name: 'a b'") + "]");
  EXPECT_THAT(std::string(odd.status().message()), HasSubstr("not a valid name for a measure"));
  const auto mixed = Submitted("measures: [accuracy, " + Use("Rights") + "]");
  EXPECT_THAT(std::string(mixed.status().message()), HasSubstr("Rights"));
}

TEST(Examples, KeepWhatIsPromisedOfMeasures) {
  std::map<std::string, std::string> values;
  for (const char* const use :
       {"cost.py:Cost", "cost.py:Savings", "libcost.so:Cost", "libcost.so:Savings"}) {
    const auto trial =
        trials::TryMeasure(MustSubmit(fmt::format("{{type: plugin, use: '{}'}}", use)), 3000);
    ASSERT_THAT(trial, IsOk()) << use;
    for (const trials::Promise& promise : trial->promises) {
      EXPECT_TRUE(promise.is_kept) << use << " " << promise.text << ": " << promise.detail;
    }
    ASSERT_TRUE(trial->value) << use;
    const std::string name = std::string(use).substr(std::string(use).find(':'));
    const std::string both = fmt::format("{} {}", *trial->value, trial->baseline.value_or(-1));
    EXPECT_EQ(values.try_emplace(name, both).first->second, both) << use;
  }
}

}  // namespace
}  // namespace tidemill::evaluator

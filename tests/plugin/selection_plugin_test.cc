// Selection policies of users, in Python and in C++: what built-in policies promise, and what
// becomes of a plug-in that does wrong.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "plugin/process/run_hosts.h"
#include "selector/choosing/lots.h"
#include "selector/policies/plugin/plugin_selection.h"
#include "selector/testing/choosing.h"
#include "selector/trials/invented_facts.h"
#include "selector/trials/selection_promises.h"
#include "tests/plugin/test_plugins.h"

namespace tidemill::selector {
namespace {

using testing::ChooseFrom;
using testing::Chosen;
using testing::Circumstances;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kFirstKey;
using testing::kRandom;
using ::testing::SizeIs;
using testing::Spec;
using testing::StreamOf;
using ::tidemill::testing::IsOk;
using trials::InventedFacts;

SelectionSpec MustSubmit(const std::string& yaml) {
  auto spec = tests::SubmittedPart<SelectionSpec>(yaml);
  EXPECT_THAT(spec, IsOk());
  return spec.ok() ? *std::move(spec) : SelectionSpec();
}

// Kills the plug-in's process while facts are read for it: when they are asked for the n-th time.
class KillingFacts final : public SampleFacts {
 public:
  explicit KillingFacts(std::vector<int> at) : at_(std::move(at)) {}

  absl::Status ReadColumn(std::span<const int64_t> keys, const std::string& column,
                          const Sink& sink) override {
    if (std::ranges::count(at_, ++num_asked_) > 0) kill(tests::Descendants().back(), SIGKILL);
    return facts_.ReadColumn(keys, column, sink);
  }
  bool has_model() const override { return true; }
  absl::Status ReadModel(std::span<const int64_t> keys, bool with_predictions,
                         const Sink& sink) override {
    return facts_.ReadModel(keys, with_predictions, sink);
  }
  int num_asked() const { return num_asked_; }

 private:
  const std::vector<int> at_;
  int num_asked_ = 0;
  InventedFacts facts_;
};

// Has no model.
class NoModel final : public SampleFacts {
 public:
  absl::Status ReadColumn(std::span<const int64_t>, const std::string&, const Sink&) override {
    return FailedPrecondition("there are no columns");
  }
  bool has_model() const override { return false; }
  absl::Status ReadModel(std::span<const int64_t>, bool, const Sink&) override {
    return FailedPrecondition("there is no model");
  }
};

testing::Stream ThreeClasses(int64_t num_samples) {
  testing::Stream stream = StreamOf(num_samples);
  for (size_t i = 0; i < stream.keys.size(); ++i) {
    stream.labels[i] = InventedFacts::LabelOf(stream.keys[i]);
  }
  return stream;
}

// What Finish() says.
absl::Status Finished(const SelectionSpec& spec, const testing::Stream& stream) {
  TrainingSetWriter writer(::testing::TempDir());
  const auto chooser = ChooserFor(spec, kRandom, {.folder = ::testing::TempDir()}, writer);
  RETURN_IF_ERROR(
      chooser->Add({.keys = stream.keys, .event_times = stream.times, .labels = stream.labels}));
  return chooser->Finish();
}

// The file, by its language.
class PluginSelections : public ::testing::TestWithParam<const char*> {
 protected:
  void TearDown() override { EXPECT_THAT(tests::Descendants(), IsEmpty()); }

  static SelectionSpec Use(const std::string& name, const std::string& more = "") {
    return MustSubmit(fmt::format("{{type: plugin, use: '{}:{}'{}}}", GetParam(), name, more));
  }
  static SelectionSpec Faulty(const std::string& how, const std::string& more = "") {
    return Use("FaultyChoice", fmt::format(", with: {{how: {}}}{}", how, more));
  }
  // The message about a faulty plug-in, whether it fails while it sees candidates or later.
  static std::string FaultOf(const std::string& how, const std::string& more = "") {
    const absl::Status failed = Finished(Faulty(how, more), StreamOf(100));
    EXPECT_TRUE(absl::IsFailedPrecondition(failed)) << how << " " << failed;
    EXPECT_THAT(std::string(failed.message()), HasSubstr("FaultyChoice")) << how;
    return std::string(failed.message());
  }
};

INSTANTIATE_TEST_SUITE_P(Plugins, PluginSelections,
                         ::testing::Values("choices.py", "libchoices.so"), [](const auto& tested) {
                           return std::string(tested.param).ends_with("py") ? "Python" : "Cpp";
                         });

TEST_P(PluginSelections, ChooseAsTheBuiltInPolicyToTheLastBit) {
  const testing::Stream stream = StreamOf(300'000);
  const SelectionSpec plugin = Use("UniformShare", ", with: {fraction: 0.1}");
  for (const int num_threads : {1, 4}) {
    const Chosen built_in = ChooseFrom(Spec("{type: uniform, fraction: 0.1}"), stream, kRandom,
                                       {.num_threads = num_threads});
    for (const size_t piece : {size_t{1000}, size_t{65'536}, stream.keys.size()}) {
      const Chosen chosen = ChooseFrom(plugin, stream, kRandom, {.piece = piece});
      EXPECT_THAT(chosen.rows, SizeIs(30'000));
      EXPECT_EQ(chosen.rows, built_in.rows) << "in pieces of " << piece;
      EXPECT_EQ(chosen.weights, built_in.weights);
      EXPECT_THAT(chosen.notes.remarks, IsEmpty());
    }
  }
}

TEST_P(PluginSelections, ChooseOtherwiseAtEachTriggerAndTheSameWithHardlyAnyMemory) {
  const testing::Stream stream = StreamOf(300'000);
  const SelectionSpec spec = Use("UniformShare");
  const Chosen chosen = ChooseFrom(spec, stream);
  RandomKey other = kRandom;
  ++other.trigger;
  EXPECT_NE(ChooseFrom(spec, stream, other).rows, chosen.rows);
  EXPECT_EQ(ChooseFrom(spec, stream, kRandom, {.memory_budget = 1}).rows, chosen.rows);
}

TEST_P(PluginSelections, AreShownAllThatIsKnownOfCandidates) {
  const testing::Stream stream = ThreeClasses(20'000);
  InventedFacts facts(1000);
  const Chosen chosen = ChooseFrom(Use("Facts"), stream, kRandom, {.facts = &facts});
  ASSERT_GT(chosen.rows.size(), 1000U);
  ASSERT_EQ(chosen.weights.size(), chosen.rows.size());
  const auto known = std::ranges::count_if(stream.keys, &InventedFacts::IsKnown);
  EXPECT_EQ(chosen.notes.num_left_out, std::ssize(stream.keys) - known);
  for (size_t i = 0; i < chosen.rows.size(); i += 101) {
    const int64_t key = kFirstKey + chosen.rows[i];
    EXPECT_TRUE(InventedFacts::IsKnown(key));
    // The place of the class, the noise, and probabilities that are 1 together.
    const double least = static_cast<double>(chosen.rows[i] % 7 + InventedFacts::LabelOf(key)) + 7 +
                         InventedFacts::NumberOf("price", key) +
                         2 * InventedFacts::NumberOf("size", key);
    EXPECT_GE(chosen.weights[i], least - 1e-3);
    EXPECT_LE(chosen.weights[i], least + 11);
  }
  InventedFacts other_blocks(4096);
  const Chosen again = ChooseFrom(Use("Facts"), stream, kRandom,
                                  {.piece = 77, .memory_budget = 1, .facts = &other_blocks});
  EXPECT_EQ(again.rows, chosen.rows);
  EXPECT_EQ(again.weights, chosen.weights);
}

TEST_P(PluginSelections, ChooseAllWhileTheyMissTheirModel) {
  NoModel facts;
  const Chosen chosen = ChooseFrom(Use("Facts"), ThreeClasses(50), kRandom, {.facts = &facts});
  EXPECT_THAT(chosen.rows, SizeIs(50));
  EXPECT_THAT(chosen.notes.remarks,
              ElementsAre("the run had no model yet, so all candidates were chosen"));
}

TEST_P(PluginSelections, ChooseNothingFromNothing) {
  EXPECT_THAT(ChooseFrom(Use("UniformShare"), StreamOf(0)).rows, IsEmpty());
}

TEST_P(PluginSelections, ChooseTheSameWhenTheirProcessIsKilledOnce) {
  const testing::Stream stream = ThreeClasses(20'000);
  KillingFacts undisturbed({}), killed({5});
  const SelectionSpec spec = Use("Facts");
  const Chosen expected = ChooseFrom(spec, stream, kRandom, {.facts = &undisturbed});
  const Chosen chosen = ChooseFrom(spec, stream, kRandom, {.facts = &killed});
  EXPECT_GT(killed.num_asked(), undisturbed.num_asked());
  EXPECT_EQ(chosen.rows, expected.rows);
  EXPECT_EQ(chosen.weights, expected.weights);
  EXPECT_FALSE(chosen.notes.fault);
}

TEST_P(PluginSelections, OfARunHaveOneProcessForAllTriggers) {
  const testing::Stream stream = StreamOf(10'000);
  const SelectionSpec spec = Use("UniformShare");
  plugin::HostsOfRuns runs;
  RandomKey random = kRandom;
  for (int trigger = 1; trigger <= 3; ++trigger) {
    random.trigger = trigger;
    const Chosen chosen = ChooseFrom(spec, stream, random, {.hosts = runs.Of(7)});
    EXPECT_EQ(chosen.rows, ChooseFrom(spec, stream, random).rows);
  }
  EXPECT_EQ(runs.Of(7)->num_started(), 1);
  // Another run has another process.
  ChooseFrom(spec, stream, random, {.hosts = runs.Of(8)});
  EXPECT_EQ(runs.Of(8)->num_started(), 1);
  EXPECT_EQ(runs.Of(7)->num_started(), 1);
}

TEST_P(PluginSelections, OfRunsThatNobodyAsksForAnyMoreHaveNoProcess) {
  plugin::HostsOfRuns runs;
  const SelectionSpec spec = Use("UniformShare");
  const testing::Stream stream = StreamOf(100);
  ChooseFrom(spec, stream, kRandom, {.hosts = runs.Of(1)});
  const size_t num_of_one = tests::Descendants().size();
  EXPECT_GT(num_of_one, 0U);
  for (int64_t run = 2; run <= 12; ++run) {
    ChooseFrom(spec, stream, kRandom, {.hosts = runs.Of(run)});
  }
  EXPECT_EQ(runs.num_runs(), 8U);
  EXPECT_EQ(tests::Descendants().size(), 8 * num_of_one);
  runs.Forget(12);
  EXPECT_EQ(tests::Descendants().size(), 7 * num_of_one);
}

TEST_P(PluginSelections, OfARunReportAProcessThatDied) {
  KillingFacts killed({5});
  const auto run = std::make_shared<plugin::RunHosts>();
  ChooseFrom(Use("Facts"), ThreeClasses(20'000), kRandom, {.facts = &killed, .hosts = run});
  const std::vector<plugin::HostDeath> deaths = run->TakeDeaths();
  ASSERT_THAT(deaths, SizeIs(1));
  EXPECT_THAT(deaths[0].plugin, HasSubstr(":Facts"));
  EXPECT_THAT(deaths[0].what, HasSubstr("signal 9"));
}

TEST_P(PluginSelections, ThatDieTwiceAreFaults) {
  KillingFacts killed({3, 9});
  const Chosen chosen = ChooseFrom(Use("Facts", ", on_fault: all"), ThreeClasses(20'000), kRandom,
                                   {.facts = &killed});
  EXPECT_THAT(chosen.rows, SizeIs(20'000));
  ASSERT_TRUE(chosen.notes.fault);
  EXPECT_THAT(chosen.notes.fault->what, HasSubstr("signal 9"));
}

TEST_P(PluginSelections, ThatFailEndTheSealingAndSayWhy) {
  EXPECT_THAT(FaultOf("throw"), HasSubstr("thrown on purpose"));
  EXPECT_THAT(FaultOf("throw_late"), HasSubstr("thrown on purpose"));
  EXPECT_THAT(FaultOf("exit"), HasSubstr("exited with code 3"));
  EXPECT_THAT(FaultOf("loop", ", timeout: 500ms"), HasSubstr("took longer than 500ms"));
  EXPECT_THAT(FaultOf("descending"), HasSubstr("1 after"));
  EXPECT_THAT(FaultOf("beyond"), HasSubstr("100"));
  EXPECT_THAT(FaultOf("negative_row"), HasSubstr("-1"));
  EXPECT_THAT(FaultOf("negative_weight"), HasSubstr("-1"));
  EXPECT_THAT(FaultOf("no_weight"), HasSubstr("the weights of all 2 rows that it chose are zero"));
  EXPECT_THAT(FaultOf("not_finite"), HasSubstr("inf"));
  EXPECT_THAT(FaultOf("some_weights"), HasSubstr("weights for"));
}

TEST_P(PluginSelections, ThatFailAreReplacedAsThePipelineSays) {
  const testing::Stream stream = StreamOf(1000);
  for (const char* const how : {"throw", "throw_late", "exit", "descending"}) {
    const Chosen all = ChooseFrom(Faulty(how, ", on_fault: all"), stream);
    EXPECT_THAT(all.rows, SizeIs(1000)) << how;
    EXPECT_TRUE(all.notes.fault) << how;
    EXPECT_THAT(all.notes.remarks, ElementsAre(HasSubstr("all candidates were chosen"))) << how;
    const Chosen drawn = ChooseFrom(Faulty(how, ", on_fault: uniform, samples: 100"), stream);
    EXPECT_EQ(drawn.rows, ChooseFrom(Spec("{type: uniform, samples: 100}"), stream).rows) << how;
    EXPECT_TRUE(drawn.notes.fault) << how;
  }
}

TEST_P(PluginSelections, LearnHowManySamplesThePipelineAsksFor) {
  const Chosen chosen = ChooseFrom(Faulty("target", ", fraction: 0.25"), StreamOf(100));
  EXPECT_THAT(chosen.rows, SizeIs(25));
}

TEST_P(PluginSelections, SayWhatTheyLookAt) {
  EXPECT_EQ(Use("UniformShare")->WhatItLooksAt(), LooksAt::kNothing);
  const SelectionSpec spec = Use("Facts");
  EXPECT_EQ(spec->WhatItLooksAt(), LooksAt::kModel);
  EXPECT_THAT(AllRunsWith(spec), ElementsAre(HasSubstr("sandbox")));
  EXPECT_EQ(config::Print(MustSubmit(config::Print(spec))), config::Print(spec));

  transform::DescribedSamples samples;
  samples.dataset = "weather";
  samples.schema.columns = {"price"};
  config::Problems problems;
  spec->CheckSamples(samples, problems);
  EXPECT_THAT(problems.ToString(), HasSubstr("size"));
  EXPECT_THAT(problems.ToString(), HasSubstr("the label of 'weather' is missing"));
}

TEST_P(PluginSelections, MayBeAStepOfASchedule) {
  const SelectionSpec spec = MustSubmit(fmt::format(
      "{{type: schedule, steps: [{{triggers: 2, use: all_data}}, {{use: {{type: plugin, use: "
      "'{}:UniformShare'}}}}]}}",
      GetParam()));
  EXPECT_THAT(AllRunsWith(spec), SizeIs(1));
  EXPECT_THAT(ChooseFrom(spec, StreamOf(1000)).rows, SizeIs(100));
}

TEST_P(PluginSelections, RefuseASettingThatTheyDoNotHave) {
  const auto spec = tests::SubmittedPart<SelectionSpec>(
      fmt::format("{{type: plugin, use: '{}:UniformShare', with: {{fractoin: 0.7}}}}", GetParam()));
  EXPECT_THAT(std::string(spec.status().message()), HasSubstr("did you mean 'fraction'?"));
}

TEST_P(PluginSelections, KeepWhatIsPromisedOfEveryPolicy) {
  const auto trial = trials::TrySelection(Use("UniformShare"), 3000);
  ASSERT_THAT(trial, IsOk());
  for (const plugin::Promise& promise : trial->promises) {
    EXPECT_TRUE(promise.is_kept) << promise.text << ": " << promise.detail;
  }
  EXPECT_EQ(trial->num_chosen, 300);
}

TEST(CppSelections, ThatAreNeverDoneAreFaults) {
  const SelectionSpec spec =
      MustSubmit("{type: plugin, use: 'libchoices.so:FaultyChoice', with: {how: never_done}}");
  EXPECT_THAT(std::string(Finished(spec, StreamOf(10)).message()), HasSubstr("is not done"));
}

TEST(PythonSelections, TellTheLineThatFailed) {
  const SelectionSpec spec = MustSubmit("{type: plugin, use: 'choices.py:FaultyChoice'}");
  const absl::Status failed = Finished(spec, StreamOf(10));
  EXPECT_THAT(std::string(failed.message()), HasSubstr("choices.py:"));
  EXPECT_THAT(std::string(failed.message()), HasSubstr("raise RuntimeError"));
}

TEST(PluginSelection, SaysHowManyToDrawWhereItFallsBackOnADraw) {
  const auto spec =
      config::Read<SelectionSpec>("{type: plugin, use: 'a.py:A', on_fault: uniform}", "selection");
  EXPECT_THAT(std::string(spec.status().message()), HasSubstr("write fraction: 0.25"));
}

TEST(Examples, OfSelectionsKeepWhatIsPromisedOfEveryPolicy) {
  const SelectionSpec spec =
      MustSubmit("{type: plugin, use: 'novelty.py:Novelty', with: {samples: 100}}");
  const auto trial = trials::TrySelection(spec, 3000);
  ASSERT_THAT(trial, IsOk());
  for (const plugin::Promise& promise : trial->promises) {
    EXPECT_TRUE(promise.is_kept) << promise.text << ": " << promise.detail;
  }
  EXPECT_EQ(trial->num_chosen, 100);
  EXPECT_GT(trial->num_left_out, 0);
}

}  // namespace
}  // namespace tidemill::selector

// Ops of users, in Python and in C++: what built-in ops promise, and what becomes of a plug-in that
// does wrong.
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/files.h"
#include "base/testing/status_matchers.h"
#include "batch/wire.h"
#include "config/documents/problems.h"
#include "config/named_files.h"
#include "tests/plugin/test_plugins.h"
#include "transform/ops/plugin_op.h"
#include "transform/testing/samples.h"
#include "transform/trials/op_promises.h"

namespace tidemill::transform {
namespace {

using ::testing::Contains;
using testing::CsvSchema;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeSamples;
using testing::MustBuild;
using testing::Numbers;
using testing::RunInBlocks;
using testing::Spec;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

// As a pipeline has it once it was submitted.
PluginOpSpec Submitted(const std::string& use, std::vector<std::string> columns,
                       const std::string& how = "") {
  PluginOpSpec spec;
  spec.use = use;
  spec.columns = std::move(columns);
  if (!how.empty()) spec.with["how"].scalars = {{.text = how}};
  tests::PluginFiles files;
  config::Problems problems;
  spec.TakeFiles(files, problems);
  EXPECT_THAT(problems.ToStatus(), IsOk());
  return spec;
}

TEST(PluginMemory, OfMoreThanAnAdministratorAllowsIsRefusedWithTheSetting) {
  PluginOpSpec spec;
  spec.use = "ratios.py:Ratios";
  spec.columns = {"a", "b"};
  spec.memory = {int64_t{1} << 40};
  tests::PluginFiles files;
  config::Problems problems;
  spec.TakeFiles(files, problems);
  ASSERT_EQ(problems.items().size(), 1u);
  EXPECT_EQ(problems.items()[0].path, "memory");
  EXPECT_THAT(problems.items()[0].message, HasSubstr("1TiB is more than plug-ins may have here"));
  EXPECT_THAT(problems.items()[0].hint, HasSubstr("cluster.plugins.memory"));
}

// While it lives, this process can open no file, and so starts no other process.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none = {.rlim_cur = 3, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_;
};

// Two numbers a row.
batch::Batch Pairs(int64_t count) {
  std::vector<std::string> payloads;
  for (int64_t i = 0; i < count; ++i) {
    payloads.push_back(fmt::format("{},{}", static_cast<double>(i * 7919 % 1009) / 16 - 20,
                                   static_cast<double>(i * i % 257) * 1.1));
  }
  return MakeSamples(payloads);
}

struct Tested {
  const char* language;
  const char* file;
};

class PluginOps : public ::testing::TestWithParam<Tested> {
 protected:
  void TearDown() override { EXPECT_THAT(tests::Descendants(), IsEmpty()); }

  static std::string Use(const std::string& name) {
    return std::string(GetParam().file) + ":" + name;
  }
  static GraphSpec Scaling() {
    return Spec(ParseCsvSpec{.columns = {"a", "b"}}, Submitted(Use("Standardized"), {"a", "b"}),
                StackSpec{});
  }
  // Doubles numbers; does wrong with negative ones.
  static Graph Faulty(const std::string& how, Duration timeout = {60'000'000}) {
    PluginOpSpec spec = Submitted(Use("Faulty"), {"x"}, how);
    spec.timeout = timeout;
    return MustBuild(Spec(ParseCsvSpec{.columns = {"x"}}, spec, StackSpec{.columns = {"y"}}),
                     CsvSchema({"x"}));
  }
  // 41 rows; the tenth and the thirtieth are negative.
  static batch::Batch SomeNegative() {
    std::vector<std::string> payloads;
    for (int i = 0; i < 41; ++i) payloads.push_back(std::to_string(i % 20 == 9 ? -1 : i));
    return MakeSamples(payloads);
  }
  // Those two are rejected, all others are made.
  static std::string ReasonOf(const std::string& how, Duration timeout = {60'000'000}) {
    const Graph graph = Faulty(how, timeout);
    const auto made = graph.Run(SomeNegative(), nullptr);
    EXPECT_THAT(made, IsOk());
    if (!made.ok() || made->bad.size() != 2) return "other rows";
    EXPECT_EQ(made->bad[0].row, 9);
    EXPECT_EQ(made->bad[1].row, 29);
    std::vector<float> expected;
    for (int i = 0; i < 41; ++i) {
      if (i % 20 != 9) expected.push_back(2.0F * static_cast<float>(i));
    }
    EXPECT_EQ(Numbers<float>(made->batch, "input"), expected);
    return made->bad[0].reason;
  }
};

INSTANTIATE_TEST_SUITE_P(Plugins, PluginOps,
                         ::testing::Values(Tested{"Python", "scaling.py"},
                                           Tested{"Cpp", "libops.so"}),
                         [](const auto& tested) { return std::string(tested.param.language); });

TEST_P(PluginOps, MakeTheNumbersOfTheBuiltInOpToTheLastBit) {
  const batch::Batch samples = Pairs(300);
  const GraphSpec built_in =
      Spec(ParseCsvSpec{.columns = {"a", "b"}}, StandardizeSpec{}, StackSpec{});
  const Transformed expected = testing::RunGraph(built_in, CsvSchema({"a", "b"}), samples);
  const Transformed made = testing::RunGraph(Scaling(), CsvSchema({"a", "b"}), samples);
  EXPECT_EQ(batch::Encode(made.batch), batch::Encode(expected.batch));
  EXPECT_THAT(made.bad, IsEmpty());
}

TEST_P(PluginOps, LearnTheSameHoweverSamplesAreCutAndWhoeverKillsTheirProcesses) {
  const batch::Batch samples = Pairs(10'000);
  const Graph graph = MustBuild(Scaling(), CsvSchema({"a", "b"}));
  const FittedState whole = testing::MustFit(graph, samples, 10'000);
  EXPECT_EQ(testing::MustFit(graph, samples, 777).digest(), whole.digest());
  Fitter fitter(graph);
  for (int64_t begin = 0; begin < 10'000; begin += 3000) {
    ASSERT_THAT(fitter.Add(testing::RowsFrom(samples, begin, 3000)), IsOk());
    tests::KillDescendants();
  }
  const auto killed = fitter.Finish();
  ASSERT_THAT(killed, IsOk());
  EXPECT_EQ(killed->digest(), whole.digest());
  const auto made = graph.Run(samples, &whole);
  tests::KillDescendants();
  const auto again = graph.Run(samples, &*killed);
  ASSERT_THAT(made, IsOk());
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(batch::Encode(made->batch), batch::Encode(again->batch));
}

TEST_P(PluginOps, TwoFittedStatesDoNotMix) {
  const Graph graph = MustBuild(Scaling(), CsvSchema({"a", "b"}));
  const batch::Batch samples = Pairs(50);
  const FittedState first = testing::MustFit(graph, samples);
  const FittedState second = testing::MustFit(graph, testing::RowsFrom(samples, 10, 20));
  const auto by_first = graph.Run(samples, &first);
  const auto by_second = graph.Run(samples, &second);
  const auto by_first_again = graph.Run(samples, &first);
  ASSERT_THAT(by_first_again, IsOk());
  EXPECT_EQ(batch::Encode(by_first->batch), batch::Encode(by_first_again->batch));
  EXPECT_NE(batch::Encode(by_first->batch), batch::Encode(by_second->batch));
}

TEST_P(PluginOps, NothingCanBeLearntOfNoGoodRow) {
  const Graph graph = MustBuild(Scaling(), CsvSchema({"a", "b"}));
  Fitter fitter(graph);
  ASSERT_THAT(fitter.Add(MakeSamples({"x,y"})), IsOk());
  EXPECT_THAT(fitter.Finish(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no good sample")));
}

TEST_P(PluginOps, TakeAndMakeByteStrings) {
  const Transformed made = testing::RunGraph(
      Spec(ParseCsvSpec{.columns = {"word"}, .dtype = CsvType::kString},
           Submitted(Use("Words"), {"word"}),
           HashBucketsSpec{.column = "upper", .buckets = 1'000'000, .into = "input_word"},
           StackSpec{.columns = {"length", "pair"}}),
      CsvSchema({"word"}), MakeSamples({"ab", "\"x\"y", "", "AB", "longer word"}));
  ASSERT_EQ(made.bad.size(), 2U);
  EXPECT_EQ(made.bad[1].row, 2);
  EXPECT_EQ(made.bad[1].reason, Use("Words") + ": the word is empty");
  EXPECT_THAT(Numbers<float>(made.batch, "input"), ElementsAre(2, 2, -2, 2, 2, -2, 11, 11, -11));
  const auto words = Numbers<int64_t>(made.batch, "input_word");
  ASSERT_EQ(words.size(), 3U);
  EXPECT_EQ(words[0], words[1]);
}

TEST_P(PluginOps, ARowThatAPluginFailsOnIsABadSample) {
  EXPECT_THAT(ReasonOf("throw"), AllOf(HasSubstr(Use("Faulty")), HasSubstr("negative")));
  EXPECT_THAT(ReasonOf("not_finite"), HasSubstr("nan, which is not a finite number"));
  EXPECT_THAT(ReasonOf("too_few"), HasSubstr(Use("Faulty")));
}

TEST_P(PluginOps, ARowThatEndsTheProcessIsABadSample) {
  EXPECT_THAT(ReasonOf("crash"), HasSubstr("signal"));
  EXPECT_THAT(ReasonOf("exit"), HasSubstr("exited with code 3"));
}

TEST_P(PluginOps, ARowThatTakesForeverIsABadSample) {
  const Graph graph = Faulty("loop", {500'000});
  const auto made = graph.Run(MakeSamples({"1", "-1", "2"}), nullptr);
  ASSERT_THAT(made, IsOk());
  ASSERT_EQ(made->bad.size(), 1U);
  EXPECT_THAT(made->bad[0].reason, HasSubstr("took longer than"));
  EXPECT_THAT(Numbers<float>(made->batch, "input"), ElementsAre(2, 4));
}

TEST_P(PluginOps, AFalseAnswerIsAFault) {
  EXPECT_NE(ReasonOf("wrong_row"), "other rows");
  EXPECT_NE(ReasonOf("outside"), "other rows");
}

TEST_P(PluginOps, OneThatFailsWithEveryRowFailsTheBatch) {
  const Graph graph = Faulty("throw");
  const auto made = graph.Run(MakeSamples(std::vector<std::string>(20, "-1")), nullptr);
  EXPECT_THAT(made, StatusIs(absl::StatusCode::kFailedPrecondition,
                             AllOf(HasSubstr("fails with every row"), HasSubstr("negative"))));
  // It has shown that it can work: then rows are to blame.
  ASSERT_THAT(graph.Run(MakeSamples({"1"}), nullptr), IsOk());
  const auto again = graph.Run(MakeSamples(std::vector<std::string>(20, "-1")), nullptr);
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->bad.size(), 20U);
}

TEST_P(PluginOps, OneThatTakesForeverWithEveryRowIsNotAskedAboutMany) {
  const Graph graph = Faulty("loop", {300'000});
  EXPECT_THAT(graph.Run(MakeSamples(std::vector<std::string>(20, "-1")), nullptr),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("took too long 3 times in succession"),
                             HasSubstr("apply took longer than"))));
}

TEST_P(PluginOps, ThreadsHaveAProcessEach) {
  const Graph graph = Faulty("throw");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        const auto made = graph.Run(SomeNegative(), nullptr);
        ASSERT_THAT(made, IsOk());
        ASSERT_EQ(made->bad.size(), 2U);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(PluginOps, WhatCannotBeBuiltIsAProblemAtItsKey) {
  const auto problems_of = [](PluginOpSpec spec) {
    return Graph::Check(Spec(ParseCsvSpec{.columns = {"x"}}, std::move(spec)), CsvSchema({"x"}));
  };
  const std::vector<GraphProblem> refused = problems_of(Submitted(Use("Faulty"), {"x"}, "refuse"));
  ASSERT_FALSE(refused.empty());
  EXPECT_EQ(refused[0].field, "use");
  EXPECT_THAT(refused[0].message, HasSubstr("it takes other columns"));
  EXPECT_THAT(problems_of(Submitted(Use("Faulty"), {"x"}, "no_outputs"))[0].message,
              HasSubstr("outputs"));
  EXPECT_EQ(problems_of(Submitted(Use("Faulty"), {"z"}))[0].field, "columns[0]");
  EXPECT_THAT(problems_of(Submitted(Use("Faulty"), {"x", "x"}))[0].message,
              HasSubstr("named twice"));
}

TEST_P(PluginOps, OnlyGraphsThatAreBuiltTheFirstTimeNeedAProcess) {
  const SampleSchema schema = CsvSchema({"a", "b"});
  const GraphSpec known = Scaling();
  const GraphSpec fresh = Spec(ParseCsvSpec{.columns = {"a", "b"}},
                               Submitted(Use("Standardized"), {"b", "a"}), StackSpec{});
  MustBuild(known, schema);
  {
    const NoMoreDescriptors none;
    EXPECT_THAT(Graph::Build(known, schema), IsOk());
    EXPECT_THAT(Graph::Build(fresh, schema),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("Too many open files")));
    EXPECT_THAT(Graph::Check(fresh, schema),
                ElementsAre(Field(&GraphProblem::hint, HasSubstr("try again"))));
  }
  EXPECT_THAT(Graph::Build(fresh, schema), IsOk());
}

TEST_P(PluginOps, ATrialTellsWhatAnOpKeeps) {
  const auto trial = trials::TryOp(Submitted(Use("Standardized"), {"a", "b"}),
                                   {{.name = "a"}, {.name = "b"}}, 3000);
  ASSERT_THAT(trial, IsOk());
  for (const plugin::Promise& promise : trial->promises) {
    EXPECT_TRUE(promise.is_kept) << promise.text << ": " << promise.detail;
  }
  EXPECT_TRUE(trial->KeepsAll());
  EXPECT_GT(trial->rows_per_second, 0);
  EXPECT_EQ(trial->outputs.size(), 2U);
}

TEST(PluginOpExamples, RatiosOfPricesAndWhatIsUsual) {
  const Graph graph = MustBuild(Spec(ParseCsvSpec{.columns = {"price", "demand"}},
                                     Submitted("ratios.py:Ratios", {"price", "demand"}),
                                     StackSpec{.columns = {"price_per_demand"}}),
                                CsvSchema({"price", "demand"}));
  const batch::Batch samples = MakeSamples({"2,4", "3,2", "1,0", "6,4"});
  const FittedState fitted = testing::MustFit(graph, samples);
  const auto made = graph.Run(samples, &fitted);
  ASSERT_THAT(made, IsOk());
  ASSERT_EQ(made->bad.size(), 1U);
  EXPECT_THAT(made->bad[0].reason, HasSubstr("demand is 0"));
  // The usual ratio is the mean of 0.5, 1.5 and 1.5.
  const auto ratios = Numbers<float>(made->batch, "input");
  ASSERT_EQ(ratios.size(), 3U);
  EXPECT_FLOAT_EQ(ratios[0], 0.5F / (3.5F / 3));
}

}  // namespace
}  // namespace tidemill::transform

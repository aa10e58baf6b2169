#include "cli/init/candidates/choice.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TriedCandidate Tried(const std::string& name, double value, double low, double high) {
  return {.candidate = {.name = name}, .value = value, .interval = std::pair(low, high)};
}

TriedCandidate Untried(const std::string& name) {
  return {.candidate = {.name = name}, .problem = "its graph has no column"};
}

PipelineDraft Draft() {
  PipelineDraft draft{.name = "a"};
  draft.graph = {{.key = "parse_csv", .value = "{columns: [x]}"},
                 {.key = "time_features", .value = "{parts: [hour]}"}};
  draft.training = {.dataset = "a", .num_samples = 1'000, .num_classes = 2, .time_is_known = true};
  draft.sections = ChooseTraining(draft.training, UntriedRecipe(draft.training));
  return draft;
}

TEST(ChooseCandidate, TheBestIsTakenWhereTheSimplerOnesAreBelowItsInterval) {
  EXPECT_EQ(ChooseCandidate({.candidates = {Tried("linear", 0.70, 0.68, 0.72),
                                            Tried("network", 0.80, 0.78, 0.82)}}),
            1);
}

TEST(ChooseCandidate, TheSimplestIsTakenWhereTheBestMayBeBetterByChance) {
  EXPECT_EQ(
      ChooseCandidate(
          {.candidates = {Untried("without data"), Tried("linear", 0.79, 0.7, 0.9),
                          Tried("middle", 0.795, 0.7, 0.9), Tried("network", 0.80, 0.78, 0.82)}}),
      1);
}

TEST(ChooseCandidate, ThePairedDifferenceDecidesWhereItIsKnown) {
  TriedCandidate worse = Tried("linear", 0.79, 0.7, 0.9);
  worse.behind = std::pair(0.004, 0.016);
  TriedCandidate as_good = Tried("middle", 0.795, 0.7, 0.9);
  as_good.behind = std::pair(-0.004, 0.014);
  const TriedCandidate best = Tried("network", 0.80, 0.7, 0.9);
  EXPECT_EQ(ChooseCandidate({.candidates = {worse, as_good, best}}), 1);
  EXPECT_EQ(ChooseCandidate({.candidates = {worse, best}}), 1);
}

TEST(ChooseCandidate, OneOfManyDifferencesIsBeyondTheIntervalOfOneByChance) {
  TriedCandidate simple = Tried("linear", 0.79, 0.7, 0.9);
  simple.behind = std::pair(0.001, 0.019);
  Trial trial{.candidates = {simple, Tried("network", 0.80, 0.7, 0.9)}};
  EXPECT_EQ(ChooseCandidate(trial), 1);
  for (int more = 0; more < 4; ++more) trial.candidates.push_back(simple);
  EXPECT_EQ(ChooseCandidate(trial), 0);
}

TEST(WithTrial, ASimplestOneThatWasNotComparedIsAQuestion) {
  PipelineDraft draft = Draft();
  const std::vector<Candidate> candidates = CandidatesFor(draft);
  const Trial trial{
      .candidates = {
          {.candidate = candidates[0], .problem = "it was not done", .is_unfinished = true},
          {.candidate = candidates[3], .value = 0.7}}};
  EXPECT_EQ(ChooseCandidate(trial), 0);
  EXPECT_THAT(WithTrial(draft, trial).Unknown(), Contains(HasSubstr("would do as well")));
}

TEST(ChooseCandidate, ThePairedDifferenceOfErrorsIsNegative) {
  TriedCandidate worse = Tried("linear", 3.1, 2, 4);
  worse.behind = std::pair(-0.3, -0.1);
  EXPECT_EQ(ChooseCandidate(
                {.lower_is_better = true, .candidates = {worse, Tried("network", 2.9, 2, 4)}}),
            1);
}

TEST(ChooseCandidate, LowerIsBetterForErrors) {
  EXPECT_EQ(ChooseCandidate(
                {.lower_is_better = true,
                 .candidates = {Tried("linear", 3.0, 2.9, 3.1), Tried("network", 2.0, 1.9, 2.1)}}),
            1);
}

TEST(ChooseCandidate, NothingIsChosenWhereNothingWasMeasured) {
  EXPECT_EQ(ChooseCandidate({.candidates = {Untried("linear")}}), std::nullopt);
}

TEST(CandidatesFor, ThereAreSixOfATableWithTimes) {
  const std::vector<Candidate> candidates = CandidatesFor(Draft());
  ASSERT_EQ(candidates.size(), 6);
  EXPECT_EQ(candidates.front().name, "a linear model on all data so far");
  EXPECT_EQ(candidates[1].name, "a linear model on all data so far, without the time");
}

TEST(CandidatesFor, WithoutTimesThereIsNothingNew) {
  PipelineDraft draft = Draft();
  draft.training.time_is_known = false;
  draft.graph.pop_back();
  EXPECT_EQ(CandidatesFor(draft).size(), 2);
}

TEST(ChooseTraining, ATrialTrainsThreeTimesAndHasSamplesAfterTheLastTraining) {
  TrainingFacts facts = Draft().training;
  facts.is_trial = true;
  const std::vector<Guess> sections = ChooseTraining(facts, Recipe());
  EXPECT_EQ(sections[1].value, "{type: amount, samples: 210, first: 400}");
}

TEST(WithTrial, WhatWasTriedIsInTheHeadAndARuleThatWinsIsAQuestion) {
  const std::vector<Candidate> candidates = CandidatesFor(Draft());
  const Trial trial{.rows = "the 300 rows of the first third",
                    .measure = "accuracy",
                    .num_samples = 200,
                    .candidates = {{.candidate = candidates[0], .value = 0.6},
                                   {.candidate = candidates[1], .value = 0.7}},
                    .rules = {{"repeating the last label known", 0.8}, {"guessing", 0.5}}};
  const PipelineDraft draft = WithTrial(Draft(), trial);
  EXPECT_THAT(draft.tried,
              ElementsAre(HasSubstr("the 300 rows of the first third"),
                          "- a linear model on all data so far: 0.6",
                          HasSubstr("without the time: 0.7; this one is written"),
                          HasSubstr("repeating the last label known: 0.8"), HasSubstr("guessing")));
  EXPECT_THAT(draft.Unknown(), ElementsAre(HasSubstr("repeating the last label known")));
  EXPECT_THAT(draft.graph, ElementsAre(::testing::Field(&Guess::key, "parse_csv")));
  EXPECT_THAT(draft.left_out, Contains(HasSubstr("did not help")));
}

TEST(WithTrial, ATrialWithoutAResultIsAQuestion) {
  Trial trial;
  trial.candidates.push_back(Untried("linear"));
  const PipelineDraft draft = WithTrial(Draft(), trial);
  EXPECT_THAT(draft.Unknown(), ElementsAre(HasSubstr("--budget")));
  EXPECT_THAT(draft.left_out, IsEmpty());
}

}  // namespace
}  // namespace tidemill::cli

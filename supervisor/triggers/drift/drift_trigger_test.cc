#include "supervisor/triggers/drift/drift_trigger.h"

#include <cmath>
#include <limits>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "supervisor/statistics/false_alarms.h"
#include "supervisor/statistics/testing/poisson_band.h"
#include "supervisor/testing/event_times.h"
#include "supervisor/trials/drifting_evidence.h"
#include "supervisor/triggers/criteria/score_criterion.h"
#include "supervisor/triggers/number_names.h"
#include "supervisor/triggers/plain/amount_trigger.h"
#include "supervisor/triggers/testing/policy_driver.h"

namespace tidemill::supervisor {
namespace {

using statistics::BadSide;
using testing::EverySecond;
using ::testing::HasSubstr;
using testing::kSecond;
using testing::Make;
using testing::ManySamples;
using testing::Stream;
using trials::DriftingEvidence;

bool Never(int64_t) { return false; }
bool After2000(int64_t number) { return number >= 2000; }

DriftTrigger OfColumns(int64_t reference, int64_t current, int64_t every) {
  return {.evaluate = {.samples = every},
          .of = DriftOf::kColumns,
          .columns = {"a", "b", "c"},
          .reference = {.samples = reference},
          .current = {.samples = current},
          .rows = 100'000,
          .statistic = statistics::KsStatistic{},
          .criterion = ThresholdCriterion{.at = .25}};
}

std::vector<Decision> Decide(const TriggerSpec& spec, const Stream& stream,
                             EvidenceSource& source) {
  return testing::Decide(spec, stream, 1000, &source);
}

struct Windows {
  int64_t reference;
  int64_t current;
  int64_t every;
};

class DriftWindows : public ::testing::TestWithParam<Windows> {};

INSTANTIATE_TEST_SUITE_P(Sizes, DriftWindows,
                         ::testing::Values(Windows{1000, 100, 70}, Windows{100, 1000, 90},
                                           Windows{300, 300, 300}, Windows{2, 2, 1},
                                           Windows{5000, 50, 33}, Windows{64, 640, 7}),
                         [](const auto& tested) {
                           return fmt::format("{}And{}Every{}", tested.param.reference,
                                              tested.param.current, tested.param.every);
                         });

// The samples that a request stands for, whatever bounds it.
std::set<int64_t> Set(const std::vector<int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

TEST_P(DriftWindows, NeverOverlapAndAreAsLongAsTheySay) {
  const auto [reference, current, every] = GetParam();
  const Stream stream = ManySamples();
  DriftingEvidence source(stream);
  const auto decisions = Decide(OfColumns(reference, current, every), stream, source);
  const std::vector<EvidenceRequest>& requests = source.requests();
  ASSERT_GE(requests.size(), 4);
  ASSERT_EQ(requests.size() % 2, 0);
  for (size_t i = 0; i < requests.size(); i += 2) {
    const std::vector<int64_t> before = source.NumbersOf(requests[i]);
    const std::vector<int64_t> behind = source.NumbersOf(requests[i + 1]);
    EXPECT_EQ(static_cast<int64_t>(behind.size()), current);
    // The last ones before the last training, up to this number.
    const int64_t trained = before.back() + 1;
    EXPECT_EQ(static_cast<int64_t>(before.size()), std::min(reference, trained));
    EXPECT_LE(trained, behind.front());
    EXPECT_TRUE(std::any_of(decisions.begin(), decisions.end(), [&](const Decision& decision) {
      return decision.fired && decision.at == requests[i].to;
    }));
  }
}

// The last part of the stream can be read without listing the whole stream.
TEST_P(DriftWindows, AreLookedForNearTheirEnd) {
  const auto [reference, current, every] = GetParam();
  const Stream stream = ManySamples();
  DriftingEvidence source(stream);
  Decide(OfColumns(reference, current, every), stream, source);
  const int64_t reach = std::max(reference, current);
  for (EvidenceRequest request : source.requests()) {
    const auto asked = Set(source.NumbersOf(request));
    request.newest = 0;
    const auto listed = source.NumbersOf(request);
    EXPECT_LE(static_cast<int64_t>(listed.size()), 2 * reach + every);
    request.newest = static_cast<int64_t>(asked.size());
    request.from.reset();
    EXPECT_EQ(Set(source.NumbersOf(request)), asked);
  }
}

TEST(DriftTrigger, ComparesStretchesOfEventTime) {
  const Stream stream = EverySecond(3000);
  DriftingEvidence source(stream, &Never);
  DriftTrigger spec = OfColumns(2, 2, 100);
  spec.evaluate = {.every = Duration{100 * kSecond}};
  spec.reference = {.length = Duration{250 * kSecond}};
  spec.current = {.length = Duration{300 * kSecond}};
  const auto decisions = Decide(spec, stream, source);
  ASSERT_TRUE(decisions[0].fired);
  for (const size_t i : {1, 2}) {
    EXPECT_FALSE(decisions[i].fired);
    EXPECT_FALSE(decisions[i].verdict.observed().contains("score"));
  }
  EXPECT_EQ(Explain(spec, decisions[2].verdict),
            "3 min 20 s of the 5 min of the current window had passed");
  ASSERT_GE(source.requests().size(), 4);
  // The stream has 100 of the 250 seconds before the training, at second 100.
  EXPECT_EQ(source.NumbersOf(source.requests()[0]).size(), 100);
  for (size_t i = 1; i < source.requests().size(); i += 2) {
    EXPECT_EQ(source.NumbersOf(source.requests()[i]).size(), 300);
  }
}

TEST(DriftTrigger, DrawsNoMoreRowsThanItIsAllowed) {
  const Stream stream = ManySamples();
  DriftingEvidence source(stream);
  DriftTrigger spec = OfColumns(1000, 500, 100);
  spec.rows = 40;
  for (const Decision& decision : Decide(spec, stream, source)) {
    const Observed& seen = decision.verdict.observed();
    if (!seen.contains("score")) continue;
    EXPECT_EQ(ValueOf(seen, number::kCurrentRows) + ValueOf(seen, number::kReferenceRows) +
                  ValueOf(seen, number::kMissing),
              80);
  }
}

TEST(DriftTrigger, WaitsUntilTheCurrentWindowIsFullAndSaysSo) {
  const Stream stream = EverySecond(2000);
  DriftingEvidence source(stream, &Never);
  const DriftTrigger spec = OfColumns(1000, 1000, 250);
  const auto decisions = Decide(spec, stream, source);
  EXPECT_TRUE(decisions[0].fired);
  EXPECT_EQ(Explain(spec, decisions[0].verdict), "250 samples had come and there was no model");
  EXPECT_FALSE(decisions[1].fired);
  EXPECT_EQ(Explain(spec, decisions[1].verdict),
            "250 of the 1,000 samples of the current window had come");
  EXPECT_EQ(MarginOf(decisions[1].verdict.comparison()), -750);
  EXPECT_TRUE(decisions[4].verdict.observed().contains("score"));
}

// As windows of which hardly a row can be read.
TEST(DriftTrigger, AnswersNoWhereNothingCanBeLookedAt) {
  const Stream stream = EverySecond(1000);
  DriftingEvidence source(stream, &Never, /*missing_of=*/1);
  const DriftTrigger spec = OfColumns(100, 100, 100);
  const auto decisions = Decide(spec, stream, source);
  EXPECT_FALSE(decisions[1].fired);
  EXPECT_THAT(Explain(spec, decisions[1].verdict), HasSubstr("could not be compared"));
}

// One column of three drifts: what the others show does not hide it, and it is named.
class OneColumnDrifts : public EvidenceSource {
 public:
  explicit OneColumnDrifts(const Stream& stream, int64_t missing_of = 23)
      : sound_(stream, &Never, missing_of), drifted_(stream, &After2000, missing_of) {}
  absl::StatusOr<EvidenceTable> Read(const EvidenceRequest& request) override {
    ASSIGN_OR_RETURN(EvidenceTable table, sound_.Read(request));
    ASSIGN_OR_RETURN(const EvidenceTable drifted, drifted_.Read(request));
    for (size_t i = 1; i < table.values.size(); i += 3) table.values[i] = drifted.values[i];
    return table;
  }

 private:
  DriftingEvidence sound_;
  DriftingEvidence drifted_;
};

// The same with `a` missing in nine of ten samples from number 1000 on.
class DriftsWhereAColumnIsMissing : public OneColumnDrifts {
 public:
  explicit DriftsWhereAColumnIsMissing(const Stream& stream)
      : OneColumnDrifts(stream, /*missing_of=*/1'000'000) {}
  absl::StatusOr<EvidenceTable> Read(const EvidenceRequest& request) override {
    ASSIGN_OR_RETURN(EvidenceTable table, OneColumnDrifts::Read(request));
    EXPECT_TRUE(request.may_lack);
    const bool since = request.to.event_time.micros > 1000 * kSecond;
    for (size_t row = 0; since && 3 * row < table.values.size(); ++row) {
      if (row % 10 != 0) table.values[3 * row] = std::numeric_limits<double>::quiet_NaN();
    }
    return table;
  }
};

TEST(DriftTrigger, SeesADriftBesideAColumnThatIsMissingAndSaysWhatIs) {
  const Stream stream = EverySecond(3000);
  DriftsWhereAColumnIsMissing source(stream);
  DriftTrigger spec = OfColumns(250, 250, 250);
  spec.criterion = ThresholdCriterion{.at = .2};
  const auto decisions = Decide(spec, stream, source);
  for (size_t i = 1; i < decisions.size(); ++i) EXPECT_EQ(decisions[i].fired, i == 8) << i;
  EXPECT_EQ(ValueOf(decisions[8].verdict.observed(), number::kCurrentRows), 250);
  EXPECT_THAT(Explain(spec, decisions[8].verdict),
              AllOf(HasSubstr("most in `b`; `a` is missing in 225 of 250 since and 0 of 250 before "
                              "(by chance with p "),
                    HasSubstr("), too many to compare it; ")));
}

TEST(DriftTrigger, LeavesOutIncompleteSamplesOfRowsAndSaysHowMany) {
  const Stream stream = EverySecond(3000);
  DriftsWhereAColumnIsMissing source(stream);
  DriftTrigger spec = OfColumns(250, 250, 250);
  spec.statistic = statistics::MmdStatistic{};
  spec.criterion = ThresholdCriterion{.at = .2};
  const auto decisions = Decide(spec, stream, source);
  for (size_t i = 1; i < decisions.size(); ++i) EXPECT_FALSE(decisions[i].fired) << i;
  EXPECT_THAT(Explain(spec, decisions[8].verdict),
              HasSubstr("the windows could not be compared: 250 samples of the reference window "
                        "could be looked at, and 25 of the current window; at least 30 and 30 are "
                        "needed; 225 of 500 samples lack what is compared and were left out"));
  EXPECT_EQ(MarginOf(decisions[8].verdict.comparison()), -5);
}

TEST(DriftTrigger, SeesASingleColumnDriftAndNamesIt) {
  const Stream stream = EverySecond(3000);
  for (const DriftCriterion& criterion : {DriftCriterion(ThresholdCriterion{.at = .2}),
                                          DriftCriterion(PValueCriterion{.alpha = 1e-5})}) {
    OneColumnDrifts source(stream);
    DriftTrigger spec = OfColumns(250, 250, 250);
    spec.criterion = criterion;
    const auto decisions = Decide(spec, stream, source);
    for (size_t i = 1; i < decisions.size(); ++i) {
      EXPECT_EQ(decisions[i].fired, i == 8) << i;
    }
    EXPECT_THAT(Explain(spec, decisions[8].verdict), HasSubstr("most in `b`"));
  }
}

// (b + 1) / (B + 1), which is never 0: a level below what permutations can tell is refused.
TEST(DriftTrigger, TakesNoPermutationsForProof) {
  const Stream stream = EverySecond(3000);
  DriftingEvidence source(stream, &After2000);
  DriftTrigger spec = OfColumns(250, 250, 250);
  spec.statistic = statistics::EnergyStatistic{.permutations = 49};
  spec.criterion = PValueCriterion{.alpha = .05};
  for (const Decision& decision : Decide(spec, stream, source)) {
    const Observed& seen = decision.verdict.observed();
    if (seen.contains("score")) {
      EXPECT_GE(seen.at("p_value"), 1.0 / 50);
    }
  }
  config::Problems problems;
  const auto check = [&](statistics::DriftStatistic statistic, double alpha) {
    const auto read = config::Read<TriggerSpec>(config::Print(TriggerSpec([&] {
                                                  DriftTrigger asked = spec;
                                                  asked.statistic = std::move(statistic);
                                                  asked.criterion = PValueCriterion{.alpha = alpha};
                                                  return asked;
                                                }())),
                                                "trigger");
    return read.ok();
  };
  EXPECT_TRUE(check(statistics::EnergyStatistic{.permutations = 49}, .05));
  EXPECT_FALSE(check(statistics::EnergyStatistic{.permutations = 49}, .02));
  EXPECT_FALSE(check(statistics::EnergyStatistic{}, .05));
  EXPECT_FALSE(check(statistics::MmdStatistic{}, .05));
  EXPECT_TRUE(check(statistics::MmdStatistic{.estimator = statistics::MmdEstimator::kLinear}, .05));
  EXPECT_TRUE(check(statistics::KsStatistic{}, 1e-9));
  EXPECT_TRUE(check(statistics::ClassifierStatistic{}, 1e-9));
}

// A score after these, as the criterion judges it.
template <typename Criterion>
Verdict After(const Criterion& criterion, BadSide bad, const std::vector<double>& scores,
              double score) {
  const ScoreKind kind = {.name = "score", .bad = bad};
  statistics::ScoreHistory history = {.most = HistoryOf(criterion)};
  for (const double before : scores) history.Add(before);
  Verdict verdict = NewVerdict("any", ObservedOf({{number::kScore, score}}));
  ObserveScores(criterion, history, kind, *verdict.mutable_observed());
  JudgeScore(criterion, kind, verdict);
  return verdict;
}

// Scores, one after the other, and whether they fire.
using Answers = std::vector<std::pair<double, bool>>;

TEST(ScoreCriterion, HoldsAScoreAgainstAQuantileOfThoseBefore) {
  const std::vector<double> scores = {.1, .12, .11, .13, .2};
  const QuantileCriterion five = {.tail = .05, .history = 10};
  EXPECT_NEAR(After(five, BadSide::kHigh, scores, .15).comparison().threshold(), .186, 1e-12);
  EXPECT_NEAR(After(five, BadSide::kLow, scores, .15).comparison().threshold(), .102, 1e-12);
  const QuantileCriterion four = {.tail = .25, .history = 4};
  std::vector<double> fed = {5, 11, 15, 10};
  for (const auto& [score, fires] : Answers{{10.0, false}, {11.1, false}, {14.5, true}}) {
    EXPECT_EQ(After(four, BadSide::kHigh, fed, score).fired(), fires) << score;
    fed.push_back(score);
  }
  const QuantileCriterion three = {.tail = .25, .history = 3};
  fed = {.9, .7, .5};
  for (const auto& [score, fires] : Answers{{.9, false}, {.61, false}, {.53, true}, {.59, false}}) {
    EXPECT_EQ(After(three, BadSide::kLow, fed, score).fired(), fires) << score;
    fed.push_back(score);
  }
  EXPECT_TRUE(After(five, BadSide::kHigh, {}, 0).fired());
}

TEST(ScoreCriterion, HoldsAScoreAgainstTheMeanOfThoseBefore) {
  const std::vector<double> scores = {.1, .12, .11, .13, .2};
  const RollingAverageCriterion five = {.deviation = .05, .relative = true};
  EXPECT_NEAR(After(five, BadSide::kHigh, scores, .15).comparison().threshold(), .1386, 1e-12);
  const RollingAverageCriterion two = {.deviation = .21, .relative = true, .history = 2};
  std::vector<double> fed = {1, .6, .3, .7};
  for (const auto& [score, fires] : Answers{{.4, false}, {.43, true}}) {
    EXPECT_EQ(After(two, BadSide::kLow, fed, score).fired(), fires) << score;
    fed.push_back(score);
  }
  // The deviation at which the answer turns.
  const Verdict verdict = After(five, BadSide::kHigh, scores, .165);
  EXPECT_EQ(verdict.nearest().key(), "criterion.deviation");
  EXPECT_NEAR(verdict.nearest().to(), .25, 1e-12);
}

// A score is not a setting, and "1 of it" is not what people call a share.
TEST(ScoreCriterion, SpeaksOfSettingsAndShares) {
  const std::vector<double> scores = {.5, .5};
  const RollingAverageCriterion all = {.deviation = 1, .relative = true, .history = 2};
  const Verdict lower = After(all, BadSide::kLow, scores, .6);
  EXPECT_FALSE(lower.has_nearest());
  EXPECT_EQ(ExplainScore(all, lower),
            "the mean of the 2 scores before was 0.5, and 100 % worse than that is 0");
  EXPECT_FALSE(After(QuantileCriterion(), BadSide::kLow, scores, .6).has_nearest());
}

TEST(DriftTrigger, SpendsAlphaOverTheTestsSinceATraining) {
  DriftTrigger spec = OfColumns(100, 100, 100);
  spec.criterion = PValueCriterion{.alpha = .05, .spend = true};
  const auto judge = [&](double p, double test) {
    return Judge(spec, ObservedOf({{number::kModel, 1},
                                   {number::kScore, .1},
                                   {number::kPValue, p},
                                   {number::kTest, test}}));
  };
  EXPECT_TRUE(judge(.03, 1).fired());
  EXPECT_FALSE(judge(.03, 2).fired());
  EXPECT_NEAR(judge(.03, 2).nearest().to(), .03 * 4 * M_PI * M_PI / 6, 1e-12);
  const Stream stream = EverySecond(2000);
  DriftingEvidence source(stream, &Never);
  double test = 0;
  for (const Decision& decision : Decide(spec, stream, source)) {
    test = decision.fired ? 0 : test + 1;
    if (!decision.fired) {
      EXPECT_EQ(ValueOf(decision.verdict.observed(), number::kTest), test);
    }
  }
}

TEST(DriftTrigger, LetsASimplePolicyDecideWhileItWarmsUp) {
  const Stream stream = EverySecond(3000);
  DriftingEvidence source(stream, &Never);
  DriftTrigger spec = OfColumns(100, 100, 100);
  spec.criterion = QuantileCriterion{.tail = .01, .history = 100};
  spec.warm_up = WarmUp{.evaluations = 12, .trigger = AmountTrigger{.samples = 330}};
  const auto decisions = Decide(spec, stream, source);
  std::vector<int64_t> fired;
  const std::vector<int64_t> places = testing::Places(decisions, stream);
  for (size_t i = 0; i < decisions.size(); ++i) {
    if (places[i] <= 1200 && decisions[i].fired) fired.push_back(places[i]);
  }
  EXPECT_THAT(fired, ::testing::ElementsAre(330, 660, 990));
  EXPECT_THAT(Explain(spec, decisions[0].verdict), HasSubstr("warming up, 1 of 12 evaluations"));
  // Behind it every evaluation with a window to look at has put a score into the history.
  const auto first =
      std::find_if(decisions.begin(), decisions.end(), [&](const Decision& decision) {
        return decision.verdict.observed().contains("quantile") &&
               !decision.verdict.observed().contains("warm_up");
      });
  ASSERT_NE(first, decisions.end());
  EXPECT_EQ(first->verdict.observed().at("scores"), 6);
}

DriftTrigger Automatic(double alarms_per_month) {
  DriftTrigger spec = OfColumns(150, 150, 150);
  spec.statistic = statistics::WassersteinStatistic{};
  spec.criterion =
      AutoCriterion{.alarms_per_month = alarms_per_month, .history = 600, .scores = 200};
  return spec;
}

// 150 samples take 150 seconds.
constexpr double kEvaluationsPerMonth = statistics::kSecondsPerMonth / 150;

// A reference that is long beside the current window differs little from what is usual: evaluations
// that share it raise alarms as if each were independent.
TEST(DriftTrigger, RaisesAsManyFalseAlarmsAsAreAccepted) {
  const Stream stream = EverySecond(60'000);
  DriftTrigger spec = OfColumns(900, 100, 100);
  spec.columns = {"a"};
  spec.statistic = statistics::WassersteinStatistic{};
  spec.criterion = AutoCriterion{
      .alarms_per_month = statistics::kSecondsPerMonth / 100 / 20, .history = 3000, .scores = 200};
  int64_t evaluations = 0, alarms = 0;
  for (int64_t seed = 1; seed <= 3; ++seed) {
    DriftingEvidence source(stream, &Never, /*missing_of=*/0, seed);
    for (const Decision& decision : Decide(spec, stream, source)) {
      if (!decision.verdict.observed().contains("threshold")) continue;
      ++evaluations;
      if (decision.fired) ++alarms;
    }
  }
  ASSERT_GT(evaluations, 1500);
  const auto band = statistics::testing::PoissonBandOf(static_cast<double>(evaluations) / 20);
  EXPECT_GE(alarms, band.low) << evaluations;
  EXPECT_LE(alarms, band.high) << evaluations;
}

TEST(DriftTrigger, FindsItsThresholdOnceAfterEachTraining) {
  const Stream stream = EverySecond(6000);
  DriftingEvidence source(stream);
  const DriftTrigger spec = Automatic(kEvaluationsPerMonth / 10);
  const auto decisions = Decide(spec, stream, source);
  int64_t trainings = 0, sought = 0;
  for (const Decision& decision : decisions) trainings += decision.fired ? 1 : 0;
  for (const EvidenceRequest& request : source.requests()) {
    if (request.newest != 600) continue;
    ++sought;
    EXPECT_LE(source.NumbersOf(request).size(), 600);
  }
  EXPECT_GE(trainings, 3);
  EXPECT_GE(sought, trainings - 1);
  EXPECT_LE(sought, trainings);
}

// The first training comes too soon to know what is usual. Once it could be known, it is learnt.
TEST(DriftTrigger, TrainsOnceMoreWhenItHasAHistoryToFindAThresholdWith) {
  const Stream stream = EverySecond(3000);
  DriftingEvidence source(stream, &Never);
  const DriftTrigger spec = Automatic(kEvaluationsPerMonth / 1000);
  const auto decisions = Decide(spec, stream, source);
  const auto fired = [&](size_t i) { return decisions[i].fired; };
  EXPECT_TRUE(fired(0));
  EXPECT_FALSE(fired(1));
  EXPECT_THAT(Explain(spec, decisions[1].verdict), HasSubstr("were too few for both windows"));
  EXPECT_FALSE(fired(2));
  EXPECT_TRUE(fired(3));
  EXPECT_THAT(Explain(spec, decisions[3].verdict), HasSubstr("now the 600 samples have come"));
  for (size_t i = 4; i < decisions.size(); ++i) {
    EXPECT_FALSE(fired(i));
    EXPECT_TRUE(decisions[i].verdict.observed().contains("threshold"));
  }
}

// Data of fewer samples than `history` would never have a threshold.
TEST(DriftTrigger, FindsAThresholdInTwiceBothWindowsWhereThatIsLessThanItsHistory) {
  const Stream stream = EverySecond(1500);
  DriftTrigger by_number = Automatic(kEvaluationsPerMonth / 20);
  std::get<AutoCriterion>(by_number.criterion).history = 5000;
  DriftTrigger by_time = by_number;
  by_time.reference = {.length = Duration{150'000'000}};
  by_time.current = {.length = Duration{150'000'000}};
  for (const DriftTrigger& spec : {by_number, by_time}) {
    DriftingEvidence source(stream, &Never);
    const auto decisions = Decide(spec, stream, source);
    ASSERT_GT(decisions.size(), 4U);
    const auto& again = decisions[3];
    EXPECT_TRUE(again.fired) << Explain(spec, again.verdict);
    EXPECT_THAT(Explain(spec, again.verdict),
                HasSubstr("samples have come that are twice both windows"));
    EXPECT_TRUE(decisions[4].verdict.observed().contains("threshold"));
  }
}

// 150 seconds are far less than a month: as many alarms are accepted as there are evaluations.
TEST(DriftTrigger, FiresAtEachEvaluationWhereMoreAlarmsAreAcceptedThanThereAreEvaluations) {
  const Stream stream = EverySecond(1500);
  DriftingEvidence source(stream, &Never);
  const DriftTrigger spec = Automatic(kEvaluationsPerMonth * 2);
  const auto decisions = Decide(spec, stream, source);
  ASSERT_GT(decisions.size(), 5U);
  for (size_t i = 0; i < decisions.size(); ++i) {
    EXPECT_TRUE(decisions[i].fired) << i << ": " << Explain(spec, decisions[i].verdict);
  }
  EXPECT_THAT(Explain(spec, decisions.back().verdict),
              HasSubstr("may be false, so each evaluation fires"));
  EXPECT_EQ(decisions.back().verdict.nearest().key(), "criterion.alarms_per_month");
}

}  // namespace
}  // namespace tidemill::supervisor

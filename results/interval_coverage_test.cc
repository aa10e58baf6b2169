// How often the 95 % intervals of windows hold the truth, where samples follow one another.
// TIDEMILL_TEST_WINDOWS=300 tries as many windows, and prints a table.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numbers>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

#include "evaluator/measures/bootstrap.h"
#include "evaluator/measures/classes/accuracy.h"
#include "evaluator/measures/classes/f1.h"
#include "evaluator/measures/numbers/error_measures.h"
#include "evaluator/measures/ranked/ranks.h"
#include "evaluator/measures/ranked/roc_auc.h"
#include "evaluator/measures/testing/chains.h"
#include "results/pooling.h"

namespace tidemill::results {
namespace {

using namespace evaluator;  // NOLINT(google-build-using-namespace)

constexpr int kReplicates = 200;
constexpr size_t kRows = 200;
constexpr size_t kPooled = 5;

size_t NumWindows() {
  const char* const text = std::getenv("TIDEMILL_TEST_WINDOWS");
  return text == nullptr ? 60 : static_cast<size_t>(std::atoll(text));
}

// A long series, of which windows are cut: hidden chains decide the classes, the scores of a model,
// and its errors.
class LongSeries {
 public:
  LongSeries(double rho, size_t length) {
    const std::vector<double> hidden = Chain("hidden", 0, rho, length);
    const std::vector<double> seen = Chain("seen", 0, rho, length);
    const std::vector<double> errors = Chain("errors", 0, rho, length);
    for (size_t i = 0; i < length; ++i) {
      truth_.push_back(hidden[i] > 0.3 ? 1 : 0);
      scores_.push_back(static_cast<float>(hidden[i] + seen[i]));
      predicted_.push_back(scores_.back() > 0.4F ? 1 : 0);
      errors_.push_back(static_cast<float>(errors[i]));
      wrong_.push_back(errors[i] < 0.52 ? 0 : 1);
    }
    zeros_.resize(length);
    no_errors_.resize(length);
    keys_.resize(length);
    std::iota(keys_.begin(), keys_.end(), 0);
  }

  // The value, the interval and the sums of each measure on the rows from `begin` on.
  std::map<std::string, Row> Measured(size_t begin, size_t rows) const {
    const auto cut = [&](const auto& all) { return std::span(all).subspan(begin, rows); };
    const std::vector<int32_t> ranks = DenseRanks(cut(scores_));
    const Outcomes classes = {.predicted_classes = cut(predicted_),
                              .true_classes = cut(truth_),
                              .ranks = ranks,
                              .num_ranks = static_cast<int64_t>(rows)};
    std::map<std::string, Row> all;
    Add({RocAuc{}, F1{}}, classes, cut(keys_), all);
    Add({Accuracy{}}, {.predicted_classes = cut(zeros_), .true_classes = cut(wrong_)}, cut(keys_),
        all);
    Add({MeanAbsoluteError{}}, {.predicted_values = cut(errors_), .true_values = cut(no_errors_)},
        cut(keys_), all);
    return all;
  }

  // The value of each measure on all rows.
  std::map<std::string, double> Values() const {
    const std::vector<int32_t> ranks = DenseRanks(scores_);
    const Outcomes classes = {.predicted_classes = predicted_,
                              .true_classes = truth_,
                              .ranks = ranks,
                              .num_ranks = static_cast<int64_t>(ranks.size())};
    return {{"roc_auc", *RocAuc{}.ValueOf(classes)},
            {"f1_macro", *MeasureSpec(F1{})->ValueOf(classes)},
            {"accuracy", std::erfc(-0.52 / std::numbers::sqrt2) / 2},
            {"mae", std::sqrt(2 / std::numbers::pi)}};
  }

 private:
  static std::vector<double> Chain(std::string_view purpose, int64_t seed, double rho,
                                   size_t length) {
    return testing::Chain(purpose, seed, rho, length);
  }

  static void Add(const std::vector<MeasureSpec>& measures, const Outcomes& outcomes,
                  std::span<const int64_t> keys, std::map<std::string, Row>& all) {
    const auto intervals =
        BootstrapIntervals(measures, outcomes, {.keys = keys, .times = keys}, kReplicates, 0);
    for (size_t i = 0; i < measures.size(); ++i) {
      const auto value = measures[i]->ValueOf(outcomes);
      if (!value || !intervals[i]) continue;
      Row& window = all[measures[i]->Name()];
      window.set_value(*value);
      window.set_low(intervals[i]->low);
      window.set_high(intervals[i]->high);
      window.set_num_samples(std::ssize(keys));
      const auto accumulator = measures[i]->NewAccumulator();
      if (accumulator == nullptr) continue;
      accumulator->Add(outcomes);
      window.set_sums(accumulator->Sums());
    }
  }

  std::vector<int64_t> truth_, predicted_, wrong_, zeros_, keys_;
  std::vector<float> scores_, errors_, no_errors_;
};

struct Coverage {
  int held = 0;
  int tried = 0;
  double width = 0;

  void Add(double low, double high, double truth) {
    held += low <= truth && truth <= high ? 1 : 0;
    ++tried;
    width += high - low;
  }
  double share() const { return static_cast<double>(held) / tried; }
};

// Adds the interval of some windows together, if they have one.
void AddPooled(const std::string& measure, const std::vector<Row>& windows, double truth,
               Coverage& pooled) {
  const Rows rows = Select(windows, [](const Row&) { return true; });
  const auto value = Pool(measure, rows);
  ASSERT_TRUE(value.has_value()) << measure;
  const auto interval = PooledInterval(*value, rows);
  if (interval) pooled.Add(interval->first, interval->second, truth);
}

// `pooled` are of five windows each.
std::map<std::string, Coverage> CoverageAt(double rho, const std::map<std::string, double>& truth,
                                           std::map<std::string, Coverage>& pooled) {
  const size_t num_windows = NumWindows();
  const LongSeries series(rho, num_windows * kRows);
  std::map<std::string, Coverage> of_windows;
  std::map<std::string, std::vector<Row>> together;
  for (size_t window = 0; window < num_windows; ++window) {
    for (const auto& [measure, own] : series.Measured(window * kRows, kRows)) {
      of_windows[measure].Add(own.low(), own.high(), truth.at(measure));
      std::vector<Row>& some = together[measure];
      some.push_back(own);
      if (some.size() < kPooled) continue;
      AddPooled(measure, some, truth.at(measure), pooled[measure]);
      some.clear();
    }
  }
  return of_windows;
}

TEST(Coverage, OfIntervalsIsWhatTheyPromiseHoweverFarSamplesFollowOneAnother) {
  const std::map<std::string, double> truth = LongSeries(0, 400'000).Values();
  const double chance = 3 * std::sqrt(0.95 * 0.05 / static_cast<double>(NumWindows()));
  for (const double rho : {0.0, 0.5, 0.9}) {
    std::map<std::string, Coverage> pooled;
    for (const auto& [measure, coverage] : CoverageAt(rho, truth, pooled)) {
      EXPECT_GE(coverage.share(), 0.92 - chance) << measure << " at " << rho;
      EXPECT_GE(pooled[measure].share(), 0.92 - 2 * chance) << measure << " at " << rho;
      if (std::getenv("TIDEMILL_TEST_WINDOWS") == nullptr) continue;
      std::printf("%-9s rho %.1f: %d windows, held %.3f, mean width %.4f; %d pooled, held %.3f\n",
                  measure.c_str(), rho, coverage.tried, coverage.share(),
                  coverage.width / coverage.tried, pooled[measure].tried, pooled[measure].share());
    }
  }
}

}  // namespace
}  // namespace tidemill::results

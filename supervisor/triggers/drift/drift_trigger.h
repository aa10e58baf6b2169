// Retrains when the distribution of new samples differs from that of the samples trained on.
//                           last training                  evaluation
//                                 |                             |
//   ---------[==== reference =====]------------[=== current ====]------> stream
//              newest samples before it          newest samples since
//
//   both windows -> rows (drawn, if there are more than `rows`) -> statistic -> score -> criterion
//
// The reference ends at the training, since that is what the model knows. There is no verdict until
// the current window is full: few rows differ from many by chance.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "config/config.h"
#include "config/remark.h"
#include "supervisor/statistics/two_samples/drift_statistic.h"
#include "supervisor/triggers/criteria/criterion_spec.h"
#include "supervisor/triggers/criteria/score_criterion.h"
#include "supervisor/triggers/plain/decision_interval.h"
#include "supervisor/triggers/trigger.h"
#include "transform/engine/schema_check.h"

namespace tidemill::supervisor {

// The newest samples before a cut, by number or by time.
struct SampleWindow {
  std::optional<int64_t> samples = std::nullopt;
  std::optional<Duration> length = std::nullopt;

  void Fields(auto&& field) {
    field("samples", samples, "Number of samples. By default 1000.",
          {.min = 2, .max = 1e9, .example = "1000"});
    field("length", length, "The samples of this length of event time.",
          {.min = 1e-6, .example = "30d"});
  }
  void Check(config::Problems& problems) const;

  // The number of samples in the window; 0 for a window by time.
  int64_t Samples() const { return length ? 0 : samples.value_or(1000); }
  // The number of rows drawn from the window, at most `most`.
  int64_t Rows(int64_t most) const { return length ? most : std::min(most, Samples()); }
};

// Which values of the samples are compared.
enum class DriftOf { kEmbeddings, kPredictions, kLabels, kColumns };

using DriftCriterion = std::variant<ThresholdCriterion, QuantileCriterion, RollingAverageCriterion,
                                    PValueCriterion, AutoCriterion>;

struct DriftTrigger {
  static constexpr std::string_view kType = "drift";
  static constexpr std::string_view kDoc =
      "Fires when the samples since the last training have another distribution than those before "
      "it. While there is no model, an evaluation fires if it finds as many samples as `first` "
      "asks for.";
  static constexpr std::string_view kRule =
      "the score of `statistic` for two windows is bad by `criterion`. The reference window has "
      "the newest samples before the cut of the last training; the current window has the newest "
      "samples after it. threshold: score >= at; quantile: score > the (1 - tail)-quantile of the "
      "last scores; rolling_average: score >= mean + deviation of the last scores, or mean (1 + "
      "deviation); p_value: p < alpha, or 6 alpha / (pi^2 t^2) at the t-th test since the "
      "training; auto: score >= the threshold that windows drawn from the samples before the "
      "training exceed in alarms / evaluations of all cases, where an alarm ends a row of "
      "overlapping windows. With `drifted_share`, the score is "
      "the k-th greatest of the scores of the columns, and p the k-th least of their corrected "
      "p-values, where k is `drifted_share` of the columns that could be compared, rounded up. "
      "Until the current window is full, the answer is no";
  static constexpr std::string_view kPoints =
      "where `evaluate` says; samples are counted from the last training on; during `warm_up` from "
      "the beginning, and where its trigger decides";
  static constexpr std::string_view kCost =
      "for each evaluation, one statistic of two windows of at most `rows` rows, and the "
      "predictions of the model for them; with auto, `scores` statistics after a training; as "
      "state, the last scores and some tens of places in the stream";
  static constexpr std::string_view kSource =
      "Boether et al., Modyn (SIGMOD 2025), for windows, warm-up and criteria over scores; Gretton "
      "et al., A Kernel Two-Sample Test (JMLR 2012); Lopez-Paz and Oquab, Revisiting Classifier "
      "Two-Sample Tests (ICLR 2017); Phipson and Smyth, Permutation P-values Should Never Be Zero "
      "(2010); Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World (2005), for the "
      "threshold of auto";
  DecisionInterval evaluate;
  DriftOf of = DriftOf::kEmbeddings;
  std::vector<std::string> columns = {};
  SampleWindow reference = {};
  SampleWindow current = {};
  std::optional<double> drifted_share = std::nullopt;
  int64_t rows = 2000;
  statistics::DriftStatistic statistic;
  DriftCriterion criterion;
  std::optional<WarmUp> warm_up = std::nullopt;
  std::optional<int64_t> first = std::nullopt;
  int64_t seed = 0;

  void Fields(auto&& field) {
    field("evaluate", evaluate, "Where to compare the windows.", {.required = true});
    field("of", of,
          "What to compare. embeddings: the input of the last layer of the active model. "
          "predictions: its probabilities or values. labels: the labels. columns: columns of the "
          "records, see `columns`.",
          {.required = true});
    field("columns", columns,
          "Columns of numbers, with `of: columns`. A statistic by column compares, in each, the "
          "samples that have a value in it; `mmd` and `classifier` compare samples that lack none. "
          "It takes 30 of them and a tenth of the window, or all of fewer than 30; a column with "
          "fewer is left out. `tidemill why` says what was missing.",
          {.example = "[temperature, wind]", .max_items = 256});
    field("reference", reference, "The window before the last training.");
    field("current", current, "The window after the last training.");
    field(
        "drifted_share", drifted_share,
        "With `of: columns` and a statistic by column: fires when at least this share of the "
        "columns that could be compared has drifted, each on its own. With `p_value`, the p-value "
        "of each column is corrected for their number as `correction` says; the scores of the "
        "other criteria are not. By default one column is enough.",
        {.min = 1e-6, .max = 1, .example = "0.3"});
    field("rows", rows,
          "Largest number of samples of a window to compare. If there are more, they are drawn by "
          "their keys.",
          {.min = 2, .max = 1'000'000});
    field("statistic", statistic, "How to compare the windows.");
    field("criterion", criterion, "Which scores fire.", {.required = true});
    field("warm_up", warm_up, "Lets a simple policy decide until there is a history of scores.");
    field("first", first,
          "The first training waits for this many samples. By default the first evaluation starts "
          "it, however few samples have come.",
          {.min = 1, .example = "2000"});
    field("seed", seed, "Seed of draws and permutations.");
  }
  void Check(config::Problems& problems) const;
};

std::unique_ptr<TriggerPolicy> MakePolicy(const DriftTrigger& spec);
// The score of the policy, by the name of its statistic.
ScoreKind ScoreKindOf(const DriftTrigger& spec);
Verdict Judge(const DriftTrigger& spec, const Observed& observed);
std::string Explain(const DriftTrigger& spec, const Verdict& verdict);
TriggerNeeds NeedsOf(const DriftTrigger& spec);
// Notes settings with which `drifted_share` cannot be used, for Check().
void CheckShare(const DriftTrigger& spec, config::Problems& problems);

template <>
class TriggerOf<DriftTrigger> final : public RuleTrigger<DriftTrigger> {
 public:
  void CheckSamples(const transform::DescribedSamples& samples,
                    config::Problems& problems) const override;
  std::vector<config::Remark> Advise(const StreamFacts& stream) const override;
};

}  // namespace tidemill::supervisor

template <>
struct tidemill::config::EnumNames<tidemill::supervisor::DriftOf> {
  using Of = tidemill::supervisor::DriftOf;
  static constexpr std::pair<Of, std::string_view> kNames[] = {{Of::kEmbeddings, "embeddings"},
                                                               {Of::kPredictions, "predictions"},
                                                               {Of::kLabels, "labels"},
                                                               {Of::kColumns, "columns"}};
};

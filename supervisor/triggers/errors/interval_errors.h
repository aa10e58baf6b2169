// Shared code of the policies that weigh the errors of the active model against the price of a
// training: the mean error of each interval, and the verdict while there is none.
//
// An interval has the samples from one evaluation to the next. Its error is the share of its
// samples that the model got wrong, or, for real labels, their mean absolute error divided by
// `error_scale`, and at most 1.
//      training     evaluation   evaluation   evaluation
//          |            |            |            |
//   -------+------------+------------+------------+-----> stream
//             error 1       error 2      error 3            each of the model trained at the left
//            (is_first)
//
// The first error is one of a new model on samples that it has not seen. The mean of such first
// errors is the expected error of a new model (ExpectedError).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/remark.h"
#include "supervisor/statistics/criteria.h"
#include "supervisor/triggers/evidence.h"
#include "supervisor/triggers/plain/decision_interval.h"
#include "supervisor/triggers/trigger_policy.h"
#include "supervisor/triggers/verdict_types.h"
#include "transform/engine/schema_check.h"

namespace tidemill::supervisor {

// The keys that these policies share. They are listed with the policy's own.
struct IntervalErrors {
  DecisionInterval evaluate;
  std::optional<double> error_scale = std::nullopt;
  std::optional<int64_t> first = std::nullopt;

  void Fields(auto&& field) {
    field(
        "evaluate", evaluate,
        "Where to look at the model. The samples from one evaluation to the next are an interval.",
        {.required = true});
    field("error_scale", error_scale,
          "Real labels need it, and classes have none: the mean absolute error that counts as an "
          "error of 1. Greater ones count as 1, too.",
          {.min = 1e-12, .example = "10"});
    field("first", first,
          "The first training waits for this many samples. By default the first evaluation starts "
          "it, however few samples have come.",
          {.min = 1, .example = "2000"});
  }
};

// The expected error of a new model.
struct ExpectedError {
  std::optional<double> expected_error = std::nullopt;
  int64_t trainings = 10;

  void Fields(auto&& field) {
    field(
        "expected_error", expected_error,
        "Error of a new model. By default the mean error of earlier new models, each on the first "
        "interval after its training, which no model has seen.",
        {.min = 0, .max = 1, .example = "0.1"});
    field("trainings", trainings,
          "Without `expected_error`: the number of the last new models that count.",
          {.min = 1, .max = 10'000});
  }

  // Returns the expected error when new models had these errors. There is at least one.
  double Of(const statistics::ScoreHistory& new_models) const;
};

// The error of the active model on one interval.
struct IntervalError {
  double error = 0;       // In [0, 1].
  double rows = 0;        // The number of samples that it is the mean of; at least 1.
  bool is_first = false;  // Whether it is the first one since the training.
};

// Adds "rows", "missing" and "error" of an interval to `observed`, and "capped" when the error
// would be greater than 1. Returns std::nullopt for an interval without rows.
std::optional<IntervalError> ObserveInterval(const IntervalErrors& spec,
                                             const EvidenceTable& errors, Observed& observed);

// Returns the verdict when there is no model, or no error of this interval.
std::optional<Verdict> JudgeInterval(const IntervalErrors& spec, std::string_view policy,
                                     const Observed& observed);
// Explains such a verdict. std::nullopt for others.
std::optional<std::string> ExplainWithoutError(const IntervalErrors& spec,
                                               const Observed& observed);
// "of 200 samples the model got 30 wrong, an error of 0.15"
std::string ExplainError(const IntervalErrors& spec, const Observed& observed);

void CheckSamples(const IntervalErrors& spec, const transform::DescribedSamples& samples,
                  config::Problems& problems);
std::vector<config::Remark> Advise(const IntervalErrors& spec, const StreamFacts& stream);

}  // namespace tidemill::supervisor

// Forecasts the errors of a model, and of one that would be trained now, and what both would cost.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/status.h"
#include "supervisor/statistics/bayesian_regression.h"
#include "supervisor/statistics/expected_regret.h"

namespace tidemill::supervisor::statistics {

double Logit(double share);

// The errors of models on intervals, oldest first, at most `most`: as logits, with the interval
// after which the model was trained, and its age in intervals, from 1. `before` is the logit
// before: of the same model, or for its first interval that of models before it. It is a state
// (sealed_state.h).
struct ErrorRecord {
  int64_t most = 200;
  std::vector<int64_t> trained = {};
  std::vector<int64_t> ages = {};
  std::vector<double> before = {};
  std::vector<double> logits = {};

  void Add(int64_t trained_after, int64_t age, double logit_before, double logit);

  void Fields(auto&& field) {
    field("most", most);
    field("trained", trained);
    field("ages", ages);
    field("before", before);
    field("logits", logits);
  }
  absl::Status Check() const;
};

// The costs of the next intervals, without the prices of trainings: the errors are those that are
// not exceeded with the probability asked for.
struct ForecastCosts {
  double keep = 0;   // With the model that there is.
  double train = 0;  // With one that is trained now.
  // Both with one training later, where it costs least. Absent where the horizon has no later
  // interval.
  std::optional<double> keep_then_train = std::nullopt;
  std::optional<double> train_again = std::nullopt;
};

// Where in the stream the model and its errors stand.
struct ModelAge {
  int64_t now = 0;      // The number of intervals so far.
  int64_t trained = 0;  // How many there were at the training.
  int64_t age = 0;      // In intervals.
  double logit = 0;     // Of the last error.
};

// The logit of an error is a linear function of the interval after which the model was trained, the
// age of the model, and the logit before, by Bayesian regression. Without data, an error stays as
// it is. Ages and intervals count in units of the horizon. Thread-compatible.
class ErrorForecast {
 public:
  ErrorForecast(const ErrorRecord& record, int64_t now, int64_t horizon);

  // Returns the logits of the next intervals of a model that was trained after `trained` intervals.
  // Each rests on the one before, whose variance it takes over.
  std::vector<NormalBelief> Path(int64_t trained, int64_t age, double logit) const;

  // `logit_of_new` is the logit before the first interval of a new model. `quantile` is a quantile
  // of the standard normal distribution. The errors of a model are taken to be high or low
  // together, so the quantile of their sum is the sum of theirs.
  ForecastCosts Costs(const ModelAge& model, double logit_of_new, double quantile) const;

 private:
  static constexpr int kWidth = 4;
  using Regression = BayesianRegression<kWidth>;

  Regression::Vector Features(int64_t trained, int64_t age, double logit) const;
  std::vector<double> Errors(const std::vector<NormalBelief>& path, double quantile) const;

  const int64_t now_;
  const int64_t horizon_;
  Regression regression_;
};

}  // namespace tidemill::supervisor::statistics

// Forecasts the errors and costs of a model, and of a model that would be trained now.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/status.h"
#include "supervisor/statistics/forecasts/bayesian_regression.h"
#include "supervisor/statistics/forecasts/expected_regret.h"

namespace tidemill::supervisor::statistics {

double Logit(double share);

// The errors of models on intervals, oldest first, at most `most`: as logits, with the interval
// after which the model was trained, and its age in intervals, from 1. `before` is the previous
// logit: of the same model or, for its first interval, of the model before it. It is a state
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

// The costs of the next intervals, without the prices of trainings. They use the errors that are
// not exceeded with the requested probability.
struct ForecastCosts {
  double keep = 0;   // With the current model.
  double train = 0;  // With a model that is trained now.
  // The same two, with one more training at the best later time. Absent when the horizon has no
  // later interval.
  std::optional<double> keep_then_train = std::nullopt;
  std::optional<double> train_again = std::nullopt;
};

// The places of the model and of its errors in the stream.
struct ModelAge {
  int64_t now = 0;      // The number of intervals so far.
  int64_t trained = 0;  // The number of intervals at the training.
  int64_t age = 0;      // In intervals.
  double logit = 0;     // The logit of the last error.
};

// The logit of an error is a linear function of the interval after which the model was trained, the
// age of the model, and the logit before, by Bayesian regression. Without data, an error does not
// change. Ages and intervals count in units of the horizon. Thread-compatible.
class ErrorForecast {
 public:
  ErrorForecast(const ErrorRecord& record, int64_t now, int64_t horizon);

  // Returns the logits of the next intervals of a model that was trained after `trained` intervals.
  // Each depends on the previous one, and includes its variance.
  std::vector<NormalBelief> Path(int64_t trained, int64_t age, double logit) const;

  // `logit_of_new` is the logit before the first interval of a new model. `quantile` is a quantile
  // of the standard normal distribution. The errors of a model are assumed to be high or low
  // together, so the quantile of their sum is the sum of their quantiles.
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

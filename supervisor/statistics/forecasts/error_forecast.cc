#include "supervisor/statistics/forecasts/error_forecast.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace tidemill::supervisor::statistics {
namespace {

// That the next logit is the last one counts as much as four rows; that neither time nor age
// matters, as much as one each.
BayesianRegression<4>::Prior PriorOfErrors() {
  BayesianRegression<4>::Prior prior;
  prior.mean << 0, 0, 0, 1;
  prior.precision << 1, 1, 1, 4;
  return prior;
}

double ErrorOf(double logit) { return 1 / (1 + std::exp(-logit)); }

// The sums of the first n errors, for each n from 0 on.
std::vector<double> SumsOf(std::span<const double> errors) {
  std::vector<double> sums = {0};
  for (const double error : errors) sums.push_back(sums.back() + error);
  return sums;
}

// The least cost of a model up to some interval and of a new one from there on, by their sums.
std::optional<double> CostWithLaterTraining(std::span<const double> kept,
                                            std::span<const double> made) {
  std::optional<double> least;
  for (size_t i = 1; i + 1 < kept.size(); ++i) {
    const double cost = kept[i] + made[made.size() - 1 - i];
    least = std::min(least.value_or(cost), cost);
  }
  return least;
}

template <typename Value>
void AddTo(std::vector<Value>& values, Value value, int64_t most) {
  values.push_back(value);
  if (static_cast<int64_t>(values.size()) > most) values.erase(values.begin());
}

}  // namespace

double Logit(double share) { return std::log(share / (1 - share)); }

void ErrorRecord::Add(int64_t trained_after, int64_t age, double logit_before, double logit) {
  AddTo(trained, trained_after, most);
  AddTo(ages, age, most);
  AddTo(before, logit_before, most);
  AddTo(logits, logit, most);
}

absl::Status ErrorRecord::Check() const {
  const size_t size = trained.size();
  if (ages.size() == size && before.size() == size && logits.size() == size &&
      static_cast<int64_t>(size) <= most) {
    return absl::OkStatus();
  }
  return DataLoss("a sealed record of errors has lists of {}, {}, {} and {} entries, of {} at most",
                  size, ages.size(), before.size(), logits.size(), most);
}

ErrorForecast::ErrorForecast(const ErrorRecord& record, int64_t now, int64_t horizon)
    : now_(now), horizon_(horizon), regression_(PriorOfErrors()) {
  for (size_t i = 0; i < record.logits.size(); ++i) {
    regression_.Add(Features(record.trained[i], record.ages[i], record.before[i]),
                    record.logits[i]);
  }
  regression_.Fit();
}

ErrorForecast::Regression::Vector ErrorForecast::Features(int64_t trained, int64_t age,
                                                          double logit) const {
  const auto unit = static_cast<double>(horizon_);
  return {1, static_cast<double>(trained - now_) / unit, static_cast<double>(age) / unit, logit};
}

std::vector<NormalBelief> ErrorForecast::Path(int64_t trained, int64_t age, double logit) const {
  const double persistence = regression_.weights()[kWidth - 1];
  std::vector<NormalBelief> path;
  NormalBelief last = {.mean = logit};
  for (int64_t step = 1; step <= horizon_; ++step) {
    NormalBelief next = regression_.Predict(Features(trained, age + step, last.mean));
    next.variance += persistence * persistence * last.variance;
    path.push_back(next);
    last = next;
  }
  return path;
}

std::vector<double> ErrorForecast::Errors(const std::vector<NormalBelief>& path,
                                          double quantile) const {
  std::vector<double> errors;
  for (const NormalBelief& logit : path) {
    errors.push_back(ErrorOf(logit.mean + quantile * std::sqrt(logit.variance)));
  }
  return errors;
}

ForecastCosts ErrorForecast::Costs(const ModelAge& model, double logit_of_new,
                                   double quantile) const {
  const std::vector<double> kept =
      SumsOf(Errors(Path(model.trained, model.age, model.logit), quantile));
  const std::vector<double> made = SumsOf(Errors(Path(model.now, 0, logit_of_new), quantile));
  return {.keep = kept.back(),
          .train = made.back(),
          .keep_then_train = CostWithLaterTraining(kept, made),
          .train_again = CostWithLaterTraining(made, made)};
}

}  // namespace tidemill::supervisor::statistics

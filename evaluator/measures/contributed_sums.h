// Values computed from the contributions of samples to a measure that is a plug-in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evaluator/measures/measure.h"
#include "evaluator/measures/measure_process.h"

namespace tidemill::evaluator {

// How the value of a measure follows from sums.
struct SumsToValue {
  // The name in results and in Contributions.
  std::string measure = {};
  // Whether the value is the mean of the one number that each sample contributes. The plug-in is
  // then not asked.
  bool is_mean = true;
  // Otherwise the process that computes the value; nullptr when there is none. It notes failures.
  std::shared_ptr<MeasureProcess> process = {};
};

// The sums of some samples. They are added in the order of the samples, so that the division into
// blocks changes no bit. Thread-compatible.
class ContributedSums {
 public:
  // If the contributions of a sample to `measure` are missing, the sums have no value.
  void Add(const Outcomes& outcomes, std::string_view measure);
  // Adds other sums. Returns false, and does nothing, when they have another width.
  bool Add(const ContributedSums& other);

  // Whether there are samples, and all sums are known and finite.
  bool HasValue() const;
  std::optional<double> Mean() const;
  const std::vector<double>& sums() const { return sums_; }

  // Converts to JSON and back; std::nullopt for any other text.
  std::string ToJson() const;
  static std::optional<ContributedSums> FromJson(std::string_view text);

 private:
  int64_t num_samples_ = 0;
  bool is_complete_ = true;
  std::vector<double> sums_;
};

std::unique_ptr<Accumulator> NewContributedAccumulator(SumsToValue rule);
std::unique_ptr<ValueSeries> NewContributedSeries(SumsToValue rule);

// Whether the text is the sums of a plug-in, which only the plug-in can turn into a value.
bool AreContributedSums(std::string_view sums);

}  // namespace tidemill::evaluator

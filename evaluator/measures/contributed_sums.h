// Values of what samples contribute to a measure that is a plug-in.
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
  // As in results, and in Contributions.
  std::string measure = {};
  // The value is the mean of the one number that each sample contributes; nobody is asked.
  bool is_mean = true;
  // Otherwise asked for the value. nullptr: there is none. What fails is noted in it.
  std::shared_ptr<MeasureProcess> process = {};
};

// The sums of some samples. They are added in the order of the samples, so that the cuts of blocks
// change no bit. Thread-compatible.
class ContributedSums {
 public:
  // Samples of which the contributions to `measure` are missing make the sums useless.
  void Add(const Outcomes& outcomes, std::string_view measure);
  // Adds other sums. False, and does nothing, where they have another width.
  bool Add(const ContributedSums& other);

  // Whether there are samples, and all sums are known and finite.
  bool HasValue() const;
  std::optional<double> Mean() const;
  const std::vector<double>& sums() const { return sums_; }

  // As JSON, and back; std::nullopt for any other text.
  std::string ToJson() const;
  static std::optional<ContributedSums> FromJson(std::string_view text);

 private:
  int64_t num_samples_ = 0;
  bool is_complete_ = true;
  std::vector<double> sums_;
};

std::unique_ptr<Accumulator> NewContributedAccumulator(SumsToValue rule);
std::unique_ptr<ValueSeries> NewContributedSeries(SumsToValue rule);

// Whether the text is the sums of a plug-in, which alone can say what their value is.
bool AreContributedSums(std::string_view sums);

}  // namespace tidemill::evaluator

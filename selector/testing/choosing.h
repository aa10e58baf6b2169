// Runs a policy on candidates that lie in memory, as a selection does on those that storage lists.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "selector/policies/chooser.h"

namespace tidemill::selector::testing {

inline constexpr int64_t kFirstKey = int64_t{1} << 44;
inline constexpr RandomKey kRandom{.seed = 7, .purpose = "selection", .trigger = 3};

// INVALID specs fail the test.
SelectionSpec Spec(const std::string& yaml);

// Sample i has key kFirstKey + i and comes at microsecond i.
struct Stream {
  std::vector<int64_t> keys;
  std::vector<int64_t> times;
  std::vector<int64_t> labels;
};
// All of class 0.
Stream StreamOf(int64_t num_samples);
// counts[c] samples of each class c, well mixed.
Stream MixedClasses(const std::vector<int64_t>& counts);

struct Circumstances {
  size_t piece = 1'000'000;
  int64_t memory_budget = int64_t{64} << 20;
  int num_threads = 1;
  SampleFacts* facts = nullptr;
  std::vector<std::pair<int64_t, int64_t>> ends = {};
  const ChosenKeys* chosen_before = nullptr;
  const ChosenKeys* chosen_in_round = nullptr;
};

struct Chosen {
  // The samples' numbers in the stream.
  std::vector<int64_t> rows;
  std::vector<float> weights;
  ChoiceNotes notes;

  ChosenKeys Keys() const;
};

// Errors fail the test.
Chosen ChooseFrom(const SelectionSpec& spec, const Stream& stream,
                  const RandomKey& random = kRandom, const Circumstances& how = {});

// Chooses again with pieces of several sizes, one thread and four, much memory and hardly any, and
// expects the same choice each time.
Chosen ChooseInManyWays(const SelectionSpec& spec, const Stream& stream,
                        const RandomKey& random = kRandom, const Circumstances& how = {});

// Facts that say `values[i]` of sample i, and nothing of samples behind the last.
class Values final : public SampleFacts {
 public:
  explicit Values(std::vector<float> values) : values_(std::move(values)) {}
  absl::Status ReadColumn(std::span<const int64_t> keys, const std::string& column,
                          const Sink& sink) override;
  bool has_model() const override { return false; }
  absl::Status ReadModel(std::span<const int64_t> keys, bool with_predictions,
                         const Sink& sink) override;

 private:
  const std::vector<float> values_;
};

}  // namespace tidemill::selector::testing

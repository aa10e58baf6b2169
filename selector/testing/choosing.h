// Runs a policy on candidates in memory, as a selection runs it on those that storage lists.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "selector/choosing/chooser.h"

namespace tidemill::selector::testing {

inline constexpr int64_t kFirstKey = int64_t{1} << 44;
inline constexpr RandomKey kRandom{.seed = 7, .purpose = "selection", .trigger = 3};

// An invalid spec fails the test.
SelectionSpec Spec(const std::string& yaml);

// Sample i has the key kFirstKey + i and the time of microsecond i.
struct Stream {
  std::vector<int64_t> keys;
  std::vector<int64_t> times;
  std::vector<int64_t> labels;
};
// All samples are of class 0.
Stream StreamOf(int64_t num_samples);
// Has counts[c] samples of each class c, well mixed.
Stream MixedClasses(const std::vector<int64_t>& counts);

struct Circumstances {
  size_t piece = 1'000'000;
  int64_t memory_budget = int64_t{64} << 20;
  int num_threads = 1;
  SampleFacts* facts = nullptr;
  std::vector<std::pair<int64_t, int64_t>> ends = {};
  const ChosenKeys* chosen_before = nullptr;
  const ChosenKeys* chosen_in_round = nullptr;
  std::shared_ptr<plugin::RunHosts> hosts = nullptr;
};

struct Chosen {
  // The numbers of the samples in the stream.
  std::vector<int64_t> rows;
  std::vector<float> weights;
  ChoiceNotes notes;

  ChosenKeys Keys() const;
};

// An error fails the test.
Chosen ChooseFrom(const SelectionSpec& spec, const Stream& stream,
                  const RandomKey& random = kRandom, const Circumstances& how = {});

// Chooses again with pieces of several sizes, with one thread and four, and with much memory and
// hardly any. Expects the same choice each time.
Chosen ChooseInManyWays(const SelectionSpec& spec, const Stream& stream,
                        const RandomKey& random = kRandom, const Circumstances& how = {});

// Facts with `values[i]` for sample i. Samples after the last value have none.
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

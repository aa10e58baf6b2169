// Which of the scored samples a period of epochs is trained on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/status.h"
#include "models/training/downsampling_spec.h"
#include "trainer_server/downsampling/choice.h"

namespace tidemill::trainer_server {

// What was seen of samples that could be read; entry i of each array is of ordinals[i]. Arrays that
// a method does not look at are empty.
struct Seen {
  std::vector<int64_t> ordinals = {};
  std::vector<double> scores = {};
  std::vector<int64_t> classes = {};
  // dL / d outputs, `width` numbers each, and embeddings.
  std::vector<float> gradients = {};
  int64_t width = 0;
  std::vector<float> embeddings = {};
  int64_t embedding_width = 0;
  int64_t num_skipped = 0;

  int64_t size() const { return static_cast<int64_t>(ordinals.size()); }
};

// max(int(fraction * count), 1); 0 of none.
int64_t NumKept(double fraction, int64_t count);

// k shared out among groups of so many samples, in proportion and no more than each has; the
// greatest rests round up, and each group with any gives one while k allows. They add up to k or to
// all there are.
std::vector<int64_t> ShareOut(std::span<const int64_t> counts, int64_t k);

// Chooses `k` of the samples by what was seen of them, all those that can be when there are fewer.
// A sample whose score or gradient is not finite is not chosen. Weights are such that
// sum(w x) / (number chosen) estimates the mean of x over all that were judged, where the method
// says so. A pure function: the order in which samples were seen does not matter but for systematic
// draws. FAILED_PRECONDITION when no sample has a finite score.
absl::StatusOr<Choice> Choose(const models::DownsamplingSpec& method, const Seen& seen, int64_t k,
                              const RandomKey& random);

}  // namespace tidemill::trainer_server

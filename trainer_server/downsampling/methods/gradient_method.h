// Shared code of the methods that use the gradients of many samples at once.
#pragma once

#include <cstdint>
#include <span>

#include "base/numbers/random.h"
#include "base/threads/worker_pool.h"
#include "subsets/greedy.h"
#include "subsets/rows.h"
#include "trainer_server/downsampling/methods/method.h"
#include "trainer_server/downsampling/spec/gradient_coreset.h"

namespace tidemill::trainer_server {

// When there are more rows than the spec's `part`, divides them into random parts first. Each part
// gives its share of the choice. Time and memory therefore grow with the number of rows, not with
// its square. The weights have a mean of 1.
class GradientMethod : public JudgingMethod {
 public:
  explicit GradientMethod(const GradientCoreset& spec);

  subsets::Choice ChooseRows(const Seen& seen, std::span<const int64_t> rows, int64_t k,
                             const RandomKey& random) const final;

 private:
  // Chooses at most k rows of a part.
  virtual subsets::Choice ChooseInPart(const subsets::Rows& gradients, int64_t k,
                                       const RandomKey& random, WorkerPool& pool) const = 0;
  subsets::Choice ChooseOf(const Seen& seen, std::span<const int64_t> rows, int64_t k,
                           const RandomKey& random, WorkerPool& pool) const;

  const GradientOf of_;
  const int64_t part_;
};

subsets::GreedyOptions OptionsOf(GreedySearch search, const RandomKey& random);

// Scales the weights of a choice so that their mean is 1.
subsets::Choice ScaledToOne(subsets::Choice choice);

}  // namespace tidemill::trainer_server

// What methods do alike that look at the gradients of many samples at once.
#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"
#include "base/threads/worker_pool.h"
#include "subsets/greedy.h"
#include "subsets/rows.h"
#include "trainer_server/downsampling/methods/gradient_coreset.h"
#include "trainer_server/downsampling/methods/method.h"

namespace tidemill::trainer_server {

// Cuts more rows than the spec's `part` into random parts first, each of which gives its share:
// time and memory grow with the number of rows, not with its square. Weights have a mean of 1.
class GradientMethod : public JudgingMethod {
 public:
  explicit GradientMethod(const GradientCoreset& spec);

  subsets::Choice ChooseRows(const Seen& seen, std::span<const int64_t> rows, int64_t k,
                             const RandomKey& random) const final;

 private:
  // At most k rows of a part.
  virtual subsets::Choice ChooseInPart(const subsets::Rows& gradients, int64_t k,
                                       const RandomKey& random, WorkerPool& pool) const = 0;
  subsets::Choice ChooseOf(const Seen& seen, std::span<const int64_t> rows, int64_t k,
                           const RandomKey& random, WorkerPool& pool) const;

  const GradientOf of_;
  const int64_t part_;
};

subsets::GreedyOptions OptionsOf(GreedySearch search, const RandomKey& random);

// Its weights times what makes their mean 1.
subsets::Choice ScaledToOne(subsets::Choice choice);

}  // namespace tidemill::trainer_server

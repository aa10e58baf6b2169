// Choices among samples by their gradients all at once: craig, grad_match and submodular.
#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"
#include "models/training/downsampling_spec.h"
#include "subsets/rows.h"
#include "trainer_server/downsampling/choose.h"

namespace tidemill::trainer_server {

// Whether all numbers of a row are finite.
bool HasFiniteGradient(const Seen& seen, int64_t row);

// Chooses at most k of the rows `rows` of `seen`, all of which are finite. More rows than the
// method's `part` are cut into random parts first, each of which gives its share: time and memory
// grow with the number of rows, not with its square. Rows of `seen`; weights have a mean of 1.
subsets::Choice ChooseByGradients(const models::DownsamplingSpec& method, const Seen& seen,
                                  std::span<const int64_t> rows, int64_t k,
                                  const RandomKey& random);

}  // namespace tidemill::trainer_server

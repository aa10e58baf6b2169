// Shared code of the policies that cannot hold all embeddings in memory at once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/numbers/random.h"
#include "base/threads/worker_pool.h"
#include "selector/policies/embedded/embedded_chooser.h"
#include "subsets/rows.h"

namespace tidemill::selector {

// Calls `choose` with the rows whose distances can be computed (subsets::UsableRows), unless there
// are none. The other rows are counted as left out.
EmbeddedChoice ChooseAmongUsable(const subsets::Rows& rows,
                                 const std::function<EmbeddedChoice(const subsets::Rows&)>& choose);

// Divides rows at random into parts whose sizes differ by one at most. Each part ascends.
std::vector<std::vector<int64_t>> RandomParts(std::span<const int64_t> rows, int64_t num_parts,
                                              const RandomKey& random);

// Returns the stream of random numbers for a round of parts. No other use of the key shares it.
RandomKey OfRound(const RandomKey& random, int64_t round);

// 0, 1 ... count - 1.
std::vector<int64_t> AllRows(int64_t count);

// The weight of a chosen row is k / N times the number of rows whose nearest chosen row it is. k is
// the number of chosen rows, N the number of all rows. Among equally near rows the first one
// counts. A chosen row is its own nearest one. Weights are as in subsets::Choice. Reads the rows
// once, front to back.
std::vector<double> WeightsByNearest(const subsets::Rows& rows, std::span<const int64_t> chosen,
                                     WorkerPool* pool);

// Returns counts x k / N.
std::vector<double> WeightsByCounts(std::span<const int64_t> counts);

}  // namespace tidemill::selector

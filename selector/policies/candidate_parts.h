// What policies do that cannot look at all embeddings at once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/random.h"
#include "base/threads/worker_pool.h"
#include "selector/policies/embedded_chooser.h"
#include "subsets/rows.h"

namespace tidemill::selector {

// Calls `choose` with the rows of which distances can be computed (subsets::UsableRows), unless
// there is none; the others are counted as left out.
EmbeddedChoice ChooseAmongUsable(const subsets::Rows& rows,
                                 const std::function<EmbeddedChoice(const subsets::Rows&)>& choose);

// Cuts rows at random into parts of the same size, give or take one; each part ascends.
std::vector<std::vector<int64_t>> RandomParts(std::span<const int64_t> rows, int64_t num_parts,
                                              const RandomKey& random);

// The stream of random numbers of a round of parts; nobody else's of the same key.
RandomKey OfRound(const RandomKey& random, int64_t round);

// 0, 1 ... count - 1.
std::vector<int64_t> AllRows(int64_t count);

// k / N times the number of rows nearest to each chosen one, of equally near ones the first; a
// chosen one is its own. Weights as of subsets::Choice. Reads rows front to back, once.
std::vector<double> WeightsByNearest(const subsets::Rows& rows, std::span<const int64_t> chosen,
                                     WorkerPool* pool);

// counts x k / N.
std::vector<double> WeightsByCounts(std::span<const int64_t> counts);

}  // namespace tidemill::selector

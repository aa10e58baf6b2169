// The graph of nearest neighbours of embeddings, as pairwise selection takes it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/random.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

struct KnnOptions {
  int64_t neighbors = 10;
  // Up to so many rows, each is compared with every other one. Beyond, rows are put into clusters
  // (four times the square root of their number) and compared with those of the `probes` clusters
  // nearest to theirs: some neighbours are missed, in favour of others that are nearly as near.
  int64_t exact_rows = 30'000;
  int64_t probes = 16;
  // Bytes of memory, about; what is more lies in files.
  int64_t memory_budget = int64_t{256} << 20;
  RandomKey random = {};
  // Threads beside the caller's, or nullptr; the graph does not depend on them. Not owned.
  WorkerPool* pool = nullptr;
};

// Writes a graph (csr_graph.h) of finite rows into `folder`, which exists, and leaves nothing else
// there: v and w are neighbours when one is among the `neighbors` rows of the greatest cosine with
// the other, and that is above 0; of equal ones the first rows are. `utilities` has a number for
// each row. Products are computed by one thread each; the library that does so (faiss, on OpenBLAS)
// is told so for the whole process. INVALID_ARGUMENT for more than 2^32 rows; RESOURCE_EXHAUSTED
// when the disk is full.
absl::Status WriteKnnGraph(const Rows& rows, std::span<const float> utilities,
                           const KnnOptions& options, const std::string& folder);

}  // namespace tidemill::subsets

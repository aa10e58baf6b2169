// The graph of the nearest neighbours of embeddings, for pairwise selection.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/numbers/random.h"
#include "base/status.h"
#include "base/threads/worker_pool.h"
#include "subsets/rows.h"

namespace tidemill::subsets {

struct KnnOptions {
  int64_t neighbors = 10;
  // Up to this number of rows, each row is compared with every other one. Beyond it, rows are
  // divided into clusters (four times the square root of their number) and compared with the rows
  // of the `probes` nearest clusters. Some neighbours are then missed, in favour of others that are
  // nearly as close.
  int64_t exact_rows = 30'000;
  int64_t probes = 16;
  // The approximate bytes of memory. The rest is in files.
  int64_t memory_budget = int64_t{256} << 20;
  RandomKey random = {};
  // Threads besides the caller's, or nullptr. The graph does not depend on them. Not owned.
  WorkerPool* pool = nullptr;
};

// Writes a graph (csr_graph.h) of finite rows into `folder`, which must exist, and leaves nothing
// else there. v and w are neighbours when one of them is among the `neighbors` rows with the
// greatest cosine with the other, and the cosine is above 0. Among equal ones, the first rows
// count. `utilities` has one number per row. One thread computes each product; the library for it
// (faiss, on OpenBLAS) is configured so for the whole process. INVALID_ARGUMENT for more than 2^32
// rows. UNAVAILABLE when the disk is full (disk_full.h).
absl::Status WriteKnnGraph(const Rows& rows, std::span<const float> utilities,
                           const KnnOptions& options, const std::string& folder);

}  // namespace tidemill::subsets

// What it would cost, and bring, to prepare a whole dataset up to each point of a graph.
//
// After Isenko et al., "Where Is My Training Bottleneck? Hidden Trade-Offs in Deep Learning
// Preprocessing Pipelines" (SIGMOD 2022): a dataset may be prepared up to any op, and
// the last one is often not the best, because rows grow.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "loader/prepared/cache_choice.h"

namespace tidemill::loader {

struct PointAdvice {
  int last_op = 0;  // As written, from 0.
  int64_t row_bytes = 0;
  int64_t bytes = 0;           // All samples.
  double prepare_seconds = 0;  // With this many threads.
  // Samples a second, with these threads: without and with what was prepared.
  double now = 0;
  double later = 0;
  // Epochs after which preparing has paid, a fraction rounded up; std::nullopt: never.
  std::optional<int64_t> pays_after = std::nullopt;
};

// Returns one for each point of the question, from its costs and the speed of its disk.
std::vector<PointAdvice> AdviseOn(const CacheQuestion& question, int num_threads);

}  // namespace tidemill::loader

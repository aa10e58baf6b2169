// Where a training's time goes: what a faster path would need.
#pragma once

#include <string>
#include <string_view>

#include "loader/path_work.h"

namespace tidemill::loader {

enum class PathLimit {
  kTrainer,  // The training itself: batches wait for it.
  kOp,       // One op of the graph.
  kStorage,  // Reading samples.
  kNetwork,  // Sending batches.
  kCores,    // Threads that make batches wait for processors.
  kStart,    // Nothing for long: too few batches for the path to fill.
  kUnknown,  // It was not measured.
};

struct PathVerdict {
  PathLimit limit = PathLimit::kTrainer;
  // Of the training's time, waiting for data.
  double wait_share = 0;
  // Of the limit: the op's type; else empty.
  std::string op = {};
  // Of the makers' time, the part that the limit takes; of the link's for kNetwork; 0 for kTrainer.
  double share = 0;

  // "12 % of the time waiting for data; limit: op resize (64 % of preparing)".
  std::string ToText() const;
};

std::string_view NameOf(PathLimit limit);

// `wait_share`: of the time of the training. `work`: of the same time, wherever batches were made.
PathVerdict Judge(double wait_share, const PathWork& work);

}  // namespace tidemill::loader

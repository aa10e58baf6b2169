// Finds the limit of a training's speed.
#pragma once

#include <string>
#include <string_view>

#include "loader/path/path_work.h"

namespace tidemill::loader {

enum class PathLimit {
  kTrainer,  // The training itself: batches wait for it.
  kOp,       // One op of the graph.
  kStorage,  // Reading samples.
  kNetwork,  // Sending batches.
  kCores,    // The processors: threads that make batches wait for them.
  kSharing,  // Other trainings, which prepare samples for this one, too.
  kStart,    // The start: there are too few batches to fill the path.
  kUnknown,  // Unknown: it was not measured.
};

// A training that waits for a smaller share of its time is limited by its own computation.
inline constexpr double kWaits = 0.1;

struct PathVerdict {
  PathLimit limit = PathLimit::kTrainer;
  // The share of the training's time that it waited for data, or that its GPU had nothing to do.
  double wait_share = 0;
  bool is_of_gpu = false;
  // The type of the op that is the limit; otherwise empty.
  std::string op = {};
  // The share of the makers' time that the limit takes. For kNetwork, the share of the link's time;
  // for kSharing, of the time that the makers could have been busy.
  // 0 for kTrainer.
  double share = 0;

  // "12 % of the time waiting for data; limit: op resize (64 % of preparing)", "the GPU waits 12 %
  // of the time for batches; ...".
  std::string ToText() const;
};

std::string_view NameOf(PathLimit limit);

// `wait_share` is a share of the training's time, or of its GPU's. `work` is from the same time, in
// all processes that made batches.
PathVerdict Judge(double wait_share, const PathWork& work, bool is_of_gpu = false);

}  // namespace tidemill::loader

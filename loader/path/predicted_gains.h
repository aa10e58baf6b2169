// Predicts how much faster a training would be if one part of its path were twice as fast.
//
//          storage            ops               links            step
//   samples ────► threads that prepare batches ────► the training ────► weights
//                 └─ processors of their machine ─┘
//
// Operational analysis (Denning and Buzen, "The operational analysis of queueing network models",
// ACM Computing Surveys 10(3), 1978; Kuchnik et al., "Plumber", MLSys 2022, section 4): a part that
// needs D seconds per batch is used for the share U = X * D of the time at X batches a second, so
// no path is faster than X / max U. Doubling a part halves its U. The gain is the old maximum over
// the new one. Nothing but shares of time that were measured goes into it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loader/path/path_work.h"

namespace tidemill::loader {

// The parts of the path that can be doubled.
enum class PathPart {
  kStep,     // A step of the training takes half the time.
  kOp,       // One op takes half the time.
  kStorage,  // Reading takes half the time.
  kThreads,  // There are twice the threads that prepare, on the same processors.
  kWorkers,  // There are twice the workers, the further ones on processors of their own.
  kLinks,    // The network is twice as fast.
  kCores,    // There are twice the processors.
};

struct PredictedGain {
  PathPart part = PathPart::kStep;
  // The place of the op in the graph, from 0; -1 for other parts.
  int op = -1;
  // "op resize twice as fast", "twice the threads".
  std::string change;
  // The rate after the change over the rate before, at least 1 and at most 2.
  double factor = 1;
};

// Returns a prediction for each part of this path, the largest first. `wait_share` and `work` are
// as in Judge(). Returns none when the work was not measured, or when no part was used for half of
// the time: then something that is not measured is the limit, or the path was never full.
std::vector<PredictedGain> PredictGains(double wait_share, const PathWork& work);

// Returns the gain of the fewest workers after which another part is the limit, in multiples of
// those there are: "3 times the workers, on other machines". Returns std::nullopt when more workers
// gain less than 5 %, or when there are none.
std::optional<PredictedGain> PredictEnoughWorkers(double wait_share, const PathWork& work);

// Returns the predictions that are shown. Gains of less than 5 %, which cannot be told from noise,
// and those after the first few are left out. In place of twice the workers it has enough of them.
std::vector<PredictedGain> PredictGainsToShow(double wait_share, const PathWork& work);

}  // namespace tidemill::loader

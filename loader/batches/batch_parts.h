// The inputs from which the batches of a plan are made.
#pragma once

#include <memory>

#include "loader/bad_samples.h"
#include "loader/batches/decoded_samples.h"
#include "loader/batches/window_rows.h"
#include "loader/prepared/sample_cache.h"
#include "loader/shared/sharing.h"
#include "loader/training_set.h"
#include "transform/graph.h"

namespace tidemill::loader {

// All parts are shared with the code that opened them.
struct BatchParts {
  std::shared_ptr<const TrainingSet> set;
  SampleReader reader;
  std::shared_ptr<const transform::Graph> graph;
  // nullptr for a graph that learns nothing.
  std::shared_ptr<const transform::FittedState> fitted = nullptr;
  // A cache of rows. Rows are taken from it, and added to it once they are read. It must have been
  // made for the same set. It cannot be used with a graph that is random in training, and a plan
  // with buckets ignores it.
  std::shared_ptr<DecodedSamples> kept = nullptr;
  // Finds and keeps what the graph's first ops make of samples; nullptr keeps nothing. Not together
  // with `kept`.
  std::shared_ptr<SampleCache> cache = nullptr;
  // Receives the samples that could not be read or converted to tensors.
  std::shared_ptr<BadSamples> bad = nullptr;
  // The windows of a plan with buckets. Makers of other slices of the same set and plan share them.
  // Without it, a maker has its own cache.
  std::shared_ptr<WindowCache> windows = nullptr;
  // Shares the rows with other consumers on this host. Only plans that CanShare() (shared_rows.h)
  // do so.
  std::shared_ptr<const Sharing> sharing = nullptr;
};

}  // namespace tidemill::loader

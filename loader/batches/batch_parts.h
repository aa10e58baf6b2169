// What the batches of a plan are made from.
#pragma once

#include <memory>

#include "loader/bad_samples.h"
#include "loader/batches/decoded_samples.h"
#include "loader/batches/window_rows.h"
#include "loader/training_set.h"
#include "transform/graph.h"

namespace tidemill::loader {

// Everything is shared with whoever opened it.
struct BatchParts {
  std::shared_ptr<const TrainingSet> set;
  SampleReader reader;
  std::shared_ptr<const transform::Graph> graph;
  // nullptr for a graph that learns nothing.
  std::shared_ptr<const transform::FittedState> fitted = nullptr;
  // Rows are taken from there, and given to it once read. Not for a graph that is random in
  // training; it must have been made for the same set. A plan with buckets does without it.
  std::shared_ptr<DecodedSamples> kept = nullptr;
  // Hears of samples that could not be read or turned into tensors.
  std::shared_ptr<BadSamples> bad = nullptr;
  // Windows of a plan with buckets, for makers of the same set and plan, each of another slice.
  // Without, a maker has a cache of its own.
  std::shared_ptr<WindowCache> windows = nullptr;
};

}  // namespace tidemill::loader

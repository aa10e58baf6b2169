// A set of samples as every job opens it, in any process: the specs, the graph, the keys and the
// samples.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "loader/bad_samples.h"
#include "loader/training_set.h"
#include "loader/training_set_cache.h"
#include "storage/client/storage_client.h"
#include "storage/spec/dataset_spec.h"
#include "transform/graph.h"
#include "transform/graph_spec.h"

namespace tidemill::loader {

// Names a set, and the dataset and the graph for its samples.
struct SetToOpen {
  RunId run;
  int64_t trigger = 0;
  DatasetId dataset_id;
  // A DatasetSpec and a GraphSpec, as canonical YAML.
  std::string dataset = {};
  std::string graph = {};
  // The keys of a set that is not sealed. Empty: those of the sealed set of the run's trigger.
  std::vector<int64_t> keys = {};
  // Where to look for a sealed set first; nullptr to read it from the selector.
  TrainingSetCache* cache = nullptr;
};

struct OpenedSet {
  storage::DatasetSpec dataset;
  transform::GraphSpec graph_spec;
  std::shared_ptr<const transform::Graph> graph;          // The streams share it.
  std::shared_ptr<const TrainingSet> set;                 // The streams over it share it.
  std::shared_ptr<const storage::StorageClient> storage;  // The reader shares it.
  SampleReader reader;
  std::shared_ptr<BadSamples> bad;  // The streams share it. `storage` must outlive them.
};

// The errors are as in config::Read(), transform::Graph::Build() and ReadTrainingSet().
absl::StatusOr<OpenedSet> OpenSet(SetToOpen which, selector::SelectorClient& selector,
                                  std::shared_ptr<const storage::StorageClient> storage);

}  // namespace tidemill::loader

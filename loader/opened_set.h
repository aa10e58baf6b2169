// What every job on a sealed training set works with, in whichever process: the specs, the graph,
// the set and its samples.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/id.h"
#include "base/status.h"
#include "loader/bad_samples.h"
#include "loader/training_set.h"
#include "storage/client/dataset_spec.h"
#include "storage/client/storage_client.h"
#include "transform/graph.h"
#include "transform/graph_spec.h"

namespace tidemill::loader {

// Which set, and what is made of its samples.
struct SetToOpen {
  RunId run;
  int64_t trigger = 0;
  DatasetId dataset_id;
  // A DatasetSpec and a GraphSpec, as canonical YAML.
  std::string dataset = {};
  std::string graph = {};
};

struct OpenedSet {
  storage::DatasetSpec dataset;
  transform::GraphSpec graph_spec;
  std::shared_ptr<const transform::Graph> graph;          // Shared with the streams.
  std::shared_ptr<const TrainingSet> set;                 // Shared with the streams over it.
  std::shared_ptr<const storage::StorageClient> storage;  // Shared with the reader.
  SampleReader reader;
  std::shared_ptr<BadSamples> bad;  // Shared with the streams, which `storage` must outlive.
};

// Fails as config::Read(), transform::Graph::Build() and ReadTrainingSet() do.
absl::StatusOr<OpenedSet> OpenSet(const SetToOpen& which, selector::SelectorClient& selector,
                                  std::shared_ptr<const storage::StorageClient> storage);

}  // namespace tidemill::loader

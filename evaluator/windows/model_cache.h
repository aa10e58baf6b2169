// The models of a job. They are loaded from the model store and kept while there is room.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "evaluator/windows/program_predictor.h"
#include "evaluator/windows/scored_model.h"
#include "model_store/client/model_store_client.h"
#include "models/spec/class_outputs.h"
#include "models/spec/model_spec.h"
#include "storage/spec/dataset_spec.h"
#include "transform/engine/sample_schema.h"
#include "transform/graph_spec.h"

namespace tidemill::evaluator {

// Creates the network of a spec with the given weights, which are a safetensors file.
// `class_outputs` is used by a network that predicts classes.
using PredictorFactory = std::function<absl::StatusOr<std::unique_ptr<Predictor>>(
    const models::ModelSpec& spec, std::string_view weights, models::ClassOutputs class_outputs)>;

// Drops rights of a job, before a user's network, whose model has this graph, runs in it.
using SandboxEntry = std::function<absl::Status(const transform::GraphSpec& graph)>;

// Thread-compatible.
class ModelCache {
 public:
  struct Options {
    PredictorFactory make_predictor;
    SandboxEntry enter_sandbox;
    // The budget for weights. The least recently used models make room. Removed models are loaded
    // again when needed.
    int64_t max_bytes = 0;
  };

  // `dataset` is the evaluated dataset; the models' graphs are bound to it. `store` must outlive
  // this object.
  ModelCache(model_store::ModelStoreClient& store, const storage::DatasetSpec& dataset,
             Options options);

  // Returns the first of these models, in their order: as many as there is room for at once, and at
  // least one. They belong to the cache and are valid until the next call. A model that cannot be
  // loaded is returned with its status: NOT_FOUND; DATA_LOSS; INVALID_ARGUMENT when its graph does
  // not fit the dataset; FAILED_PRECONDITION when its classes are not the dataset's. The call fails
  // with UNAVAILABLE or DEADLINE_EXCEEDED when the store cannot be reached. `model_ids` must not be
  // empty.
  absl::StatusOr<std::vector<ScoredModel*>> GetFirst(std::span<const int64_t> model_ids);

 private:
  struct Entry {
    ScoredModel model;
    int64_t num_bytes = 0;
    // The number of the last call that asked for it.
    int64_t used = 0;
  };

  absl::StatusOr<Entry*> Get(int64_t model_id);
  absl::Status Load(Entry& entry);
  // Removes models that the current call does not need until the rest is within the budget. The
  // least recently used models go first.
  void MakeRoom();
  absl::StatusOr<std::shared_ptr<const PreparedGraph>> Prepare(const transform::GraphSpec& spec,
                                                               const model_store::v1::Model& model);

  model_store::ModelStoreClient& store_;
  const transform::SampleSchema samples_;
  // The classes of the dataset. Empty when they have no names.
  const std::vector<std::string> classes_;
  const Options options_;
  // Outlives the models, which are asked in its processes.
  ProgramHosts programs_;
  bool is_in_sandbox_ = false;
  std::map<int64_t, Entry> models_;
  int64_t num_bytes_ = 0;  // The bytes of all models.
  int64_t num_calls_ = 0;
  // The graphs by fingerprint. Models with the same graph share the object.
  std::map<std::string, std::shared_ptr<const PreparedGraph>> graphs_;
};

// Whether a later attempt may succeed.
bool IsTransient(const absl::Status& status);

// Returns the status of a model to a caller that asked for this model: a graph that cannot be built
// for the dataset is FAILED_PRECONDITION, because no other request would fix it.
absl::Status WhyUnusable(const absl::Status& status);

}  // namespace tidemill::evaluator

// The models of a job, loaded from the model store and kept while there is room.
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
#include "evaluator/job/scored_model.h"
#include "model_store/client/model_store_client.h"
#include "models/spec/class_outputs.h"
#include "models/spec/model_spec.h"
#include "storage/client/dataset_spec.h"
#include "transform/engine/sample_schema.h"

namespace tidemill::evaluator {

// Makes the network of a spec with these weights, a safetensors file. `class_outputs` matters where
// it tells classes.
using PredictorFactory = std::function<absl::StatusOr<std::unique_ptr<Predictor>>(
    const models::ModelSpec& spec, std::string_view weights, models::ClassOutputs class_outputs)>;

// Thread-compatible.
class ModelCache {
 public:
  // `dataset`: what is evaluated; the models' graphs are bound to it. `store` must outlive the
  // cache. `max_bytes`: of weights; those used longest ago make room, and are loaded again when
  // they are asked for again.
  ModelCache(model_store::ModelStoreClient& store, const storage::DatasetSpec& dataset,
             PredictorFactory make_predictor, int64_t max_bytes);

  // The first of these models, as many as there is room for at once and one at least, in their
  // order. They belong to the cache, and last until the next call. One that cannot be loaded is a
  // model too, with its status: NOT_FOUND, DATA_LOSS, INVALID_ARGUMENT for a graph that does not
  // fit the dataset, FAILED_PRECONDITION for other classes than the dataset's. Fails with
  // UNAVAILABLE or DEADLINE_EXCEEDED when the store is not to be reached. `model_ids` is not empty.
  absl::StatusOr<std::vector<ScoredModel*>> GetFirst(std::span<const int64_t> model_ids);

  int64_t num_loaded() const { return num_loaded_; }

 private:
  struct Entry {
    ScoredModel model;
    int64_t num_bytes = 0;
    // The number of the call that asked for it last.
    int64_t used = 0;
  };

  absl::StatusOr<Entry*> Get(int64_t model_id);
  absl::Status Load(Entry& entry);
  // Removes what no present call needs, the longest unused first, until `max_bytes_` hold the rest.
  void MakeRoom();
  absl::StatusOr<std::shared_ptr<const PreparedGraph>> Prepare(const transform::GraphSpec& spec,
                                                               const model_store::v1::Model& model);

  model_store::ModelStoreClient& store_;
  const transform::SampleSchema samples_;
  const std::vector<std::string> classes_;  // Of the dataset; empty when they have no names.
  const PredictorFactory make_predictor_;
  const int64_t max_bytes_;
  std::map<int64_t, Entry> models_;
  int64_t num_bytes_ = 0;  // Of them all.
  int64_t num_calls_ = 0;
  int64_t num_loaded_ = 0;
  // By fingerprint: models that share a graph share the object.
  std::map<std::string, std::shared_ptr<const PreparedGraph>> graphs_;
};

// Whether a later attempt may succeed.
bool IsTransient(const absl::Status& status);

}  // namespace tidemill::evaluator

// The models of a job, each loaded once from the model store.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "evaluator/job/scored_model.h"
#include "model_store/client/model_store_client.h"
#include "models/model_spec.h"
#include "storage/client/dataset_spec.h"
#include "transform/sample_schema.h"

namespace tidemill::evaluator {

// Makes the network of a spec with these weights, a safetensors file.
using PredictorFactory = std::function<absl::StatusOr<std::unique_ptr<Predictor>>(
    const models::ModelSpec& spec, std::string_view weights)>;

// Thread-compatible.
class ModelCache {
 public:
  // `dataset`: what is evaluated; the models' graphs are bound to it. `store` must outlive the
  // cache.
  ModelCache(model_store::ModelStoreClient& store, const storage::DatasetSpec& dataset,
             PredictorFactory make_predictor);

  // The model, which the cache owns. One that cannot be loaded is a model too, with its status:
  // NOT_FOUND, DATA_LOSS, INVALID_ARGUMENT for a graph that does not fit the dataset,
  // FAILED_PRECONDITION for other classes than the dataset's. Fails with UNAVAILABLE or
  // DEADLINE_EXCEEDED when the store is not to be reached.
  absl::StatusOr<ScoredModel*> Get(int64_t model_id);

 private:
  absl::Status Load(ScoredModel& model);
  absl::StatusOr<std::shared_ptr<const PreparedGraph>> Prepare(const transform::GraphSpec& spec,
                                                               const model_store::v1::Model& model);

  model_store::ModelStoreClient& store_;
  const transform::SampleSchema samples_;
  const std::vector<std::string> classes_;  // Of the dataset; empty when they have no names.
  const PredictorFactory make_predictor_;
  std::map<int64_t, ScoredModel> models_;
  // By fingerprint: models that share a graph share the object.
  std::map<std::string, std::shared_ptr<const PreparedGraph>> graphs_;
};

// Whether a later attempt may succeed.
bool IsTransient(const absl::Status& status);

}  // namespace tidemill::evaluator

// The rows of the model store. It holds SQL only; see migrations/0001_models.sql.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "tidemill/model_store/v1/model_store.pb.h"
#include <pqxx/pqxx>

namespace tidemill::model_store {

// The methods work in an open transaction. They throw pqxx exceptions, which db::Database::Transact
// catches.
class ModelsTable {
 public:
  explicit ModelsTable(pqxx::work& work) : work_(work) {}

  // Returns the model of (run, trigger), if there is one.
  std::optional<v1::Model> Find(RunId run, int64_t trigger);
  std::optional<v1::Model> Find(ModelId model);

  // Returns the models of a run in the order (run, trigger).
  std::vector<v1::Model> List(RunId run);

  struct Page {
    std::vector<v1::Model> models;
    int64_t num_matching = 0;
  };
  // Returns what a request with a valid limit and order asks for.
  Page List(const v1::ListModelsRequest& request);

  // Returns the models of a digest whose parts exist, the oldest first.
  std::vector<v1::Model> WithDigest(const std::string& training_digest);

  // Returns the result of the training that made the model; empty when none is kept.
  rpc::v1::TrainingResult ResultOf(ModelId model);

  // Returns the new id. std::nullopt when (run, trigger) has a model by now. `result` is kept with
  // a digest of the training only.
  std::optional<ModelId> Insert(const v1::Model& model, const rpc::v1::TrainingResult& result);

  // Marks the run's models before a trigger as removed, except those of some triggers. Returns how
  // many were not marked before.
  int64_t MarkRemoved(RunId run, int64_t before, const std::vector<int64_t>& except);

  // Returns the number of models deleted.
  int64_t DeleteRun(RunId run);

 private:
  std::vector<v1::Model> Select(std::optional<int64_t> run, std::optional<int64_t> trigger,
                                std::optional<int64_t> model,
                                const std::optional<std::string>& digest);
  v1::Model ToModel(const pqxx::row& row);

  pqxx::work& work_;
};

}  // namespace tidemill::model_store

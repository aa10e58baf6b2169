// The services that an evaluation job reads from, in one process: a storage in memory and a real
// model store.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/database.h"
#include "db/testing/postgres.h"
#include "evaluator/testing/fake_storage.h"
#include "model_store/kept_files.h"
#include "model_store/kept_jobs.h"
#include "model_store/model_store.h"
#include "model_store/model_store_service.h"
#include "rpc/server.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator::testing {

// Thread-compatible.
class Cluster {
 public:
  // The storage holds samples 0 .. num_samples - 1 of samples.h.
  explicit Cluster(int64_t num_samples, OddSamples odd = {});
  ~Cluster();

  // Stores a model of run 1 with these weights, trained with testing::kGraph. Returns its id.
  // `model_yaml` is a ModelSpec.
  int64_t Put(int64_t trigger, const std::string& weights,
              const std::string& model_yaml = "{type: mlp, hidden: [], outputs: 2}");
  // Flips a bit of a model's stored weights.
  void Damage(int64_t model_id);

  // Returns a job without windows that measures accuracy.
  v1::EvaluationJob Job() const;

  int64_t num_samples_read() const { return storage_.num_samples_read(); }
  db::Database& database() { return *database_; }
  const rpc::Tokens& tokens() const { return tokens_; }
  // Returns the endpoints of storage and model_store.
  rpc::v1::Endpoints endpoints() const;
  // The folder, which is removed with the cluster.
  const std::string& folder() const { return folder_; }

 private:
  db::testing::TestDatabase test_database_;
  std::string folder_;
  std::string token_file_;
  std::string job_token_file_;
  rpc::Tokens tokens_;
  FakeStorage storage_;
  std::unique_ptr<rpc::Server> storage_server_;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<model_store::ModelStore> store_;
  std::optional<model_store::KeptFiles> kept_files_;
  std::unique_ptr<model_store::KeptJobs> kept_jobs_;
  std::unique_ptr<model_store::ModelStoreService> store_service_;
  std::unique_ptr<rpc::Server> store_server_;
};

// Returns window `index` with the samples [from, to). An absent bound is open.
v1::JobWindow WindowOf(int64_t index, std::optional<int64_t> from, std::optional<int64_t> to,
                       const std::vector<int64_t>& model_ids);

}  // namespace tidemill::evaluator::testing

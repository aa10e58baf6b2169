// Services that answer at once, for tests of what the supervisor asks of them. An answer is a
// function of the request. A repeated call therefore gets the same answer, also in another process.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "supervisor/runs/downstream.h"

namespace tidemill::supervisor::testing {

// What each fit answers.
inline trainer_server::v1::FitGraphResponse FittedAnswer() {
  trainer_server::v1::FitGraphResponse response;
  response.set_fitted_digest("fitted");
  return response;
}

// The state of the services, and the requests that they got. Shared by all connections.
// Thread-safe.
class FakeServices {
 public:
  // The stream has this many samples, one per second from the epoch on.
  int64_t num_samples = 35;
  // What syncs tell.
  storage::v1::SyncDatasetResponse synced = {};
  // What the servers that run jobs have.
  v1::ListDevicesResponse devices = {};
  // What models answer, in place of the answers that FakeDownstream makes.
  std::function<batch::Batch(const evaluator::v1::ReadModelColumnsRequest&)> answers = {};
  // Why no record of the dataset can be read.
  std::string unreachable = {};

  // Makes samples with these seconds known, with the next keys from 1 on. The stream then has only
  // such samples.
  void Arrive(const std::vector<int64_t>& event_times) ABSL_LOCKS_EXCLUDED(mutex_);

  // Makes the next call of a method fail with this status.
  void FailNext(const std::string& method, const absl::Status& status) ABSL_LOCKS_EXCLUDED(mutex_);
  // Keeps trainings from ending before Release().
  void HoldTrainings() ABSL_LOCKS_EXCLUDED(mutex_);
  void Release() ABSL_LOCKS_EXCLUDED(mutex_);
  // Makes the next training of this trigger fail with this message.
  void FailTraining(int64_t trigger, const std::string& error) ABSL_LOCKS_EXCLUDED(mutex_);

  // Makes the next training of this trigger end without figures, as a training of an older server
  // does.
  void TellNoFigures(int64_t trigger) ABSL_LOCKS_EXCLUDED(mutex_);

  // Deletes samples of the dataset when the next set is sealed. This moves the tombstone sequence
  // only.
  void DeleteSamplesOnceSealed() ABSL_LOCKS_EXCLUDED(mutex_);
  // Forgets the models of a trigger that others may reuse.
  void ForgetModel(int64_t trigger) ABSL_LOCKS_EXCLUDED(mutex_);
  // Makes trainings have no digest, for this reason.
  void ReuseNothing(const std::string& why) ABSL_LOCKS_EXCLUDED(mutex_);

  // Makes the selection for this trigger empty.
  void SelectNothing(int64_t trigger) ABSL_LOCKS_EXCLUDED(mutex_);

  int Calls(const std::string& method) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the samples of a listing, as (event time in seconds, key).
  std::vector<std::pair<int64_t, int64_t>> Samples(const storage::v1::ListSamplesRequest& request)
      ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<trainer_server::v1::StartTrainingRequest> trainings() ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<selector::v1::SealTrainingSetRequest> selections() ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<evaluator::v1::StartEvaluationRequest> evaluations() ABSL_LOCKS_EXCLUDED(mutex_);

  std::vector<v1::ModelsRetired> retired() ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the files of the model store, by digest.
  std::map<std::string, std::string> files() ABSL_LOCKS_EXCLUDED(mutex_);

  DownstreamFactory Connect();

 private:
  friend class FakeDownstream;

  absl::Status Count(const std::string& method) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    ++calls_[method];
    if (const auto failure = failures_.extract(method)) return failure.mapped();
    return absl::OkStatus();
  }
  int64_t NumKnown() ABSL_LOCKS_EXCLUDED(mutex_);

  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, int> calls_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, absl::Status> failures_ ABSL_GUARDED_BY(mutex_);
  std::map<int64_t, std::string> training_errors_ ABSL_GUARDED_BY(mutex_);
  std::set<int64_t> silent_trainings_ ABSL_GUARDED_BY(mutex_);
  std::set<int64_t> empty_selections_ ABSL_GUARDED_BY(mutex_);
  bool held_ ABSL_GUARDED_BY(mutex_) = false;
  bool follows_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<trainer_server::v1::StartTrainingRequest> trainings_ ABSL_GUARDED_BY(mutex_);
  std::vector<selector::v1::SealTrainingSetRequest> selections_ ABSL_GUARDED_BY(mutex_);
  std::vector<evaluator::v1::StartEvaluationRequest> evaluations_ ABSL_GUARDED_BY(mutex_);
  std::vector<v1::ModelsRetired> retired_ ABSL_GUARDED_BY(mutex_);
  std::vector<int64_t> arrived_ ABSL_GUARDED_BY(mutex_);  // Event times. The n-th has key n + 1.
  std::map<std::string, std::string> files_ ABSL_GUARDED_BY(mutex_);
  // By the digests of their trainings, and what triggers were given of them.
  std::map<std::string, model_store::v1::ReuseModelResponse> models_ ABSL_GUARDED_BY(mutex_);
  std::map<std::pair<int64_t, int64_t>, model_store::v1::ReuseModelResponse> given_
      ABSL_GUARDED_BY(mutex_);
  std::string why_not_reusable_ ABSL_GUARDED_BY(mutex_);
  bool deletes_once_sealed_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t num_deletions_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::string> datasets_ ABSL_GUARDED_BY(mutex_);  // Specs by name.
};

// What the selector makes of a request with `new_data`, as (event time in seconds, key).
struct TrainedOn {
  std::vector<std::pair<int64_t, int64_t>> trained;
  std::vector<std::pair<int64_t, int64_t>> late;
};
TrainedOn SamplesOf(FakeServices& services, const selector::v1::SealTrainingSetRequest& request);

}  // namespace tidemill::supervisor::testing

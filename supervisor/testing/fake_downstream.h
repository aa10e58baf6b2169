// Services that answer at once, for tests of what the supervisor asks of them. What they answer is
// a function of the request, so that a call made twice is answered alike, also in another process.
#pragma once

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

// What the services are like, and what they were asked. Shared by all connections. Thread-safe.
class FakeServices {
 public:
  // The stream has this many samples, one a second from the epoch on.
  int64_t num_samples = 35;

  // Samples of these seconds become known, with the next keys from 1 on. Once there are any, they
  // are all that there is.
  void Arrive(const std::vector<int64_t>& event_times) ABSL_LOCKS_EXCLUDED(mutex_);

  // The next call of a method fails with this.
  void FailNext(const std::string& method, const absl::Status& status) ABSL_LOCKS_EXCLUDED(mutex_);
  // Trainings do not end before Release().
  void HoldTrainings() ABSL_LOCKS_EXCLUDED(mutex_);
  void Release() ABSL_LOCKS_EXCLUDED(mutex_);
  // The next training of this trigger fails with this message.
  void FailTraining(int64_t trigger, const std::string& error) ABSL_LOCKS_EXCLUDED(mutex_);

  // The next training of this trigger is done and tells no figures, as one of a server of before.
  void TellNoFigures(int64_t trigger) ABSL_LOCKS_EXCLUDED(mutex_);

  // Nothing is selected for this trigger.
  void SelectNothing(int64_t trigger) ABSL_LOCKS_EXCLUDED(mutex_);

  int Calls(const std::string& method) ABSL_LOCKS_EXCLUDED(mutex_);
  // The samples that a listing names, as (event time in seconds, key).
  std::vector<std::pair<int64_t, int64_t>> Samples(const storage::v1::ListSamplesRequest& request)
      ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<trainer_server::v1::StartTrainingRequest> trainings() ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<selector::v1::SealTrainingSetRequest> selections() ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<evaluator::v1::StartEvaluationRequest> evaluations() ABSL_LOCKS_EXCLUDED(mutex_);

  std::vector<v1::ModelsRetired> retired() ABSL_LOCKS_EXCLUDED(mutex_);
  // What the model store keeps, by digest.
  std::map<std::string, std::string> files() ABSL_LOCKS_EXCLUDED(mutex_);

  DownstreamFactory Connect();

 private:
  friend class FakeDownstream;

  absl::Status Count(const std::string& method) ABSL_LOCKS_EXCLUDED(mutex_);
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
  std::vector<int64_t> arrived_ ABSL_GUARDED_BY(mutex_);  // Event times; the n-th has key n + 1.
  std::map<std::string, std::string> files_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::string> datasets_ ABSL_GUARDED_BY(mutex_);  // Specs by name.
};

// What the selector makes of a request under `new_data`, as (event time in seconds, key).
struct TrainedOn {
  std::vector<std::pair<int64_t, int64_t>> trained;
  std::vector<std::pair<int64_t, int64_t>> late;
};
TrainedOn SamplesOf(FakeServices& services, const selector::v1::SealTrainingSetRequest& request);

}  // namespace tidemill::supervisor::testing

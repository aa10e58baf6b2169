// Pipelines and their runs: submits, recovers, stops, resumes, deletes and shows them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/mutex.h"
#include "base/status.h"
#include "db/database.h"
#include "supervisor/backtest/backtest.h"
#include "supervisor/conductor/conductor.h"
#include "supervisor/evidence/evidence_keys.h"
#include "supervisor/measuring/evaluation_matrix.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/runs/run_feed.h"
#include "supervisor/runs/runs_table.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Every run that is RUNNING has a conductor in this process. The state is the database's: what a
// method has answered survives the process. Errors are those of supervisor.proto. Thread-safe.
class Supervisor {
 public:
  // `database` must outlive this object. `connect` makes the connections of each run;
  // `connect_briefly` those of requests that somebody waits for.
  Supervisor(db::Database& database, DownstreamFactory connect, DownstreamFactory connect_briefly);

  // Goes on with every run that was RUNNING when the process ended.
  absl::Status Recover();

  // Ends the conductors' work; the runs stay RUNNING and go on after Recover(). Watchers get no
  // final message.
  void Shutdown() ABSL_LOCKS_EXCLUDED(mutex_);

  absl::StatusOr<v1::SubmitPipelineResponse> Submit(const v1::SubmitPipelineRequest& request);
  // Keeps a network's file, whose bytes `next` gives until std::nullopt.
  absl::Status TakeNetwork(const v1::SendNetworkRequest::Header& header,
                           const Downstream::NextBytes& next);
  absl::StatusOr<std::vector<v1::Pipeline>> ListPipelines(const std::string& name_space);
  absl::StatusOr<v1::Pipeline> GetPipeline(const std::string& name_space, const std::string& name);
  // Returns whether there was one.
  absl::StatusOr<bool> DeletePipeline(const std::string& name_space, const std::string& name);

  absl::StatusOr<std::vector<v1::Run>> ListRuns(const std::string& name_space,
                                                const std::string& pipeline);
  absl::StatusOr<v1::GetRunResponse> GetRun(const v1::GetRunRequest& request);
  absl::StatusOr<v1::Run> StopRun(RunId run) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<v1::Run> ResumeRun(RunId run) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<bool> DeleteRun(RunId run) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<v1::TriggerRunResponse> TriggerRun(const v1::TriggerRunRequest& request)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<v1::GetDecisionResponse> GetDecision(const v1::GetDecisionRequest& request);
  // What `progress` returns other than OK ends it and is its result.
  using BacktestProgress = std::function<absl::Status(const v1::WatchBacktestResponse::Progress&)>;
  absl::StatusOr<v1::WatchBacktestResponse::Final> Backtest(const v1::WatchBacktestRequest& request,
                                                            const BacktestProgress& progress);

  // What the watchers of a run read that is conducted or watched already; nullptr otherwise. Does
  // not wait for the database.
  std::shared_ptr<RunFeed> OpenFeed(RunId run) ABSL_LOCKS_EXCLUDED(mutex_);
  // What the run's watchers read, from the database if need be. NOT_FOUND for an unknown run.
  absl::StatusOr<std::shared_ptr<RunFeed>> Watch(RunId run) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Conducted {
    std::shared_ptr<RunFeed> feed;
    std::unique_ptr<Conductor> conductor;
  };

  absl::StatusOr<PipelineSpec> Check(const v1::SubmitPipelineRequest& request);
  absl::Status Register(PipelineSpec& spec, const rpc::v1::Command& command);
  // Lets go of files that no pipeline names any more. What fails is made good by the next time.
  void RetireFiles();
  // In a transaction: the run of the submission, new or found.
  absl::StatusOr<v1::SubmitPipelineResponse> FindOrCreate(pqxx::work& work,
                                                          const v1::SubmitPipelineRequest& request,
                                                          const PipelineSpec& spec);
  absl::StatusOr<RunId> CreateRun(pqxx::work& work, const PipelineName& name,
                                  const PipelineSpec& spec,
                                  const v1::SubmitPipelineRequest& request);
  // From the completed trainings of a pipeline, which it tells `final`; std::nullopt without any.
  absl::StatusOr<std::optional<TrainingForecast>> ForecastTrainings(
      const v1::Pipeline& pipeline, v1::WatchBacktestResponse::Final& final);
  // Of the run asked for, or of the last one of the pipeline that has evaluations, which it tells
  // `final`; std::nullopt without any.
  absl::StatusOr<std::optional<EvaluationMatrix>> FindMatrix(
      const v1::WatchBacktestRequest& request, const v1::Pipeline& pipeline,
      v1::WatchBacktestResponse::Final& final);
  absl::StatusOr<std::optional<ChosenMatrix>> MatrixOf(const RunRow& run,
                                                       const std::string& dataset,
                                                       const std::string& measure);
  // The part of the dataset that is trained on, synced first, that a backtest shows to policies.
  struct PastStream {
    storage::v1::Dataset dataset;
    storage::v1::ListSamplesRequest listing;
    Duration label_delay;
  };
  absl::StatusOr<PastStream> OpenPast(const v1::WatchBacktestRequest& request,
                                      const PipelineSpec& spec);
  // Gives `sink` the samples, each at the time at which its label becomes known, and tells `final`
  // about them.
  absl::Status ShowPast(const PastStream& past, const BacktestProgress& progress,
                        const std::function<absl::Status(Samples)>& sink,
                        v1::WatchBacktestResponse::Final& final);
  // Answers, from storage, policies that look at the samples that `keys` names.
  absl::StatusOr<std::unique_ptr<EvidenceSource>> EvidenceOfPast(const PastStream& past,
                                                                 EvidenceKeys& keys);

  // In a transaction: the answer to a request for a training, and the event that it is.
  absl::StatusOr<v1::TriggerRunResponse> RequestTrigger(pqxx::work& work, RunId run);
  // In a transaction: appends an event in a new epoch of the run; returns the epoch.
  absl::StatusOr<int64_t> Interrupt(pqxx::work& work, RunId run, const v1::RunEvent& event);
  absl::StatusOr<RunRow> Find(RunId run);
  absl::StatusOr<RunState> Fold(RunId run, std::vector<EventRow>& events);

  // Begins to conduct, with the feed of an earlier conductor if its watchers are to go on; forgets
  // the conductors of other runs that have ended.
  void Conduct(RunId run, std::shared_ptr<RunFeed> feed = nullptr) ABSL_LOCKS_EXCLUDED(mutex_);
  // Does nothing where the run is conducted: a second conductor would take the run from the first
  // one and leave its watchers waiting for ever.
  void ConductIfIdle(RunId run) ABSL_LOCKS_EXCLUDED(mutex_);
  // Moves what it forgets to `finished`.
  void ConductLocked(RunId run, std::shared_ptr<RunFeed> feed, std::vector<Conducted>& finished)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends the work of the run's conductor, if it has one, and returns its feed.
  std::shared_ptr<RunFeed> EndConductor(RunId run) ABSL_LOCKS_EXCLUDED(mutex_);

  db::Database& database_;
  const DownstreamFactory connect_;
  const std::unique_ptr<Downstream> downstream_;
  Mutex mutex_;
  std::map<RunId, Conducted> conducted_ ABSL_GUARDED_BY(mutex_);
  // Of runs that are not conducted, while somebody watches them.
  std::map<RunId, std::weak_ptr<RunFeed>> ended_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::supervisor

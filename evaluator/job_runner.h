// Runs a job of the evaluator in a process.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "evaluator/evaluations_table.h"
#include "rpc/access/tokens.h"
#include "rpc/jobs/job_tokens.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::process {
class Zygote;
}

namespace tidemill::evaluator {

// Takes the reports of a job in order. A status other than OK ends the job.
using ReportSink = std::function<absl::Status(const v1::JobReport&)>;

// Runs a job and returns when it has ended. What the process has used is then in usage::Current();
// until then, its reports say it. ABORTED when its process died, UNAVAILABLE when a
// service could not be reached: the caller may retry. CANCELLED when `stop` was requested. Any
// other code means that another attempt is useless. Thread-safe.
using JobRunner =
    std::function<absl::Status(const JobKey& key, const v1::EvaluationJob& job,
                               const ReportSink& report, const std::stop_token& stop)>;

// The settings of every job.
struct JobSettings {
  // The endpoints of storage and model_store and, if there is one, of the dispatcher.
  rpc::v1::Endpoints endpoints;
  // They sign the tokens of jobs.
  rpc::Tokens tokens;
  int num_threads = 1;
  int64_t model_bytes = int64_t{1} << 30;
  v1::PreparedStore prepared = {};
};

// Runs each job in its own process, forked from a zygote of tidemill-evaluate. Thread-safe.
class EvaluationProcesses {
 public:
  // `program` is the path of tidemill-evaluate. `folder` is where the descriptions of jobs are
  // written. NOT_FOUND when there is no such program.
  static absl::StatusOr<std::unique_ptr<EvaluationProcesses>> Start(const std::string& program,
                                                                    std::string folder,
                                                                    JobSettings settings);
  ~EvaluationProcesses();

  // Behaves as a JobRunner.
  absl::Status Run(v1::EvaluationJob job, const ReportSink& report, const std::stop_token& stop);

 private:
  EvaluationProcesses(std::unique_ptr<process::Zygote> zygote,
                      std::unique_ptr<rpc::JobTokens> tokens, std::string folder,
                      JobSettings settings);

  const std::unique_ptr<rpc::JobTokens> tokens_;
  const std::unique_ptr<process::Zygote> zygote_;
  const std::string folder_;
  const JobSettings settings_;
  std::atomic<int64_t> num_jobs_ = 0;
};

}  // namespace tidemill::evaluator

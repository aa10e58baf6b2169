// An evaluator with its real job program, in a real server.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "devices/pretended_devices.h"
#include "evaluator/client/evaluator_client.h"
#include "evaluator/column_files.h"
#include "evaluator/evaluator.h"
#include "evaluator/evaluator_service.h"
#include "evaluator/job_runner.h"
#include "evaluator/outcome_summaries.h"
#include "evaluator/predictors.h"
#include "evaluator/testing/cluster.h"
#include "rpc/server.h"

namespace tidemill::evaluator::testing {

// One life of the service. Thread-compatible.
class RunningEvaluator {
 public:
  struct Options {
    // Armed in the job processes.
    const char* failpoints = "";
    int64_t columns_bytes = int64_t{1} << 30;
    int num_threads = 1;
    int max_predictors = 2;
    // As of devices/pretended_devices.h.
    const char* devices = "0x1GiB";
    config::DeviceChoice answers_device = config::kCpuDevice;
    std::chrono::milliseconds longest_wait{10'000};
    EvaluatorService::ModelInUse model_in_use = {};
  };

  // `cluster` must outlive this object. tidemill-evaluate must be beside this program.
  RunningEvaluator(Cluster& cluster, const Options& options);
  ~RunningEvaluator();

  EvaluatorClient& client() { return *client_; }
  ColumnFiles& columns() { return *columns_; }
  rpc::Peer peer() const;

 private:
  Cluster& cluster_;
  const std::unique_ptr<devices::Devices> devices_;
  std::unique_ptr<EvaluationProcesses> processes_;
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<ColumnFiles> columns_;
  std::unique_ptr<Predictors> predictors_;
  std::unique_ptr<OutcomeSummaries> summaries_;
  std::unique_ptr<EvaluatorService> service_;
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<EvaluatorClient> client_;
};

// Returns the folder with the column files of such an evaluator.
std::string ColumnsFolder(const Cluster& cluster);

}  // namespace tidemill::evaluator::testing

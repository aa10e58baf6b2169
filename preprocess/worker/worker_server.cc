#include "preprocess/worker/worker_server.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/config.h"
#include "base/worker_pool.h"
#include "preprocess/transport/frame_sender.h"
#include "preprocess/worker/job_opener.h"
#include "preprocess/worker/worker.h"
#include "preprocess/worker/worker_config.h"

namespace tidemill::preprocess {
namespace {

// For what streams do that takes a while: opening jobs, compressing.
constexpr int kStreamThreads = 4;
// Of what was made, so that it need not be made again.
constexpr std::chrono::milliseconds kDrainPatience{2'000};

class WorkerServer final : public rpc::RunningService {
 public:
  WorkerServer(WorkerOptions options, rpc::Peer dispatcher, Worker::JobOpener open)
      : streams_("preprocess-streams", kStreamThreads),
        worker_(std::move(options), std::move(dispatcher), std::move(open)),
        face_(worker_, streams_) {}

  std::vector<grpc::Service*> Faces() override { return {&face_}; }
  absl::Status Started() override {
    worker_.Start();
    return absl::OkStatus();
  }
  void Stopping() override { worker_.Drain(kDrainPatience); }

 private:
  WorkerPool streams_;
  Worker worker_;
  WorkerFace face_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartWorker(
    const rpc::ServiceContext& context) {
  ASSIGN_OR_RETURN(const auto config,
                   config::ReadSection<WorkerConfig>(context.config_text, context.config_name,
                                                     "preprocess_worker"));
  ASSIGN_OR_RETURN(const rpc::Peer dispatcher, context.PeerOf("preprocess"));
  ASSIGN_OR_RETURN(const rpc::Peer selector, context.PeerOf("selector"));
  ASSIGN_OR_RETURN(const rpc::Peer storage, context.PeerOf("storage"));
  WorkerOptions options;
  options.endpoint = config.endpoint.empty() ? context.listen : config.endpoint;
  options.name = config.name.empty() ? options.endpoint : config.name;
  options.num_threads = config.threads > 0
                            ? config.threads
                            : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  options.budget_bytes = config.budget.bytes;
  return std::make_unique<WorkerServer>(std::move(options), dispatcher,
                                        MakeJobOpener(selector, storage));
}

}  // namespace tidemill::preprocess

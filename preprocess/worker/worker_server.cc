#include "preprocess/worker/worker_server.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/logs/log.h"
#include "base/threads/worker_pool.h"
#include "base/usage/account.h"
#include "config/config.h"
#include "loader/shared/sharing.h"
#include "loader/shared/stream_control.h"
#include "prepared/prepared_config.h"
#include "preprocess/transport/frame_sender.h"
#include "preprocess/transport/ring_server.h"
#include "preprocess/worker/job_opener.h"
#include "preprocess/worker/worker.h"
#include "preprocess/worker/worker_config.h"
#include "storage/prepared_objects/open_host_store.h"

namespace tidemill::preprocess {
namespace {

// For what streams do that takes a while: opening jobs, compressing.
constexpr int kStreamThreads = 4;
// The time to deliver finished batches, so that they need not be made again.
constexpr std::chrono::milliseconds kDrainPatience{2'000};

// Buffers of batches that are larger than this go back to the system at once.
constexpr int kKeptBytes = 1 << 20;

// What batches left behind is not to come on top of the budget: they are made on some threads and
// freed on others, and each arena of the heap keeps what was freed in it (base/memory/heap.h).
void KeepHeapSmall() {
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, kKeptBytes);
}

// Beside the socket of a worker that has one, else one of a name that no other worker has.
std::string RingSocketOf(const std::string& endpoint) {
  constexpr std::string_view kUnix = "unix:";
  if (endpoint.starts_with(kUnix)) return endpoint.substr(kUnix.size()) + ".ring";
  return fmt::format("/tmp/tidemill-ring-{}-{}", geteuid(), Sha256(endpoint).substr(0, 10));
}

class WorkerServer final : public rpc::RunningService {
 public:
  WorkerServer(const WorkerOptions& options, const rpc::Tokens& tokens, const rpc::Peer& dispatcher,
               Worker::JobOpener open)
      : ring_socket_(options.ring_socket),
        tokens_(tokens),
        streams_("preprocess-streams", kStreamThreads),
        worker_(options, dispatcher, std::move(open)),
        face_(worker_, streams_) {}

  std::vector<grpc::Service*> Faces() override { return {&face_}; }
  absl::Status Started() override {
    auto rings = RingServer::Start(ring_socket_, tokens_, worker_);
    if (!rings.ok()) {
      log::Warn("there is no shared memory; batches are sent over gRPC",
                {{"error", rings.status().ToString()}});
    } else {
      rings_ = *std::move(rings);
    }
    worker_.Start();
    return absl::OkStatus();
  }
  void Stopping() override {
    worker_.Drain(kDrainPatience);
    rings_.reset();
  }

 private:
  const std::string ring_socket_;
  const rpc::Tokens tokens_;
  WorkerPool streams_;
  Worker worker_;
  WorkerFace face_;
  std::unique_ptr<RingServer> rings_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartWorker(
    const rpc::ServiceContext& context) {
  KeepHeapSmall();
  usage::MeasureWholeProcess();  // Worker divides it among jobs.
  ASSIGN_OR_RETURN(const auto config,
                   config::ReadSection<WorkerConfig>(context.config_text, context.config_name,
                                                     "preprocess_worker"));
  ASSIGN_OR_RETURN(const rpc::Peer dispatcher, context.PeerOf("preprocess"));
  ASSIGN_OR_RETURN(const rpc::Peer selector, context.PeerOf("selector"));
  ASSIGN_OR_RETURN(const rpc::Peer storage, context.PeerOf("storage"));
  ASSIGN_OR_RETURN(const auto prepared, config::ReadSection<prepared::PreparedConfig>(
                                            context.config_text, context.config_name, "prepared"));
  ASSIGN_OR_RETURN(const auto connection,
                   storage::ConnectionOf(context.config_text, context.config_name));
  ASSIGN_OR_RETURN(const std::shared_ptr<const prepared::HostStore> store,
                   storage::OpenHostStore(
                       prepared::OptionsOf(prepared, context.cluster.state_folder), connection));
  WorkerOptions options;
  options.endpoint = config.endpoint.empty() ? context.listen : config.endpoint;
  options.name = config.name.empty() ? options.endpoint : config.name;
  options.num_threads = config.threads > 0
                            ? config.threads
                            : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  options.budget_bytes = config.budget.bytes;
  options.ring_socket = RingSocketOf(context.listen);
  const loader::Sharing sharing = {.folder = loader::SharedFolderOf(context.cluster.state_folder),
                                   .bytes = config.share_window.bytes};
  loader::RemoveDeadStreams(sharing.folder);
  return std::make_unique<WorkerServer>(options, context.tokens, dispatcher,
                                        MakeJobOpener(selector, storage, store, sharing));
}

}  // namespace tidemill::preprocess

#include "preprocess/worker/worker_server.h"

#include <malloc.h>
#include <unistd.h>

#include <string>
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
#include "rpc/members/own_name.h"
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

constexpr std::string_view kUnix = "unix:";

// Beside the socket of a worker that has one, else one of a name that no other worker has.
std::string RingSocketOf(const std::string& endpoint) {
  if (endpoint.starts_with(kUnix)) return endpoint.substr(kUnix.size()) + ".ring";
  return fmt::format("/tmp/tidemill-ring-{}-{}", geteuid(), Sha256(endpoint).substr(0, 10));
}

// The permanent name, if there is one. One process at a time listens on a socket, so that its path
// is a name. Copies of a worker on TCP have one configuration, and addresses that others may get.
std::string NameOf(const WorkerConfig& config, const std::string& listen) {
  if (!config.name.empty() || !rpc::StartedAs().empty()) return config.name;
  return listen.starts_with(kUnix) ? listen : "";
}

class WorkerServer final : public rpc::RunningService {
 public:
  WorkerServer(const WorkerOptions& options, const WorkerConfig& config, const rpc::Tokens& tokens,
               const rpc::Peer& dispatcher, Worker::JobOpener open)
      : config_(config),
        tokens_(tokens),
        streams_("preprocess-streams", kStreamThreads),
        worker_(options, dispatcher, std::move(open)),
        face_(worker_, streams_) {}

  std::vector<grpc::Service*> Faces() override { return {&face_}; }
  absl::Status Started(const std::string& endpoint) override {
    const std::string reached = config_.endpoint.empty() ? endpoint : config_.endpoint;
    const std::string ring_socket = RingSocketOf(endpoint);
    auto rings = RingServer::Start(ring_socket, tokens_, worker_);
    if (!rings.ok()) {
      log::Warn("there is no shared memory; batches are sent over gRPC",
                {{"error", rings.status().ToString()}});
    } else {
      rings_ = *std::move(rings);
    }
    worker_.Start(reached, ring_socket);
    return absl::OkStatus();
  }
  void Stopping() override {
    worker_.Drain(kDrainPatience);
    rings_.reset();
  }

 private:
  const WorkerConfig config_;
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
  options.name = NameOf(config, context.listen);
  options.host = rpc::OwnHost();
  options.started_as = rpc::StartedAs();
  options.num_threads = config.threads > 0 ? config.threads : rpc::OwnProcessors();
  options.budget_bytes = config.budget.bytes;
  const loader::Sharing sharing = {.folder = loader::SharedFolderOf(context.cluster.state_folder),
                                   .bytes = config.share_window.bytes};
  loader::RemoveDeadStreams(sharing.folder);
  return std::make_unique<WorkerServer>(options, config, context.tokens, dispatcher,
                                        MakeJobOpener(selector, storage, store, sharing));
}

}  // namespace tidemill::preprocess

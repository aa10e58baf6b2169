#include "selector/selector_server.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/process/program_folder.h"
#include "db/database.h"
#include "db/migrations.h"
#include "evaluator/client/evaluator_client.h"
#include "selector/migrations.h"
#include "selector/selector.h"
#include "selector/selector_service.h"
#include "storage/client/storage_client.h"

namespace tidemill::selector {
namespace {

// For policies that choose in their own processes; it is beside this program.
constexpr std::string_view kWorkerProgram = "tidemill-select-worker";

// Where others are.
struct Peers {
  rpc::Peer storage;
  // For policies that look at what models say.
  std::optional<rpc::Peer> evaluator;
};

class SelectorServer final : public rpc::RunningService {
 public:
  SelectorServer(std::unique_ptr<db::Database> database, const std::string& folder,
                 const Peers& peers, const SelectorConfig& config, std::string worker_program,
                 const rpc::StreamLimits& streams)
      : database_(std::move(database)),
        storage_(peers.storage),
        selector_(*database_, folder, SourcesOf(peers), config, std::move(worker_program)),
        service_(selector_, streams) {}

  std::vector<grpc::Service*> Faces() override { return {&service_}; }
  absl::Status RemoveLeftovers() { return selector_.RemoveLeftovers(); }

 private:
  using BatchSink = std::function<absl::Status(batch::Batch)>;

  Sources SourcesOf(const Peers& peers) {
    Sources sources;
    sources.list_samples = [this](const storage::v1::ListSamplesRequest& request,
                                  const BatchSink& sink) {
      return storage_.ListSamples(request, sink);
    };
    sources.read_samples = [this](DatasetId dataset, std::span<const int64_t> keys,
                                  const BatchSink& sink) {
      return storage_.ReadSamples(dataset, keys, [&](batch::Batch samples, const auto&) {
        return sink(std::move(samples));
      });
    };
    if (peers.evaluator) {
      evaluator_.emplace(*peers.evaluator);
      sources.read_model = [this](const evaluator::v1::ReadModelColumnsRequest& request,
                                  const BatchSink& sink) {
        return evaluator_->ReadModelColumns(request, sink);
      };
    }
    return sources;
  }

  const std::unique_ptr<db::Database> database_;
  const storage::StorageClient storage_;
  std::optional<evaluator::EvaluatorClient> evaluator_;
  Selector selector_;
  SelectorService service_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartSelector(
    const rpc::ServiceContext& context) {
  ASSIGN_OR_RETURN(
      const SelectorConfig config,
      config::ReadSection<SelectorConfig>(context.config_text, context.config_name, "selector"));
  ASSIGN_OR_RETURN(const std::string state, context.FolderOf("selector"));
  Peers peers;
  ASSIGN_OR_RETURN(peers.storage, context.PeerOf("storage"));
  if (context.cluster.endpoints.contains("evaluator")) {
    ASSIGN_OR_RETURN(peers.evaluator, context.PeerOf("evaluator"));
  }
  ASSIGN_OR_RETURN(const std::string programs, process::ProgramFolder());
  ASSIGN_OR_RETURN(const std::string connection, context.Database());
  ASSIGN_OR_RETURN(auto database, db::Database::Connect(connection));
  RETURN_IF_ERROR(db::Migrate(*database, "selector", Migrations()));
  const std::string folder = files::Join(state, "training_sets");
  RETURN_IF_ERROR(files::CreateFolder(folder));
  auto server = std::make_unique<SelectorServer>(std::move(database), folder, peers, config,
                                                 files::Join(programs, kWorkerProgram),
                                                 context.cluster.streams);
  RETURN_IF_ERROR(server->RemoveLeftovers());
  return server;
}

}  // namespace tidemill::selector

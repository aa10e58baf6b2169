#include "selector/selector_server.h"

#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "db/database.h"
#include "db/migrations.h"
#include "selector/migrations.h"
#include "selector/selector.h"
#include "selector/selector_service.h"
#include "storage/client/storage_client.h"

namespace tidemill::selector {
namespace {

class SelectorServer final : public rpc::RunningService {
 public:
  SelectorServer(std::unique_ptr<db::Database> database, const std::string& folder,
                 const rpc::Peer& storage, const SelectorConfig& config)
      : database_(std::move(database)),
        storage_(storage),
        selector_(
            *database_, folder,
            [this](const storage::v1::ListSamplesRequest& request,
                   const std::function<absl::Status(batch::Batch)>& sink) {
              return storage_.ListSamples(request, sink);
            },
            config),
        service_(selector_) {}

  std::vector<grpc::Service*> Faces() override { return {&service_}; }
  absl::Status RemoveLeftovers() { return selector_.RemoveLeftovers(); }

 private:
  const std::unique_ptr<db::Database> database_;
  const storage::StorageClient storage_;
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
  ASSIGN_OR_RETURN(const rpc::Peer storage, context.PeerOf("storage"));
  ASSIGN_OR_RETURN(auto database, db::Database::Connect(context.cluster.database));
  RETURN_IF_ERROR(db::Migrate(*database, "selector", Migrations()));
  const std::string folder = files::Join(state, "training_sets");
  RETURN_IF_ERROR(files::CreateFolder(folder));
  auto server = std::make_unique<SelectorServer>(std::move(database), folder, storage, config);
  RETURN_IF_ERROR(server->RemoveLeftovers());
  return server;
}

}  // namespace tidemill::selector

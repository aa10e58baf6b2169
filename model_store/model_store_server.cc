#include "model_store/model_store_server.h"

#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "db/database.h"
#include "model_store/kept_files.h"
#include "model_store/kept_jobs.h"
#include "model_store/model_store.h"
#include "model_store/model_store_service.h"

namespace tidemill::model_store {
namespace {

class ModelStoreServer final : public rpc::RunningService {
 public:
  ModelStoreServer(std::unique_ptr<db::Database> database, std::unique_ptr<ModelStore> store,
                   KeptFiles files, std::unique_ptr<KeptJobs> jobs,
                   const rpc::StreamLimits& streams)
      : database_(std::move(database)),
        store_(std::move(store)),
        files_(std::move(files)),
        jobs_(std::move(jobs)),
        service_(*store_, files_, *jobs_, streams) {}

  std::vector<grpc::Service*> Faces() override { return {&service_}; }

 private:
  const std::unique_ptr<db::Database> database_;
  const std::unique_ptr<ModelStore> store_;
  KeptFiles files_;
  const std::unique_ptr<KeptJobs> jobs_;
  ModelStoreService service_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<rpc::RunningService>> StartModelStore(
    const rpc::ServiceContext& context) {
  ASSIGN_OR_RETURN(const std::string folder, context.FolderOf("model_store"));
  ASSIGN_OR_RETURN(const std::string connection, context.Database());
  ASSIGN_OR_RETURN(auto database, db::Database::Connect(connection));
  ASSIGN_OR_RETURN(auto store, ModelStore::Open(*database, folder));
  ASSIGN_OR_RETURN(KeptFiles kept, KeptFiles::Open(files::Join(folder, "files")));
  auto jobs = std::make_unique<KeptJobs>(*database, files::Join(folder, "models"));
  RETURN_IF_ERROR(jobs->RemoveLeftovers());
  return std::make_unique<ModelStoreServer>(std::move(database), std::move(store), std::move(kept),
                                            std::move(jobs), context.cluster.streams);
}

}  // namespace tidemill::model_store

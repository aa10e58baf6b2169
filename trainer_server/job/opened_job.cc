#include "trainer_server/job/opened_job.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/files.h"
#include "base/id.h"
#include "model_store/client/model_store_client.h"
#include "selector/client/selector_client.h"
#include "trainer_server/folders/job_folder.h"

namespace tidemill::trainer_server {
namespace {

template <typename Job>
absl::StatusOr<OpenedJob> OpenAny(const Job& job) {
  OpenedJob opened;
  ASSIGN_OR_RETURN(opened.peers, rpc::JobPeers::Open(job.endpoints()));
  ASSIGN_OR_RETURN(const rpc::Peer selector_peer, opened.peers.PeerOf("selector"));
  ASSIGN_OR_RETURN(const rpc::Peer storage_peer, opened.peers.PeerOf("storage"));
  selector::SelectorClient selector(selector_peer);
  const auto& request = job.request();
  ASSIGN_OR_RETURN(
      static_cast<loader::OpenedSet&>(opened),
      loader::OpenSet({.run = {request.command().run_id()},
                       .trigger = request.trigger(),
                       .dataset_id = {request.dataset_id()},
                       .dataset = request.dataset_spec(),
                       .graph = request.graph()},
                      selector, std::make_shared<const storage::StorageClient>(storage_peer)));
  return opened;
}

}  // namespace

absl::StatusOr<OpenedJob> Open(const v1::FitJob& job) { return OpenAny(job); }

absl::StatusOr<OpenedJob> Open(const v1::TrainingJob& job) { return OpenAny(job); }

absl::StatusOr<models::ModelSpec> WithNetworkFile(const models::ModelSpec& model,
                                                  const std::string& folder,
                                                  const rpc::JobPeers& peers) {
  const std::optional<models::NetworkFile> file = model->File();
  if (!file) return model;
  constexpr std::string_view kKept = "sha256:";
  if (!file->path.starts_with(kKept)) {
    return FailedPrecondition(
        "the pipeline names {}, but the file did not come with it; submit the pipeline again",
        file->path);
  }
  const std::string digest = file->path.substr(kKept.size());
  const std::string networks = files::Join(folder, files::Join("..", kNetworksFolder));
  const std::string path = files::Join(networks, digest);
  models::ModelSpec with_file = model->WithFile(path);
  if (const auto found = Sha256OfFile(path); found.ok() && *found == digest) return with_file;
  ASSIGN_OR_RETURN(const rpc::Peer peer, peers.PeerOf("model_store"));
  model_store::ModelStoreClient model_store(peer);
  ASSIGN_OR_RETURN(const std::string bytes, model_store.ReadFile(digest));
  RETURN_IF_ERROR(files::CreateFolder(networks));
  RETURN_IF_ERROR(files::WriteAtomically(path, bytes));
  return with_file;
}

}  // namespace tidemill::trainer_server

#include "trainer_server/job/opened_job.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/files.h"
#include "base/id.h"
#include "model_store/client/model_store_client.h"
#include "models/artefact_spec.h"
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

// Returns the path of a file that came with the pipeline, by its name in it. The run's folder keeps
// it.
absl::StatusOr<std::string> FetchKept(const std::string& name, const std::string& folder,
                                      const rpc::JobPeers& peers) {
  constexpr std::string_view kKept = "sha256:";
  if (!name.starts_with(kKept)) {
    return FailedPrecondition(
        "the pipeline names {}, but the file did not come with it; submit the pipeline again",
        name);
  }
  const std::string digest = name.substr(kKept.size());
  const std::string networks = files::Join(folder, files::Join("..", kNetworksFolder));
  std::string path = files::Join(networks, digest);
  if (const auto found = Sha256OfFile(path); found.ok() && *found == digest) return path;
  ASSIGN_OR_RETURN(const rpc::Peer peer, peers.PeerOf("model_store"));
  model_store::ModelStoreClient model_store(peer);
  ASSIGN_OR_RETURN(const std::string bytes, model_store.ReadFile(digest));
  RETURN_IF_ERROR(files::CreateFolder(networks));
  RETURN_IF_ERROR(files::WriteAtomically(path, bytes));
  return path;
}

}  // namespace

absl::StatusOr<OpenedJob> Open(const v1::FitJob& job) { return OpenAny(job); }

absl::StatusOr<OpenedJob> Open(const v1::TrainingJob& job) { return OpenAny(job); }

absl::StatusOr<models::ModelSpec> WithNetworkFile(const models::ModelSpec& model,
                                                  const std::string& folder,
                                                  const rpc::JobPeers& peers) {
  const std::optional<models::NetworkFile> file = model->File();
  if (!file) return model;
  ASSIGN_OR_RETURN(std::string path, FetchKept(file->path, folder, peers));
  return model->WithFile(std::move(path));
}

absl::StatusOr<std::vector<std::string>> ReadStartWeights(const models::StartFrom& start_from,
                                                          const std::string& folder,
                                                          const rpc::JobPeers& peers) {
  std::vector<std::string> files;
  if (start_from.model) {
    ASSIGN_OR_RETURN(const rpc::Peer peer, peers.PeerOf("model_store"));
    model_store::ModelStoreClient model_store(peer);
    auto weights =
        model_store.ReadPart(ModelId{*start_from.model}, std::string(models::kWeightsPart));
    if (absl::IsNotFound(weights.status())) {
      return FailedPrecondition(
          "training.start_from: there is no model {}; `tidemill models list` "
          "shows those that there are",
          *start_from.model);
    }
    if (!weights.ok()) return weights.status();
    files.push_back(*std::move(weights));
  }
  std::vector<std::string> names = start_from.kept;
  // Not sent, which FetchKept() says.
  for (const std::string& name : {start_from.file, start_from.folder}) {
    if (!name.empty()) names.push_back(name);
  }
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const std::string path, FetchKept(name, folder, peers));
    ASSIGN_OR_RETURN(files.emplace_back(), files::Read(path));
  }
  return files;
}

}  // namespace tidemill::trainer_server

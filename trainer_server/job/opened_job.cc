#include "trainer_server/job/opened_job.h"

#include <utility>

#include "base/id.h"
#include "selector/client/selector_client.h"

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

}  // namespace tidemill::trainer_server

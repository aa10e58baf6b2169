#include "trainer_server/job/opened_job.h"

#include <utility>

#include "base/id.h"
#include "config/config.h"
#include "rpc/tokens.h"
#include "samples/dataset_schema.h"
#include "selector/client/selector_client.h"

namespace tidemill::trainer_server {

rpc::Peer OpenedJob::PeerOf(const std::string& endpoint) const {
  return {.endpoint = endpoint, .token = token, .tls = tls};
}

absl::StatusOr<OpenedJob> Open(const FitJob& job) {
  OpenedJob opened;
  ASSIGN_OR_RETURN(opened.dataset, config::Read<storage::DatasetSpec>(job.dataset, "dataset"));
  ASSIGN_OR_RETURN(opened.graph_spec, config::Read<transform::GraphSpec>(job.graph, "graph"));
  ASSIGN_OR_RETURN(transform::Graph graph,
                   transform::Graph::Build(opened.graph_spec, samples::SchemaOf(opened.dataset)));
  opened.graph = std::make_shared<const transform::Graph>(std::move(graph));
  ASSIGN_OR_RETURN(const rpc::Tokens tokens, rpc::Tokens::Read(job.endpoints.token_file));
  ASSIGN_OR_RETURN(opened.token, tokens.TokenOf(rpc::v1::ROLE_SERVICE));
  ASSIGN_OR_RETURN(opened.tls, rpc::ReadTls(job.endpoints.tls));
  selector::SelectorClient selector(opened.PeerOf(job.endpoints.selector));
  ASSIGN_OR_RETURN(loader::TrainingSet set,
                   loader::ReadTrainingSet(selector, RunId{job.run_id}, job.trigger));
  opened.set = std::make_shared<const loader::TrainingSet>(std::move(set));
  opened.storage = std::make_unique<storage::StorageClient>(opened.PeerOf(job.endpoints.storage));
  opened.reader = loader::ReaderOf(*opened.storage, DatasetId{job.dataset_id});
  opened.bad = loader::RecordBadSamples(*opened.storage, DatasetId{job.dataset_id});
  return opened;
}

}  // namespace tidemill::trainer_server

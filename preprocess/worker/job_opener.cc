#include "preprocess/worker/job_opener.h"

#include <memory>
#include <string>
#include <utility>

#include "config/config.h"
#include "loader/training_set.h"
#include "samples/dataset_schema.h"
#include "selector/client/selector_client.h"
#include "storage/client/dataset_spec.h"
#include "storage/client/storage_client.h"
#include "transform/graph_spec.h"

namespace tidemill::preprocess {
namespace {

// Windows of buckets that are kept for the other lanes of a job.
constexpr int64_t kWindowBytes = int64_t{64} << 20;

absl::StatusOr<std::shared_ptr<const transform::Graph>> BuildGraph(const JobSpec& job) {
  ASSIGN_OR_RETURN(const auto dataset, config::Read<storage::DatasetSpec>(job.dataset, "dataset"));
  ASSIGN_OR_RETURN(const auto spec, config::Read<transform::GraphSpec>(job.graph, "graph"));
  ASSIGN_OR_RETURN(transform::Graph graph,
                   transform::Graph::Build(spec, samples::SchemaOf(dataset)));
  return std::make_shared<const transform::Graph>(std::move(graph));
}

absl::StatusOr<std::shared_ptr<const transform::FittedState>> DecodeFitted(
    const std::string& bytes) {
  if (bytes.empty()) return std::shared_ptr<const transform::FittedState>();
  ASSIGN_OR_RETURN(transform::FittedState fitted, transform::FittedState::Decode(bytes));
  return std::make_shared<const transform::FittedState>(std::move(fitted));
}

}  // namespace

Worker::JobOpener MakeJobOpener(const rpc::Peer& selector, const rpc::Peer& storage) {
  // Shared by the jobs, whose readers may outlive the opener.
  const auto store = std::make_shared<storage::StorageClient>(storage);
  return [selector, store](const v1::GetJobResponse& known) -> absl::StatusOr<OpenedJob> {
    OpenedJob opened;
    ASSIGN_OR_RETURN(opened.spec, config::Read<JobSpec>(known.spec(), known.name()));
    ASSIGN_OR_RETURN(opened.parts.graph, BuildGraph(opened.spec));
    ASSIGN_OR_RETURN(opened.parts.fitted, DecodeFitted(known.fitted()));
    selector::SelectorClient client(selector);
    ASSIGN_OR_RETURN(
        loader::TrainingSet set,
        loader::ReadTrainingSet(client, RunId{opened.spec.run_id}, opened.spec.trigger));
    opened.parts.bad = loader::RecordBadSamples(*store, DatasetId{opened.spec.dataset_id});
    opened.parts.set = PartOf(opened.spec, std::move(set));
    ASSIGN_OR_RETURN(opened.division, DivideSet(opened.spec, *opened.parts.set, *store));
    if (opened.spec.buckets && opened.spec.num_lanes > 1 && !opened.spec.shards) {
      opened.parts.windows = std::make_shared<loader::WindowCache>(kWindowBytes);
    }
    opened.parts.reader = [store,
                           read = loader::ReaderOf(*store, DatasetId{opened.spec.dataset_id})](
                              std::span<const int64_t> keys, const loader::SampleSink& sink) {
      return read(keys, sink);
    };
    return opened;
  };
}

}  // namespace tidemill::preprocess

#include "loader/opened_set.h"

#include <span>
#include <utility>

#include "config/config.h"
#include "samples/dataset_schema.h"
#include "selector/client/selector_client.h"

namespace tidemill::loader {

absl::StatusOr<OpenedSet> OpenSet(SetToOpen which, selector::SelectorClient& selector,
                                  std::shared_ptr<const storage::StorageClient> storage) {
  OpenedSet opened;
  ASSIGN_OR_RETURN(opened.dataset,
                   config::ReadKept<storage::DatasetSpec>(which.dataset, "dataset"));
  ASSIGN_OR_RETURN(opened.graph_spec, config::ReadKept<transform::GraphSpec>(which.graph, "graph"));
  ASSIGN_OR_RETURN(transform::Graph graph,
                   transform::Graph::Build(opened.graph_spec, samples::SchemaOf(opened.dataset)));
  opened.graph = std::make_shared<const transform::Graph>(std::move(graph));
  TrainingSet set{.keys = std::move(which.keys)};
  if (set.keys.empty()) {
    ASSIGN_OR_RETURN(set, ReadTrainingSet(selector, which.run, which.trigger));
  }
  opened.set = std::make_shared<const TrainingSet>(std::move(set));
  opened.storage = std::move(storage);
  opened.reader = [kept = opened.storage, read = ReaderOf(*opened.storage, which.dataset_id)](
                      std::span<const int64_t> keys, const SampleSink& sink) {
    return read(keys, sink);
  };
  opened.bad = RecordBadSamples(*opened.storage, which.dataset_id);
  return opened;
}

}  // namespace tidemill::loader

#include "loader/opened_set.h"

#include <span>
#include <utility>

#include "config/config.h"
#include "samples/dataset_schema.h"
#include "selector/client/selector_client.h"

namespace tidemill::loader {

namespace {

absl::StatusOr<std::shared_ptr<const TrainingSet>> SetOf(SetToOpen which,
                                                         selector::SelectorClient& selector) {
  if (which.keys.empty() && which.cache != nullptr) {
    return which.cache->Read(selector, which.run, which.trigger);
  }
  TrainingSet set{.keys = std::move(which.keys)};
  if (set.keys.empty()) {
    ASSIGN_OR_RETURN(set, ReadTrainingSet(selector, which.run, which.trigger));
  }
  return std::make_shared<const TrainingSet>(std::move(set));
}

}  // namespace

absl::StatusOr<OpenedSet> OpenSet(SetToOpen which, selector::SelectorClient& selector,
                                  std::shared_ptr<const storage::StorageClient> storage) {
  OpenedSet opened;
  const DatasetId dataset = which.dataset_id;
  ASSIGN_OR_RETURN(opened.dataset,
                   config::ReadKept<storage::DatasetSpec>(which.dataset, "dataset"));
  ASSIGN_OR_RETURN(opened.graph_spec, config::ReadKept<transform::GraphSpec>(which.graph, "graph"));
  ASSIGN_OR_RETURN(transform::Graph graph,
                   transform::Graph::Build(opened.graph_spec, samples::SchemaOf(opened.dataset)));
  opened.graph = std::make_shared<const transform::Graph>(std::move(graph));
  ASSIGN_OR_RETURN(opened.set, SetOf(std::move(which), selector));
  opened.storage = std::move(storage);
  opened.reader = [kept = opened.storage, read = ReaderOf(*opened.storage, dataset)](
                      std::span<const int64_t> keys, const SampleSink& sink) {
    return read(keys, sink);
  };
  opened.bad = RecordBadSamples(*opened.storage, dataset);
  return opened;
}

}  // namespace tidemill::loader

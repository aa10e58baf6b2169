// What graphs make of the samples that are measured: found where prepared samples are kept
// (loader/prepared), or made here, and kept where that pays.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "base/id.h"
#include "base/status.h"
#include "batch/batch.h"
#include "evaluator/reading/prepared_graph.h"
#include "evaluator/reading/window_samples.h"
#include "loader/path/path_work.h"
#include "loader/prepared/sample_cache.h"
#include "models/training/cache_spec.h"
#include "prepared/host_store.h"
#include "storage/client/storage_client.h"

namespace tidemill::evaluator {

class KeptBlock;

// How the samples of a window are read.
struct WindowReads {
  int64_t num_samples = 0;  // An estimate.
  // Once for each part of the models that fit into memory together.
  int64_t num_passes = 1;
};

// The rows of all graphs, over all windows of a job. They are as RunGraph() makes them. Samples
// that are missing in several graphs are read once, and graphs that begin alike make their common
// part once. Thread-compatible.
class KeptRows {
 public:
  struct Options {
    DatasetId dataset;
    // As in PageReader::Options.
    bool has_labels = true;
    std::shared_ptr<const prepared::HostStore> store;
    // Not `off`.
    models::CacheSpec cache;
    // How often each sample is expected to be read again: by later windows of this job, and by
    // others.
    double uses = 0;
    int64_t num_windows = 1;
    std::string about = {};
  };

  // `storage` must outlive this object.
  KeptRows(const storage::StorageClient& storage, Options options);

  // Opens a cache for each graph that has none; what they decide can change while samples are read.
  // The first of several graphs that differ only in what they have learned decides for all.
  void Open(std::span<const SharedGraph> graphs, const WindowReads& reads);

  // Returns a block of samples of a page, with the rows of these graphs, which must be open. It has
  // no data. Returns the errors of the storage client's methods; what fails in a graph is in the
  // block.
  absl::StatusOr<SampleBlock> Make(const batch::Batch& samples,
                                   std::span<const SharedGraph> graphs);

  // Returns the cache of an open graph, for streams that prepare samples in this process; nullptr
  // when there is none.
  std::shared_ptr<loader::SampleCache> CacheOf(const PreparedGraph& graph) const;

  // The samples so far that were found for all graphs, and so not read.
  int64_t num_found() const { return num_found_; }

 private:
  friend class KeptBlock;

  struct OpenGraph {
    SharedGraph graph;
    // It leaves out what the graph has learned.
    std::string fingerprint;
    std::shared_ptr<loader::SampleCache> cache = nullptr;
    std::unique_ptr<loader::PathCounters> counters = nullptr;
  };

  // Reads and makes what a block of these samples lacks.
  absl::Status ReadInto(KeptBlock& block, SampleBlock& result) const;
  // `uses_by_others`: by graphs that have learned other numbers.
  void OpenCache(OpenGraph& graph, int64_t num_samples, double uses_by_others);

  const storage::StorageClient& storage_;
  const Options options_;
  std::map<std::string, OpenGraph> graphs_;  // By PreparedGraph::fingerprint.
  int64_t num_found_ = 0;
};

}  // namespace tidemill::evaluator

// Reads the samples of a page of a window, block by block.
#pragma once

#include <cstdint>
#include <span>

#include "base/id.h"
#include "base/status.h"
#include "batch/batch.h"
#include "evaluator/reading/kept_rows.h"
#include "evaluator/reading/page_at_workers.h"
#include "evaluator/reading/preparing_workers.h"
#include "evaluator/reading/window_samples.h"
#include "storage/client/storage_client.h"

namespace tidemill::evaluator {

// Where samples came from.
struct PreparedSamples {
  int64_t here = 0;
  int64_t at_workers = 0;
  // How many of both were found prepared for all graphs. What workers have found counts as far as
  // they have said so.
  int64_t found = 0;
};

// Blocks have the same samples, the same rows and the same missing samples, whether workers prepare
// them or not, and whether they are found or made. Samples that workers cannot prepare are read
// here. Thread-compatible.
class PageReader {
 public:
  struct Options {
    DatasetId dataset;
    // Whether samples of the dataset have labels. Those that wait for theirs are not prepared.
    bool has_labels = true;
    int64_t block_rows = 1;
    // nullptr: all samples are read here.
    PreparingWorkers* workers = nullptr;
    // nullptr: nothing is kept.
    KeptRows* kept = nullptr;
    // How often the window is read, for other models each time.
    int64_t num_passes = 1;
  };

  // `storage`, the workers and the kept rows must outlive this object.
  PageReader(const storage::StorageClient& storage, const Options& options)
      : storage_(storage), options_(options) {}

  // Gives `sink` the blocks of a page, in order. With workers or kept rows, they have the rows of
  // these graphs.
  // Returns the errors of the storage client's methods and of `sink`.
  absl::Status Read(const batch::Batch& page, std::span<const SharedGraph> graphs,
                    const BlockSink& sink);

  // The samples of all pages so far. Samples that workers left out and this process read itself
  // count as its own.
  const PreparedSamples& prepared() const { return prepared_; }

 private:
  // Returns the number of samples that were given to `sink`. The others are left to this process.
  absl::StatusOr<int64_t> ReadAtWorkers(const batch::Batch& page,
                                        std::span<const SharedGraph> graphs, const BlockSink& sink);
  absl::Status ReadHere(const batch::Batch& page, int64_t from, std::span<const SharedGraph> graphs,
                        const BlockSink& sink);

  const storage::StorageClient& storage_;
  const Options options_;
  PreparedSamples prepared_;
};

}  // namespace tidemill::evaluator

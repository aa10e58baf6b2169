// The samples of a page that workers prepare.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "evaluator/reading/kept_rows.h"
#include "evaluator/reading/prepared_graph.h"
#include "evaluator/reading/preparing_workers.h"
#include "evaluator/reading/rows_in_order.h"
#include "evaluator/reading/window_samples.h"

namespace tidemill::evaluator {

// A block that workers have prepared.
struct MadeBlock {
  // `samples` are the samples of the page, without data. `prepared` has the rows of each graph.
  SampleBlock block = {};
  // The samples that have to be read here: those that workers left out for another reason than a
  // filter of the graph, and those without a label, because whether these can be read is not known.
  std::vector<int64_t> unclear = {};
};

// Walks along a page. Thread-compatible.
class PageAtWorkers {
 public:
  struct Options {
    PreparingWorkers& workers;
    // For batches that are made in this process; nullptr: nothing is kept.
    const KeptRows* kept = nullptr;
    // Samples without a label are not prepared where there are labels.
    bool has_labels = true;
    int64_t block_rows = 1;
  };

  // Opens a source for each graph. `page` is as ListWindow() gives it. Returns nullptr when the
  // workers do not take that many samples. Returns the errors of PreparingWorkers::Open().
  static absl::StatusOr<std::unique_ptr<PageAtWorkers>> Open(const Options& options,
                                                             const batch::Batch& page,
                                                             std::span<const SharedGraph> graphs);

  // Returns the block of the next `num_rows` samples of the page, or of the rest of it. Returns the
  // errors of the sources.
  absl::StatusOr<MadeBlock> Next(int64_t num_rows);

  // Returns how many samples were found prepared for all graphs, as far as that is known.
  int64_t NumFound() const;

 private:
  PageAtWorkers(batch::Batch page, std::span<const SharedGraph> graphs, bool has_labels);
  // The rows within [from, to) that are prepared.
  std::span<const int64_t> Prepared(int64_t from, int64_t to) const;

  const batch::Batch page_;
  const std::vector<SharedGraph> graphs_;
  std::vector<int64_t> labelled_;  // The rows of the page that are prepared, ascending.
  std::vector<RowsInOrder> rows_;  // For each graph.
  int64_t next_ = 0;
};

// Completes a block with its unclear samples as they were read here: they are missing, have no
// label, or are run through the graphs. `read` are the samples of MadeBlock::unclear.
void AddUnclear(const SampleBlock& read, std::span<const SharedGraph> graphs, bool has_labels,
                SampleBlock& block);

}  // namespace tidemill::evaluator

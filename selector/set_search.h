// Finds the training sets that hold given samples.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "selector/columns/chosen_keys.h"
#include "selector/training_set_history.h"
#include "selector/training_sets_table.h"
#include "tidemill/selector/v1/selector.pb.h"

namespace tidemill::selector {

// Called after each set, with the match, if there is one. A failure ends the search.
using MatchSink = std::function<absl::Status(const v1::FindTrainingSetsResponse&)>;
using PathsOfRun = std::function<PathsOf(RunId)>;

// `rows` are the sets of one dataset in the order (run, trigger). Reads the entries of each once.
// For a set whose entries are removed or lost, it reports an upper bound: the samples that its run
// has ever chosen, as far as they are known. Memory: the keys of one set.
absl::Status FindSets(const std::vector<TrainingSetRow>& rows, std::span<const int64_t> keys,
                      const PathsOfRun& paths_of, const MatchSink& sink);

}  // namespace tidemill::selector

// Says where the samples of a run and of its triggers are: used, left out and why, or still to
// come. Each sample is counted once. What the counts of a run are made of:
//
//   known = new samples of the triggers + late ones + those behind the last trigger
//   new samples of the triggers = used + bad + unlabelled + filtered + skipped
//
// The functions are pure.
#pragma once

#include <optional>

#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/run_state.h"
#include "tidemill/rpc/v1/ledger.pb.h"

namespace tidemill::supervisor {

// Returns where the samples are that the trigger could have trained on. They may be old ones, as
// the selection policy asks. std::nullopt before the trigger's training set is sealed.
std::optional<rpc::v1::Ledger> LedgerOf(const TriggerState& trigger, const PipelineSpec& spec);

// Returns where the samples of the training dataset are. A sample is used once it is in a training
// set. Where training sets overlap, num_bad is that of the set with the most bad samples. For a
// replay, num_known is what storage counted, so a sum that differs shows a fault; for a live run,
// and for a replay of a part, it is the sum. std::nullopt before the dataset is synced, and for
// runs of versions before 0.8.
std::optional<rpc::v1::Ledger> LedgerOf(const RunState& state, const PipelineSpec& spec);

// Returns the sum of all counts but num_known.
int64_t SumOf(const rpc::v1::Ledger& ledger);

}  // namespace tidemill::supervisor

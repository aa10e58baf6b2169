// Accounts for the samples of a run and of its triggers: used, left out (with the reason), or not
// reached yet. Each sample is counted once. The counts of a run add up:
//
//   known = new samples of the triggers + late ones + those after the last trigger
//   new samples of the triggers = used + bad + deleted + unlabelled + filtered + skipped
//
// The functions are pure.
#pragma once

#include <optional>

#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/run_state.h"
#include "tidemill/rpc/v1/ledger.pb.h"

namespace tidemill::supervisor {

// Accounts for the samples that the trigger could have trained on. They may be old ones, depending
// on the selection policy. std::nullopt before the trigger's training set is sealed.
std::optional<rpc::v1::Ledger> LedgerOf(const TriggerState& trigger, const PipelineSpec& spec);

// Accounts for the samples of the training dataset. A sample is used once it is in a training set.
// Where training sets overlap, num_bad and num_deleted are those of the set with the most of them.
// For a replay, num_known is what storage counted, so a sum that differs shows a fault; for a live
// run, and for a replay of a part, it is the sum. std::nullopt before the dataset is synced, and
// for runs of versions before 0.8.
std::optional<rpc::v1::Ledger> LedgerOf(const RunState& state, const PipelineSpec& spec);

// Returns the sum of all counts but num_known.
int64_t SumOf(const rpc::v1::Ledger& ledger);

}  // namespace tidemill::supervisor

// The outcomes that are kept after an evaluation, in a report of its job.
#pragma once

#include "batch/wire.h"
#include "evaluator/outcomes/outcome_table.h"
#include "tidemill/evaluator/v1/job.pb.h"

namespace tidemill::evaluator {

inline void SetOutcomes(const OutcomeTable& table, bool in_use, v1::ModelScores& scores) {
  v1::KeptOutcomes& kept = *scores.mutable_outcomes();
  kept.set_columns(batch::Encode(table.ToBatch()));
  kept.set_key_limit(table.limit());
  kept.set_in_use(in_use);
}

}  // namespace tidemill::evaluator

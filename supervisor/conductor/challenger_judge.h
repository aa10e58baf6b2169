// Finds out which models of a run are better than the one that the pipeline has in use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "supervisor/measuring/challenge.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/steps/patience.h"
#include "supervisor/steps/run_record.h"

namespace tidemill::supervisor {

// Carries out the step `judge` of a pipeline with `promote: {when: better}`. Thread-compatible.
class ChallengerJudge {
 public:
  // All must outlive this object.
  ChallengerJudge(RunRecord& record, Downstream& downstream, Patience& patience)
      : record_(record), downstream_(downstream), patience_(patience) {}

  // Judges the models of the run that were not before, in the order of their triggers, and records
  // the answers with the changes that follow from them. A model that cannot be compared does not
  // take the place of the one in use. Returns the errors of services that cannot be reached.
  absl::Status Judge();

 private:
  absl::StatusOr<v1::JudgedChallenger> JudgeOne(const v1::Trigger& trigger,
                                                const std::optional<Champion>& champion);
  absl::StatusOr<ChallengeAnswer> Compare(const v1::Trigger& trigger, const Champion& champion);
  // The part of the stream that neither model was trained on.
  absl::StatusOr<std::vector<MetSpan>> SpansOf(const v1::Trigger& trigger,
                                               const Champion& champion);
  absl::StatusOr<EvidenceTable> AnswersOf(int64_t model, const ComparedSamples& samples);
  const v1::DatasetSynced& Dataset() const;
  const PromotionMeasure& Measured() const;

  RunRecord& record_;
  Downstream& downstream_;
  Patience& patience_;
  mutable std::optional<PromotionMeasure> measured_;
};

}  // namespace tidemill::supervisor

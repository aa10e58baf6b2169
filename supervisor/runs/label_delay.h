// Handles labels that become known some time after their samples.
//
// A trigger at the cut (t, k) may train on samples whose labels are known by then: those before (t
// - delay, k). The order of samples by (time + delay, key) equals the order by (time, key), so
// shifting a cut is exact. The data of two triggers never overlap, and nothing between them is left
// out. No window of evaluation contains a sample that was trained on, because it begins at the cut
// itself.
#pragma once

#include "base/status.h"
#include "base/time.h"
#include "config/config.h"
#include "storage/spec/dataset_spec.h"
#include "tidemill/rpc/v1/rpc.pb.h"
#include "tidemill/supervisor/v1/run_event.pb.h"

namespace tidemill::supervisor {

// Returns the cut in the stream of samples whose labels are known at `cut`.
inline rpc::v1::Cut KnownAt(rpc::v1::Cut cut, Duration label_delay) {
  cut.set_event_time(cut.event_time() - label_delay.micros);
  return cut;
}

// Returns the delay of a dataset whose spec storage has completed.
inline absl::StatusOr<Duration> LabelDelayOf(const v1::DatasetSynced& dataset) {
  ASSIGN_OR_RETURN(const auto spec,
                   config::ReadKept<storage::DatasetSpec>(dataset.spec(), "dataset"));
  return storage::EffectiveLabelDelay(spec);
}

}  // namespace tidemill::supervisor

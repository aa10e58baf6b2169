// The stream of a growing dataset, as a live run sees it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "base/time.h"
#include "supervisor/conductor/event_clock.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/triggers/decider.h"

namespace tidemill::supervisor {

// The present moment on two clocks. The steady clock measures the time since the last arrival. The
// wall clock is the time of day.
struct Moment {
  std::chrono::steady_clock::time_point steady = std::chrono::steady_clock::now();
  Timestamp wall = Now();
};

// Returns how long a live run pauses before it reads its stream again; at least a millisecond.
std::chrono::milliseconds PollInterval(const LiveSpec& live);

// Shows a trigger policy the samples after its last decision and before the clock, in the order
// (event time, key). The clock depends on the spec:
//   event   the greatest event time that counts (event_clock.h) less the lateness, or, when nothing
//   has arrived for `idle`, right after that event time; wall    the time of day less the lateness.
// After a crash, its state is restored from the last decision and the dataset. Decisions therefore
// do not depend on when samples arrived, as long as they arrived before the clock had passed them.
// Thread-compatible.
class LiveStream {
 public:
  // Makes the policy in its state right after the last decision that counts.
  using MakeDecider = std::function<absl::StatusOr<Decider>()>;

  // `downstream` and `spec`, which must be live, must outlive this object. As in a replay, a policy
  // sees each sample at the time when its label becomes known.
  LiveStream(Downstream& downstream, const PipelineSpec& spec, DatasetId dataset,
             Duration label_delay, MakeDecider make_decider);

  // The place of a run in the stream.
  struct Place {
    // The last decision that counts. Absent before the first.
    std::optional<Cut> last = {};
    // An earlier decision, followed by enough samples to know the distances between them. Absent
    // when that takes all samples.
    std::optional<Cut> base = {};
  };

  struct Decided {
    std::vector<Decision> decisions;
    // The state of the policy after the last of them.
    std::string state;
  };
  // Looks for new samples. Returns the decisions that they and the clock allow, in order, up to the
  // first that fires. Decisions that were returned earlier count only once they are recorded. With
  // `asked`, the run trains on the samples before the clock even if the policy does not fire. May
  // be called again after an error.
  absl::StatusOr<Decided> Advance(const Place& place, const Moment& now, bool asked);

  // The snapshot that the last Advance() used.
  const rpc::v1::Snapshot& snapshot() const { return snapshot_; }
  // The samples that the last Advance() found ahead of the clock.
  const EventClock::Reached& reached() const { return reached_; }
  // Returns the beginning of the samples that the last Advance() used. Absent when there are none.
  absl::StatusOr<std::optional<Cut>> First() const;
  // The number of samples after the last decision that were shown to the policy.
  int64_t num_shown() const { return num_shown_; }
  // Returns how far the policy is from its next decision, as a sentence for people. Empty while it
  // was shown nothing.
  std::string standing() const { return decider_ ? decider_->Standing() : ""; }

  // Returns how many samples a decision at a cut covers that became known after `known`.
  absl::StatusOr<int64_t> CountLate(const Cut& before, const rpc::v1::Snapshot& known) const;

  // The samples after a decision, at the last snapshot: their number, and their end. When there are
  // none, they end where the decision's samples end.
  struct Rest {
    int64_t num_samples = 0;
    std::optional<Cut> end;
  };
  absl::StatusOr<Rest> RestFrom(const std::optional<Cut>& decided) const;

 private:
  // Returns where the samples of a decision at a cut end. The methods below use the times of
  // samples.
  Cut PlaceOf(const Cut& decided) const;
  absl::Status Look(const Place& place, const Moment& now);
  // Lists samples from the base on that the clock does not know. Returns whether some are among
  // those that were shown.
  absl::StatusOr<bool> TakeNew(const Place& place, int64_t after_key);
  absl::StatusOr<int64_t> CountBefore(int64_t event_time, int64_t after, int64_t enough) const;
  std::optional<Cut> Clock(const Moment& now) const;
  absl::StatusOr<Decided> Show(const std::optional<Cut>& from, const Cut& to, bool asked);
  storage::v1::ListSamplesRequest Listing(const std::optional<Cut>& from) const;

  Downstream& downstream_;
  const PipelineSpec& spec_;
  const LiveSpec& live_;
  const DatasetId dataset_;
  const Duration delay_;
  const MakeDecider make_decider_;
  rpc::v1::Snapshot snapshot_;
  EventClock clock_;       // The clock of the samples after `base_`.
  bool has_base_ = false;  // Whether `clock_` knows them.
  std::optional<Cut> base_;
  EventClock::Reached reached_;
  std::chrono::steady_clock::time_point last_new_;
  // Absent: it must be created, and shown all samples from the last decision on.
  std::optional<Decider> decider_;
  // The end of the samples that the policy was shown. std::nullopt before the first sample.
  std::optional<Cut> shown_to_;
  int64_t num_shown_ = 0;
};

}  // namespace tidemill::supervisor

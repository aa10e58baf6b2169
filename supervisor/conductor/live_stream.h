// The stream of a dataset that goes on growing, as a live run sees it.
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
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/triggers/decider.h"

namespace tidemill::supervisor {

// Now, in both senses that matter: for how long nothing has come, and what the wall clock says.
struct Moment {
  std::chrono::steady_clock::time_point steady = std::chrono::steady_clock::now();
  Timestamp wall = Now();
};

// How long a live run pauses between two looks at its stream: at least a millisecond.
std::chrono::milliseconds PollInterval(const LiveSpec& live);

// Shows a trigger policy the samples behind its last decision and before the clock, in the order
// (event time, key). The clock is
//   event   the greatest event time seen less the lateness, or, when nothing has come for `idle`,
//           right behind the greatest event time seen;
//   wall    the time of day less the lateness.
// What it keeps is found again after a crash from the last decision and the dataset, so decisions
// do not depend on when samples arrived as long as they arrived before the clock had passed them.
// Thread-compatible.
class LiveStream {
 public:
  // Makes the policy as it stands right behind the last decision that counts.
  using MakeDecider = std::function<absl::StatusOr<Decider>()>;

  // `downstream` and `spec`, which is live, must outlive it. As in a replay, a policy sees each
  // sample at the time at which its label becomes known.
  LiveStream(Downstream& downstream, const PipelineSpec& spec, DatasetId dataset,
             Duration label_delay, MakeDecider make_decider);

  struct Decided {
    std::vector<Decision> decisions;
    // Of the policy behind the last of them.
    std::string state;
  };
  // Looks for new samples and returns the decisions that they and the clock allow, in order, up to
  // the first that fires. `last` is the last decision that counts: those returned earlier count
  // only once they are recorded. With `asked`, what has come before the clock is trained on even
  // though the policy does not fire. After an error it may be called again.
  absl::StatusOr<Decided> Advance(const std::optional<Cut>& last, const Moment& now, bool asked);

  // What the last Advance() knew of the dataset.
  const rpc::v1::Snapshot& snapshot() const { return snapshot_; }
  // Where the samples begin that the last Advance() knew; absent while there are none.
  absl::StatusOr<std::optional<Cut>> First() const;
  // Samples behind the last decision that were shown to the policy.
  int64_t num_shown() const { return num_shown_; }
  // How far the policy is from its next decision, for people; empty while it was shown nothing.
  std::string standing() const { return decider_ ? decider_->Standing() : ""; }

  // The samples that a decision at a cut covers and that became known after `known`.
  absl::StatusOr<int64_t> CountLate(const Cut& before, const rpc::v1::Snapshot& known) const;

  // What a decision at a cut leaves over, at the last snapshot: how many samples, and where they
  // end; that is where the decision's samples end when there are none.
  struct Rest {
    int64_t num_samples = 0;
    std::optional<Cut> end;
  };
  absl::StatusOr<Rest> RestFrom(const std::optional<Cut>& decided) const;

 private:
  // Where the samples end that a decision at a cut covers. All that follows is in their times.
  Cut PlaceOf(const Cut& decided) const;
  absl::Status Look(const std::optional<Cut>& last, const Moment& now);
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
  std::optional<int64_t> greatest_;  // Event time, of samples behind the last decision.
  std::chrono::steady_clock::time_point last_new_;
  // Absent: is to be shown everything from the last decision on.
  std::optional<Decider> decider_;
  // What the policy was shown ends here; std::nullopt: nothing, from the beginning on.
  std::optional<Cut> shown_to_;
  int64_t num_shown_ = 0;
};

}  // namespace tidemill::supervisor

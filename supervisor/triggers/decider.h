// Drives the policy of a run through the stream.
//
//   ASSIGN_OR_RETURN(auto decider, Decider::Create(spec, sealed));
//   for (Samples ahead = batch;;) {
//     ASSIGN_OR_RETURN(const auto decision, decider.Next(ahead));
//     if (!decision) break;
//     ... decision->fired: train, then decider.Learn(cost) ...
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/status.h"
#include "supervisor/triggers/trigger.h"

namespace tidemill::supervisor {

// However the stream is cut into batches the decisions are the same, and a decider made from what
// another one sealed right after a decision goes on with the decisions of that one. Samples after
// the last decision point of a replay bring about none. After an error, which is one of the source
// of evidence or a policy's that cannot decide, it is to be made again from what was sealed.
// Thread-compatible.
class Decider {
 public:
  // `source` answers policies that need evidence and must outlive this object; without one such a
  // policy is FAILED_PRECONDITION when it decides.
  explicit Decider(std::unique_ptr<TriggerPolicy> policy, EvidenceSource* source = nullptr)
      : policy_(std::move(policy)), source_(source) {}
  // `sealed` is what Seal() gave; empty: at the beginning of the stream. DATA_LOSS for what is no
  // state of this policy.
  static absl::StatusOr<Decider> Create(const TriggerSpec& spec, const std::string& sealed,
                                        EvidenceSource* source = nullptr);
  // The same for a policy at the beginning of the stream.
  absl::Status Restore(const std::string& sealed);
  // Right after a decision at `at` whose state was not sealed: what the policy observed earlier has
  // no part in what it will decide.
  static Decider After(const TriggerSpec& spec, const Cut& at, EvidenceSource* source = nullptr);

  // Takes samples off the front of `ahead` up to the next decision, or all of them when they reach
  // none.
  absl::StatusOr<std::optional<Decision>> Next(Samples& ahead);

  // Learns that no sample before `clock` will follow: the next decision that this allows, one at
  // most that later samples would have brought about.
  absl::StatusOr<std::optional<Decision>> Advance(Timestamp clock);

  // Fires because somebody asked. `at` lies behind every sample taken and the last decision.
  Decision Ask(const Cut& at);

  // What the training took that the last fired decision brought about.
  void Learn(const TrainingCost& cost) { policy_->Learn(cost); }

  // There is no model, whatever has fired.
  void NoModel() { policy_->NoModel(); }

  // How far the policy is from its next decision, for people.
  std::string Standing() const { return policy_->Standing(); }

  // Samples since the last training, and what the last fired decision found new; 0 before one.
  int64_t num_new() const { return num_new_; }
  int64_t num_trained() const { return num_trained_; }

  // All that it needs to go on, as JSON.
  std::string Seal() const;

 private:
  void Take(Samples samples);
  absl::StatusOr<Evidence> Gather(const Cut& at);
  absl::StatusOr<std::optional<Decision>> DecideAt(const Cut& at);
  // Counts from here on.
  void Close(Decision& decision);

  std::unique_ptr<TriggerPolicy> policy_;
  EvidenceSource* source_;   // nullptr: there is none.
  int64_t num_samples_ = 0;  // Since the last decision.
  int64_t num_new_ = 0;
  int64_t num_trained_ = 0;
};

}  // namespace tidemill::supervisor

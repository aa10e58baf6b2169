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
#include <stop_token>
#include <string>
#include <utility>

#include "base/status.h"
#include "supervisor/triggers/trigger.h"
#include "supervisor/triggers/verdict.h"

namespace tidemill::supervisor {

// Drives one policy. The decisions do not depend on how the stream is cut into batches. A decider
// that is restored from a state sealed right after a decision makes the same decisions as the
// original from there on. Samples after the last decision point of a replay lead to no decision.
// An error comes from the source of evidence, or from a policy that cannot decide. After one,
// create a new decider from the last sealed state. Thread-compatible.
class Decider {
 public:
  // `source` serves the policies that need evidence. It must outlive this object. Without a source,
  // such a policy fails with FAILED_PRECONDITION when it has to decide.
  explicit Decider(std::unique_ptr<TriggerPolicy> policy, EvidenceSource* source = nullptr)
      : policy_(std::move(policy)), source_(source) {}
  // `sealed` is the result of Seal(). An empty one means the beginning of the stream. DATA_LOSS
  // when it is not a state of this policy.
  static absl::StatusOr<Decider> Create(const TriggerSpec& spec, const std::string& sealed,
                                        EvidenceSource* source = nullptr);
  // Restores a sealed state as Create() does. The policy must be at the beginning of the stream.
  absl::Status Restore(const std::string& sealed);
  // Returns a decider right after a decision at `at` whose state was not sealed. Observations
  // before `at` do not influence its decisions.
  static Decider After(const TriggerSpec& spec, const Cut& at, EvidenceSource* source = nullptr);

  // Removes samples from the front of `ahead` up to the next decision, and returns the decision.
  // When there is none, it removes all samples.
  absl::StatusOr<std::optional<Decision>> Next(Samples& ahead);

  // Tells the policy that no sample before `clock` will follow. Returns the next decision that this
  // makes possible. At most one decision becomes possible that would otherwise wait for later
  // samples.
  absl::StatusOr<std::optional<Decision>> Advance(Timestamp clock);

  // Fires because a user asked for a training. `at` is after every sample taken and after the last
  // decision.
  Decision Ask(const Cut& at);

  // After a stop is requested, decisions end soon: they are CANCELLED, and do not count.
  void EndAt(std::stop_token stop) { stop_ = std::move(stop); }

  // Tells the policy the cost of the training that the last fired decision started.
  void Learn(const TrainingCost& cost) { policy_->Learn(cost); }

  // Tells the policy that there is no model, whatever has fired before.
  void NoModel() { policy_->NoModel(); }

  // Keeps the processes of plug-ins among those of the run. Call it before the first decision.
  void BelongTo(const std::shared_ptr<plugin::RunHosts>& run) { policy_->BelongTo(run); }

  // Returns how far the policy is from its next decision, as a sentence for people.
  std::string Standing() const { return policy_->Standing(); }

  // num_new() is the number of samples since the last training. num_trained() is the number of new
  // samples at the last fired decision, and 0 before one.
  int64_t num_new() const { return num_new_; }
  int64_t num_trained() const { return num_trained_; }

  // Returns the whole state as JSON.
  std::string Seal() const;
  // For sealed_state.h.
  void Fields(auto&& field) {
    field("samples", num_samples_);
    field("new", num_new_);
    field("trained", num_trained_);
    field("policy", policy_);
  }

 private:
  void Take(Samples samples);
  absl::StatusOr<Evidence> Gather(const Cut& at);
  absl::StatusOr<std::optional<Decision>> DecideAt(const Cut& at);
  // Fills the counts of a decision and starts them again.
  void Close(Decision& decision);

  std::unique_ptr<TriggerPolicy> policy_;
  EvidenceSource* source_;  // nullptr when there is none.
  std::stop_token stop_;
  int64_t num_samples_ = 0;  // Since the last decision.
  int64_t num_new_ = 0;
  int64_t num_trained_ = 0;
};

}  // namespace tidemill::supervisor

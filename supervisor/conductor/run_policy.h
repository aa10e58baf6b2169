// The trigger policy of a conducted run.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/status.h"
#include "plugin/process/run_hosts.h"
#include "supervisor/evidence/evidence_keys.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/steps/run_record.h"
#include "supervisor/triggers/decider.h"

namespace tidemill::supervisor {

// Puts the policy at the position of the run, and records its decisions, so that they count.
// Between these two calls, the caller shows it the stream. Thread-compatible.
class RunPolicy {
 public:
  // `listing` returns the current content of the stream; the policy may read its samples. It is not
  // called before Make(). Decisions end at `stop`. `record` and `downstream` must outlive this
  // object.
  RunPolicy(RunRecord& record, Downstream& downstream, StoredKeys::Listing listing,
            std::stop_token stop);

  // Makes the run's policy right after the last decision that counts. It may read samples, and the
  // answers of the model that is active until the next training. It is valid until the next Make().
  absl::StatusOr<Decider> Make();

  // Completes the event of a trigger with data that the policy does not have.
  using AddToTrigger = std::function<absl::Status(v1::TriggerFired&)>;
  // Records decisions, so that they count. Only the last one may have fired. `state` is the
  // policy's state after the last one. Cuts must ascend, also from one call to the next; otherwise
  // INTERNAL. When `add` fails, its error is returned and nothing counts.
  absl::Status Record(std::vector<Decision> decisions, std::string state,
                      const AddToTrigger& add = nullptr);

 private:
  // Returns an event for each process of a plug-in that died since the last call.
  std::vector<v1::RunEvent> DeathsOfPlugins();
  absl::Status OpenEvidence();
  absl::StatusOr<Decider> Restore();
  TrainingCost CostOf(const v1::Trigger& trigger, int64_t num_trained) const;
  // Returns the event of a decision that fired, and sets its trigger in the batch.
  v1::RunEvent TriggerOf(DecisionBatch& batch) const;

  RunRecord& record_;
  Downstream& downstream_;
  const StoredKeys::Listing listing_;
  const std::stop_token stop_;
  // From one Make() to the next.
  const std::shared_ptr<plugin::RunHosts> hosts_ = std::make_shared<plugin::RunHosts>();
  std::unique_ptr<EvidenceKeys> evidence_keys_;
  std::unique_ptr<EvidenceSource> evidence_;
};

// Returns the part of a dataset that a run's policy is shown, as it is known at a snapshot.
storage::v1::ListSamplesRequest StreamAt(const v1::DatasetSynced& data,
                                         const rpc::v1::Snapshot& snapshot);

}  // namespace tidemill::supervisor

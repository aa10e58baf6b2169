// The trigger policy of a run that is conducted.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "supervisor/conductor/run_record.h"
#include "supervisor/evidence/evidence_keys.h"
#include "supervisor/runs/downstream.h"
#include "supervisor/triggers/decider.h"

namespace tidemill::supervisor {

// Brings the policy to where the run is, and makes its decisions count. Between the two somebody
// shows it the stream. Thread-compatible.
class RunPolicy {
 public:
  // `listing` says what the stream holds now: the policy may look at samples of it. It is called no
  // earlier than Make(). `record` and `downstream` must outlive this object.
  RunPolicy(RunRecord& record, Downstream& downstream, StoredKeys::Listing listing);

  // The run's policy right behind the last decision that counts. It may look at samples and at the
  // model that is active from there to the next training, until the next one is made.
  absl::StatusOr<Decider> Make();

  // Adds to the event of a trigger what the policy does not know.
  using AddToTrigger = std::function<absl::Status(v1::TriggerFired&)>;
  // Makes decisions count, all but the last one unfired. `state` is the policy's behind the last.
  // Cuts must ascend, also from one call to the next: INTERNAL otherwise. Errors of `add` are
  // returned, and nothing counts then.
  absl::Status Record(std::vector<Decision> decisions, std::string state,
                      const AddToTrigger& add = nullptr);

 private:
  absl::Status OpenEvidence();
  // Of a decision that fired: the event that it is. Tells the batch which trigger that is.
  v1::RunEvent TriggerOf(DecisionBatch& batch) const;

  RunRecord& record_;
  Downstream& downstream_;
  const StoredKeys::Listing listing_;
  std::unique_ptr<EvidenceKeys> evidence_keys_;
  std::unique_ptr<EvidenceSource> evidence_;
};

// The part of a dataset, as it is known at a snapshot, that a run's policy is shown.
storage::v1::ListSamplesRequest StreamAt(const v1::DatasetSynced& data,
                                         const rpc::v1::Snapshot& snapshot);

}  // namespace tidemill::supervisor

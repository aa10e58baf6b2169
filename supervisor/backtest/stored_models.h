// The models that a run has trained, for policies that are tried on history.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "supervisor/evidence/stored_evidence.h"
#include "supervisor/pipeline/pipeline_spec.h"
#include "supervisor/runs/run_state.h"
#include "supervisor/runs/runs_table.h"

namespace tidemill::supervisor {

// The models by the cut up to which they were trained. Immutable.
class StoredModels {
 public:
  struct Model {
    Cut at;  // Its trigger.
    int64_t trigger = 0;
    ActiveModel model;
  };

  // FAILED_PRECONDITION when the run has not ended, has no model, starts each training from the
  // previous model (its models then belong to its own history), or has retired some.
  static absl::StatusOr<StoredModels> Of(const RunRow& run, const PipelineSpec& spec,
                                         const RunState& state);

  int64_t run_id() const { return run_id_; }
  // Never empty; the cuts ascend.
  const std::vector<Model>& models() const { return models_; }
  // Returns the newest model whose trigger is at or before `trained_to`; nullptr when there is
  // none.
  const Model* At(const Cut& trained_to) const;

  // Why a run with other triggers may train other models at the same cuts. Empty when a model is a
  // function of its cut.
  const std::vector<std::string>& differences() const { return differences_; }
  // Whether a model also depends on the cut of the run's first trigger, at which ops learned.
  bool depends_on_first() const { return depends_on_first_; }
  // Whether the draws of a training depend on the number of its trigger.
  bool depends_on_number() const { return depends_on_number_; }

 private:
  StoredModels() = default;

  int64_t run_id_ = 0;
  std::vector<Model> models_;
  std::vector<std::string> differences_;
  bool depends_on_first_ = false;
  bool depends_on_number_ = true;
};

}  // namespace tidemill::supervisor

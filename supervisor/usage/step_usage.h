// Measures what the steps of a run use, until an event records it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/usage/account.h"
#include "supervisor/usage/run_usage.h"
#include "tidemill/supervisor/v1/costs.pb.h"

namespace tidemill::supervisor {

// The thread that conducts the run has a usage::Scope of account(): so its time, and what its calls
// return, belongs to the step that is taken. Jobs live longer than calls. Their totals come with
// their answers, and count as far as no event has counted them, whoever asked for them before.
// Thread-compatible.
class StepUsage {
 public:
  const std::shared_ptr<usage::Account>& account() const { return account_; }

  // Begins a step. Usage before this call belongs to the previous step.
  void Begin(std::string stage, int64_t trigger);
  // Takes the last known total of the step's job. `known` has the events so far.
  void NoteJob(const rpc::v1::UsageTotal& total, const RunUsage& known);

  // Whether so much is unrecorded that it is worth an event: what a process that is killed may
  // lose.
  bool IsMuch();
  // Returns what no event has recorded yet.
  std::vector<v1::StageUsage> Unrecorded();
  // Forgets what Unrecorded() has returned last.
  void Recorded();

 private:
  v1::StageUsage& Row();
  void Settle();

  const std::shared_ptr<usage::Account> account_ = std::make_shared<usage::Account>();
  std::string stage_;
  int64_t trigger_ = 0;
  std::vector<v1::StageUsage> rows_;
};

}  // namespace tidemill::supervisor

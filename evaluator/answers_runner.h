// Runs the jobs in which models answer: for policies, and for `tidemill predict`.
#pragma once

#include <stop_token>

#include "base/status.h"
#include "config/types.h"
#include "devices/slots.h"
#include "evaluator/job_runner.h"

namespace tidemill::evaluator {

// On a GPU a job has one of the evaluator's slots while it runs. On processors it needs none: those
// are for evaluations. Copyable; thread-safe.
class AnswersRunner {
 public:
  // Both must outlive the copies of this object.
  AnswersRunner(EvaluationProcesses& processes, devices::Slots& slots,
                const config::DeviceChoice& device)
      : processes_(&processes), slots_(&slots), device_(device) {}

  // Behaves as EvaluationProcesses::Run().
  absl::Status Run(v1::EvaluationJob job, const ReportSink& report,
                   const std::stop_token& stop) const;

 private:
  EvaluationProcesses* processes_;
  devices::Slots* slots_;
  config::DeviceChoice device_;
};

}  // namespace tidemill::evaluator

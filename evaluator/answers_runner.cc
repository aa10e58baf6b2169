#include "evaluator/answers_runner.h"

#include <string>
#include <utility>

namespace tidemill::evaluator {

absl::Status AnswersRunner::Run(v1::EvaluationJob job, const ReportSink& report,
                                const std::stop_token& stop) const {
  if (!slots_->IsForGpu(device_)) return processes_->Run(std::move(job), report, stop);
  std::string name = job.has_columns()
                         ? fmt::format("columns of model {}", job.columns().model_id())
                         : fmt::format("predictions of model {}", job.prediction().model_id());
  ASSIGN_OR_RETURN(const devices::Slots::Lease slot, slots_->Take(device_, std::move(name), stop));
  *job.mutable_device() = slot.device();
  return processes_->Run(std::move(job), report, stop);
}

}  // namespace tidemill::evaluator

#include "trainer_server/processes/job_claims.h"

#include <string_view>

#include "config/config.h"
#include "models/spec/model_spec.h"
#include "models/training/training_spec.h"
#include "tidemill/trainer_server/v1/job.pb.h"
#include "trainer_server/folders/job_folder.h"

namespace tidemill::trainer_server {
namespace {

rpc::v1::JobClaims ClaimsOf(const rpc::v1::Command& command, int64_t trigger, int64_t dataset) {
  rpc::v1::JobClaims claims;
  claims.set_run_id(command.run_id());
  claims.add_triggers(trigger);
  claims.add_dataset_ids(dataset);
  return claims;
}

}  // namespace

absl::StatusOr<rpc::v1::JobClaims> ClaimsOfJob(bool is_fit, const std::string& folder) {
  if (is_fit) {
    ASSIGN_OR_RETURN(const auto job, ReadMessage<v1::FitJob>(folder, kFitFile));
    const v1::FitGraphRequest& fit = job.request();
    return ClaimsOf(fit.command(), fit.trigger(), fit.dataset_id());
  }
  ASSIGN_OR_RETURN(const v1::StartTrainingRequest training, ReadTraining(folder));
  rpc::v1::JobClaims claims =
      ClaimsOf(training.command(), training.trigger(), training.dataset_id());
  if (training.parent_model_id() != 0) claims.add_model_ids(training.parent_model_id());
  ASSIGN_OR_RETURN(const auto model, config::Read<models::ModelSpec>(training.model(), "model"));
  const auto claim = [&claims](const std::string& name) {
    constexpr std::string_view kKept = "sha256:";
    if (name.starts_with(kKept)) claims.add_file_digests(name.substr(kKept.size()));
  };
  if (const auto file = model->File()) claim(file->path);
  ASSIGN_OR_RETURN(const auto spec,
                   config::ReadKept<models::TrainingSpec>(training.training(), "training"));
  if (!spec.start_from) return claims;
  if (spec.start_from->model) claims.add_model_ids(*spec.start_from->model);
  for (const std::string& name : spec.start_from->kept) claim(name);
  return claims;
}

}  // namespace tidemill::trainer_server

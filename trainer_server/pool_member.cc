#include "trainer_server/pool_member.h"

#include <utility>
#include <vector>

#include "base/files.h"
#include "rpc/members/own_name.h"
#include "supervisor_client/job_stages.h"
#include "supervisor_client/member_offer.h"

namespace tidemill::trainer_server {
namespace {

std::vector<supervisor::v1::MemberJob> JobsOf(Trainings& trainings) {
  std::vector<supervisor::v1::MemberJob> jobs;
  for (const Trainings::ActiveJob& active : trainings.Active()) {
    supervisor::v1::MemberJob& job = jobs.emplace_back();
    job.set_stage(active.is_fit ? supervisor::kFitStage : supervisor::kTrainStage);
    job.set_run_id(active.run);
    job.set_number(active.trigger);
  }
  return jobs;
}

}  // namespace

supervisor::v1::MemberOffer OfferOf(const TrainerConfig& config, const devices::Devices& devices) {
  supervisor::v1::MemberOffer offer;
  supervisor::AddSlots(supervisor::kFitStage, config.fit_slots, offer);
  supervisor::AddSlots("cpu", config.cpu_slots, offer);
  supervisor::AddGpus(devices, config.gpu_slots, offer);
  offer.mutable_labels()->insert(config.labels.begin(), config.labels.end());
  return offer;
}

absl::StatusOr<std::unique_ptr<supervisor::Membership>> JoinPool(
    const rpc::ServiceContext& context, const TrainerConfig& config, const std::string& folder,
    const devices::Devices& devices, const std::string& endpoint, Trainings& trainings) {
  if (!context.cluster.endpoints.contains("supervisor")) return nullptr;
  ASSIGN_OR_RETURN(rpc::Peer supervisor, context.PeerOf("supervisor"));
  supervisor::Membership::Options options{
      .kind = supervisor::v1::MEMBER_KIND_TRAINER_SERVER,
      .name = rpc::OwnHost(),
      .endpoint = config.endpoint.empty() ? endpoint : config.endpoint,
      .offer = OfferOf(config, devices),
      .file = files::Join(folder, "member.json")};
  supervisor::Membership::Jobs jobs{
      .list = [&trainings] { return JobsOf(trainings); },
      .end =
          [&trainings](const supervisor::v1::MemberJob& job) {
            trainings.End({.is_fit = job.stage() == supervisor::kFitStage,
                           .run = job.run_id(),
                           .trigger = job.number()});
          },
      .kept_runs = [&trainings] { return trainings.KeptRuns(); },
      .remove = [&trainings](int64_t run) { return trainings.RemoveRun(run); }};
  return std::make_unique<supervisor::Membership>(std::move(supervisor), std::move(options),
                                                  std::move(jobs));
}

}  // namespace tidemill::trainer_server

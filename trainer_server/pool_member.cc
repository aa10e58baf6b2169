#include "trainer_server/pool_member.h"

#include <utility>
#include <vector>

#include "base/files.h"

namespace tidemill::trainer_server {
namespace {

constexpr char kFit[] = "fit";
constexpr char kTrain[] = "train";

void AddSlots(const std::string& device, int count, supervisor::v1::MemberOffer& offer) {
  supervisor::v1::SlotOffer& slot = *offer.add_slots();
  slot.set_device(device);
  slot.set_count(count);
}

std::vector<supervisor::v1::MemberJob> JobsOf(const Trainings& trainings) {
  std::vector<supervisor::v1::MemberJob> jobs;
  for (const Trainings::ActiveJob& active : trainings.Active()) {
    supervisor::v1::MemberJob& job = jobs.emplace_back();
    job.set_stage(active.is_fit ? kFit : kTrain);
    job.set_run_id(active.run);
    job.set_number(active.trigger);
  }
  return jobs;
}

}  // namespace

supervisor::v1::MemberOffer OfferOf(const TrainerConfig& config) {
  supervisor::v1::MemberOffer offer;
  AddSlots(kFit, config.fit_slots, offer);
  AddSlots("cpu", config.cpu_slots, offer);
  offer.mutable_labels()->insert(config.labels.begin(), config.labels.end());
  return offer;
}

absl::StatusOr<std::unique_ptr<supervisor::Membership>> JoinPool(const rpc::ServiceContext& context,
                                                                 const TrainerConfig& config,
                                                                 const std::string& folder,
                                                                 Trainings& trainings) {
  if (!context.cluster.endpoints.contains("supervisor")) return nullptr;
  ASSIGN_OR_RETURN(rpc::Peer supervisor, context.PeerOf("supervisor"));
  supervisor::Membership::Options options{
      .kind = supervisor::v1::MEMBER_KIND_TRAINER_SERVER,
      .name = supervisor::HostName(),
      .endpoint = config.endpoint.empty() ? context.listen : config.endpoint,
      .offer = OfferOf(config),
      .file = files::Join(folder, "member.json")};
  return std::make_unique<supervisor::Membership>(
      std::move(supervisor), std::move(options),
      supervisor::Membership::Jobs{.list = [&trainings] { return JobsOf(trainings); },
                                   .end =
                                       [&trainings](const supervisor::v1::MemberJob& job) {
                                         trainings.End({.is_fit = job.stage() == kFit,
                                                        .run = job.run_id(),
                                                        .trigger = job.number()});
                                       }});
}

}  // namespace tidemill::trainer_server

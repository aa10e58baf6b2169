#include "evaluator/pool_member.h"

#include <utility>
#include <vector>

#include "base/files.h"
#include "rpc/members/own_name.h"
#include "supervisor_client/job_stages.h"
#include "supervisor_client/member_offer.h"

namespace tidemill::evaluator {
namespace {

std::vector<supervisor::v1::MemberJob> JobsOf(const Evaluator& evaluator) {
  std::vector<supervisor::v1::MemberJob> jobs;
  for (const JobKey& key : evaluator.Active()) {
    supervisor::v1::MemberJob& job = jobs.emplace_back();
    job.set_stage(supervisor::kEvaluateStage);
    job.set_run_id(key.run.value);
    job.set_number(key.evaluation);
  }
  return jobs;
}

}  // namespace

absl::StatusOr<std::unique_ptr<supervisor::Membership>> JoinPool(
    const rpc::ServiceContext& context, const EvaluatorConfig& config, const std::string& folder,
    const devices::Devices& devices, const std::string& endpoint, Evaluator& evaluator) {
  if (!context.cluster.endpoints.contains("supervisor")) return nullptr;
  ASSIGN_OR_RETURN(rpc::Peer supervisor, context.PeerOf("supervisor"));
  supervisor::Membership::Options options{
      .kind = supervisor::v1::MEMBER_KIND_EVALUATOR,
      .name = rpc::OwnHost() + "-evaluator",
      .endpoint = config.endpoint.empty() ? endpoint : config.endpoint,
      .offer = {},
      .file = files::Join(folder, "member.json")};
  supervisor::AddSlots("cpu", config.jobs, options.offer);
  supervisor::AddGpus(devices, config.gpu_slots, options.offer);
  return std::make_unique<supervisor::Membership>(
      std::move(supervisor), std::move(options),
      supervisor::Membership::Jobs{.list = [&evaluator] { return JobsOf(evaluator); },
                                   .end =
                                       [&evaluator](const supervisor::v1::MemberJob& job) {
                                         evaluator.EndJob(
                                             {.run = {job.run_id()},
                                              .evaluation = static_cast<int32_t>(job.number())});
                                       }});
}

}  // namespace tidemill::evaluator

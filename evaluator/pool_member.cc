#include "evaluator/pool_member.h"

#include <utility>
#include <vector>

#include "base/files.h"

namespace tidemill::evaluator {
namespace {

constexpr char kEvaluate[] = "evaluate";

std::vector<supervisor::v1::MemberJob> JobsOf(const Evaluator& evaluator) {
  std::vector<supervisor::v1::MemberJob> jobs;
  for (const JobKey& key : evaluator.Active()) {
    supervisor::v1::MemberJob& job = jobs.emplace_back();
    job.set_stage(kEvaluate);
    job.set_run_id(key.run.value);
    job.set_number(key.evaluation);
  }
  return jobs;
}

}  // namespace

absl::StatusOr<std::unique_ptr<supervisor::Membership>> JoinPool(const rpc::ServiceContext& context,
                                                                 const EvaluatorConfig& config,
                                                                 const std::string& folder,
                                                                 const devices::Devices& devices,
                                                                 Evaluator& evaluator) {
  if (!context.cluster.endpoints.contains("supervisor")) return nullptr;
  ASSIGN_OR_RETURN(rpc::Peer supervisor, context.PeerOf("supervisor"));
  supervisor::Membership::Options options{
      .kind = supervisor::v1::MEMBER_KIND_EVALUATOR,
      .name = supervisor::HostName() + "-evaluator",
      .endpoint = config.endpoint.empty() ? context.listen : config.endpoint,
      .offer = {},
      .file = files::Join(folder, "member.json")};
  supervisor::AddSlots("cpu", config.jobs, options.offer);
  for (const devices::Gpu& gpu : devices.gpus()) {
    if (gpu.index >= config.gpu_slots.value_or(gpu.index + 1)) break;
    supervisor::v1::SlotOffer& slot =
        supervisor::AddSlots(fmt::format("cuda:{}", gpu.index), 1, options.offer);
    slot.set_model(gpu.name);
    slot.set_memory_bytes(gpu.memory_bytes);
  }
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

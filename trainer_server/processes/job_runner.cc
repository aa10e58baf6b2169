#include "trainer_server/processes/job_runner.h"

#include <utility>

#include "base/logs/log.h"
#include "base/usage/account.h"
#include "devices/owned_device.h"
#include "trainer_server/processes/job_claims.h"

namespace tidemill::trainer_server {
namespace {

// The number of times that a job that was killed is run, in all.
constexpr int kMaxAttempts = 5;

}  // namespace

absl::Status JobRunner::Run(const std::string& what, const std::string& folder,
                            const std::string& token, const rpc::v1::JobDevice& device,
                            const Progress& progress, const std::stop_token& stop) {
  JobUsage used(folder, what);
  const auto take = [&](v1::WatchTrainingResponse message) {
    used.Report(message.usage().usage());
    *message.mutable_usage() = used.Total();
    progress(message);
  };
  ASSIGN_OR_RETURN(rpc::v1::JobClaims claims, ClaimsOfJob(what == kFit, folder));
  claims.set_holder(token);
  ASSIGN_OR_RETURN(const auto issued, tokens_.Issue(token, std::move(claims)));
  if (what == kTrain) {
    ASSIGN_OR_RETURN(const RankNumbers ranks, ReadRankNumbers(folder));
    if (ranks.most > 1) {
      return RunRanks({.folder = folder, .ranks = ranks, .device = device}, take, used, stop);
    }
  }
  absl::Status status;
  for (int attempt = 1; attempt <= kMaxAttempts; ++attempt) {
    used.Begin(devices::PricedKindOf(device));
    {
      const usage::Scope scope(used.account());
      status = processes_.Run(what, folder, device, take, stop);
    }
    used.End();
    const bool may_continue =
        absl::IsAborted(status) || absl::IsUnavailable(status) || absl::IsUnauthenticated(status);
    if (!may_continue) return status;
    log::Warn("a job was interrupted", {{"job", what},
                                        {"folder", folder},
                                        {"attempt", std::to_string(attempt)},
                                        {"error", std::string(status.message())}});
  }
  return status;
}

absl::Status JobRunner::RunRanks(RankedTrainingOptions options, const Progress& progress,
                                 JobUsage& used, const std::stop_token& stop) {
  options.patience = rank_patience_;
  used.Begin(devices::PricedKindOf(options.device));
  RankedTraining training(std::move(options), [this, &used](const auto&... run) {
    const usage::Scope scope(used.account());
    return processes_.Run(run...);
  });
  absl::Status ended = training.Run(progress, stop);
  used.End();
  return ended;
}

}  // namespace tidemill::trainer_server

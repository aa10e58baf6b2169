#include "trainer_server/fitted_states.h"

#include <utility>

#include "base/digest.h"
#include "base/files.h"
#include "base/logs/log.h"
#include "base/paths/summed_file.h"
#include "model_store/client/model_store_client.h"
#include "models/artefact_spec.h"
#include "trainer_server/folders/job_folder.h"
#include "trainer_server/processes/job_runner.h"
#include "trainer_server/processes/job_usage.h"
#include "transform/fitted_state.h"

namespace tidemill::trainer_server {

absl::StatusOr<std::string> DigestOfFitted(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string fitted, files::ReadSummed(path, kMaxFittedBytes));
  // If its last line is damaged, it does not end where it should.
  const absl::Status decoded = transform::FittedState::Decode(fitted).status();
  if (!decoded.ok()) return DataLoss("{}: {}", path, std::string(decoded.message()));
  return Sha256(fitted);
}

absl::Status FittedStates::Ensure(RunId run, int64_t trigger, const std::string& digest,
                                  const std::string& folder) {
  const auto found = DigestOfFitted(files::Join(folder, kFittedFile));
  if (found.ok() && (digest.empty() || *found == digest)) return absl::OkStatus();
  absl::Status fetched = kept_.FetchFitted(run, trigger, digest, folder);
  if (!absl::IsNotFound(fetched)) return fetched;
  return NotFound("trigger {} has no fitted state, neither here nor in the model store: {}",
                  trigger, std::string(fetched.message()));
}

absl::Status FittedStates::Find(RunId run, int64_t trigger, const std::string& folder) {
  const std::string path = files::Join(folder, kFittedFile);
  absl::Status found = DigestOfFitted(path).status();
  if (found.ok()) return found;
  if (absl::IsDataLoss(found)) {
    log::Warn("a fitted state is damaged; it is fetched, or the graph is fitted again",
              {{"error", std::string(found.message())}});
    RETURN_IF_ERROR(files::Remove(path));
  }
  return kept_.FetchFitted(run, trigger, "", folder);
}

absl::Status FittedStates::Take(ModelId model, const std::string& path) {
  ASSIGN_OR_RETURN(const std::string fitted,
                   model_store_.ReadPart(model, std::string(models::kFittedPart)));
  RETURN_IF_ERROR(Annotate(transform::FittedState::Decode(fitted).status(),
                           fmt::format("the fitted state of model {}", model.value)));
  return files::WriteSummed(path, fitted);
}

absl::StatusOr<v1::FitGraphResponse> FittedAnswer(const std::string& folder) {
  v1::FitGraphResponse response;
  ASSIGN_OR_RETURN(*response.mutable_fitted_digest(),
                   DigestOfFitted(files::Join(folder, kFittedFile)));
  if (auto used = JobUsage::Find(folder, kFit)) *response.mutable_usage() = *std::move(used);
  return response;
}

}  // namespace tidemill::trainer_server

#include "models/artefact_spec.h"

#include "base/files.h"

namespace tidemill::models {

std::string EncodeArtefactSpec(const ArtefactSpec& spec) { return config::Print(spec); }

absl::StatusOr<ArtefactSpec> DecodeArtefactSpec(std::string_view part) {
  return config::ReadKept<ArtefactSpec>(part, kSpecPart);
}

absl::StatusOr<ArtefactSpec> ReadArtefactSpec(const std::string& folder) {
  ASSIGN_OR_RETURN(const std::string part, files::Read(files::Join(folder, kSpecPart)));
  return DecodeArtefactSpec(part);
}

absl::StatusOr<transform::TargetScale> ReadTargetScale(const ArtefactSpec& spec,
                                                       const std::string& folder) {
  if (!transform::StandardizesTarget(spec.graph)) return transform::TargetScale{};
  ASSIGN_OR_RETURN(const std::string bytes, files::Read(files::Join(folder, kFittedPart)));
  ASSIGN_OR_RETURN(const auto fitted, transform::FittedState::Decode(bytes));
  return transform::TargetScaleOf(spec.graph, &fitted);
}

}  // namespace tidemill::models

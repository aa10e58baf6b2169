#include "cli/pipelines/default_pipeline.h"

#include <filesystem>

#include "base/files.h"
#include "base/process/program_folder.h"

namespace tidemill::cli {
namespace {

constexpr char kQuickstart[] = "../lib/tidemill/pipelines/quickstart/pipeline.yaml";

}  // namespace

absl::StatusOr<std::string> DefaultPipelineFile() {
  if (files::Exists(kDefaultPipeline)) return std::string(kDefaultPipeline);
  ASSIGN_OR_RETURN(const std::string programs, process::ProgramFolder());
  const auto quickstart = (std::filesystem::path(programs) / kQuickstart).lexically_normal();
  if (files::Exists(quickstart.string())) return quickstart.string();
  return NotFound(
      "no pipeline is named, there is no {} in this folder, and the quickstart is not installed at "
      "{}; name a pipeline file",
      kDefaultPipeline, quickstart.string());
}

}  // namespace tidemill::cli

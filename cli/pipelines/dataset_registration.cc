#include "cli/pipelines/dataset_registration.h"

#include <map>

#include "cli/pipelines/pipeline_file.h"
#include "config/config.h"
#include "rpc/channel.h"
#include "storage/spec/dataset_path.h"
#include "storage/spec/dataset_spec.h"
#include "supervisor/pipeline/pipeline_files.h"

namespace tidemill::cli {
namespace {

// A file that only declares datasets.
struct DatasetsFile {
  std::map<std::string, storage::DatasetSpec> datasets;
  void Fields(auto&& field) {
    field("datasets", datasets, "Datasets by name.", {.required = true});
  }
};

// Takes a pipeline as well as a file of datasets alone.
absl::StatusOr<std::map<std::string, storage::DatasetSpec>> DatasetsOf(const PipelineFile& file) {
  auto alone = config::Decode<DatasetsFile>({.text = file.text,
                                             .name = file.name,
                                             .variables = file.variables,
                                             .overrides = file.overrides});
  if (alone.problems.empty()) {
    supervisor::DiskFiles files = FilesOf(file);
    for (auto& [name, spec] : alone.value.datasets) {
      supervisor::ReadInto(name, spec, files, alone.problems);
    }
    RETURN_IF_ERROR(alone.problems.ToStatus());
    return alone.value.datasets;
  }
  const auto pipeline = CheckPipelineFile(file);
  if (pipeline.problems.empty()) {
    std::map<std::string, storage::DatasetSpec> defined;
    for (const auto& [name, spec] : pipeline.value.datasets) {
      if (spec) defined.emplace(name, *spec);  // Without a spec it is registered already.
    }
    return defined;
  }
  const bool is_pipeline = file.text.find("\npreprocess:") != std::string::npos;
  return is_pipeline ? pipeline.problems.ToStatus() : alone.problems.ToStatus();
}

}  // namespace

absl::StatusOr<std::vector<storage::v1::RegisterDatasetRequest>> RegistrationsOf(
    const std::string& path, const std::vector<config::Override>& overrides,
    const Session& session) {
  ASSIGN_OR_RETURN(PipelineFile file, ReadPipelineFile(path));
  file.overrides = overrides;
  ASSIGN_OR_RETURN(auto datasets, DatasetsOf(file));
  RETURN_IF_ERROR(session.AllowDataRoots(file.DataRoots()));
  std::vector<storage::v1::RegisterDatasetRequest> requests;
  for (auto& [name, spec] : datasets) {
    spec.path = storage::AbsolutePath(file.folder, spec.path);
    storage::v1::RegisterDatasetRequest& request = requests.emplace_back();
    request.mutable_command()->set_request_id(rpc::NewRequestId());
    request.set_name(name);
    request.set_spec(config::Print(spec));
  }
  return requests;
}

}  // namespace tidemill::cli

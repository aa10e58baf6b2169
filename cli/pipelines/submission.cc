#include "cli/pipelines/submission.h"

#include "cli/pipelines/network_upload.h"
#include "tidemill/supervisor/v1/supervisor.grpc.pb.h"

namespace tidemill::cli {

absl::StatusOr<supervisor::v1::SubmitPipelineResponse> SubmitPipeline(
    const Session& session, const PipelineFile& file, const supervisor::DiskFiles& files,
    int64_t max_triggers) {
  RETURN_IF_ERROR(session.AllowDataRoots(file.DataRoots()));
  if (files.network()) RETURN_IF_ERROR(SendNetwork(session, *files.network()));
  supervisor::v1::SubmitPipelineRequest request;
  request.mutable_command()->set_request_id(rpc::NewRequestId());
  request.set_pipeline(file.text);
  request.set_file_name(file.name);
  request.set_base_folder(file.folder);
  for (const auto& [name, value] : file.variables) (*request.mutable_variables())[name] = value;
  request.set_max_triggers(max_triggers);
  for (const auto& [name, bytes] : files.read()) (*request.mutable_files())[name] = bytes;
  if (files.network()) request.set_network_digest(files.network()->digest);
  supervisor::v1::SubmitPipelineResponse response;
  RETURN_IF_ERROR(session.Call<supervisor::v1::SupervisorService>(
      "supervisor", &supervisor::v1::SupervisorService::Stub::SubmitPipeline, request, &response));
  return response;
}

}  // namespace tidemill::cli

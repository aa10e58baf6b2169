#include "cli/pipelines/submission.h"

#include "cli/pipelines/network_upload.h"
#include "supervisor_client/supervisor_client.h"

namespace tidemill::cli {

absl::StatusOr<supervisor::v1::SubmitPipelineResponse> SubmitPipeline(
    const Session& session, const PipelineFile& file, const supervisor::DiskFiles& files,
    int64_t max_triggers, storage::v1::OnOtherSpec on_other_spec) {
  RETURN_IF_ERROR(session.AllowDataRoots(file.DataRoots()));
  if (files.network()) RETURN_IF_ERROR(SendNetwork(session, *files.network()));
  supervisor::v1::SubmitPipelineRequest request;
  for (const supervisor::DiskFiles::Network& weights : files.weights()) {
    RETURN_IF_ERROR(SendNetwork(session, weights));
    request.add_weights_digests(weights.digest);
  }
  request.mutable_command()->set_request_id(rpc::NewRequestId());
  request.set_pipeline(file.text);
  request.set_file_name(file.name);
  request.set_base_folder(file.folder);
  for (const auto& [name, value] : file.variables) (*request.mutable_variables())[name] = value;
  for (const config::Override& set : file.overrides) {
    supervisor::v1::ValueToSet& added = *request.add_values_to_set();
    added.set_key(set.path);
    added.set_value(set.value);
  }
  request.set_max_triggers(max_triggers);
  request.set_on_other_spec(on_other_spec);
  request.mutable_tags()->Add(file.tags.begin(), file.tags.end());
  request.set_note(file.note);
  request.set_promote(file.promote);
  if (file.in_sweep) *request.mutable_in_sweep() = *file.in_sweep;
  for (const auto& [name, bytes] : files.read()) (*request.mutable_files())[name] = bytes;
  if (files.network()) request.set_network_digest(files.network()->digest);
  return session.Ask(&supervisor::SupervisorClient::SubmitPipeline, request);
}

}  // namespace tidemill::cli

#include "cli/run_directory/run_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/digest.h"
#include "base/files.h"
#include "base/version.h"
#include "cli/results/result_tables.h"
#include "cli/results/run_json.h"
#include "cli/results/run_tables.h"
#include "cli/run_directory/message_json.h"
#include "cli/run_directory/report.h"
#include "cli/run_directory/tensorboard.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;
namespace v1 = supervisor::v1;
using nlohmann::ordered_json;

constexpr char kManifest[] = "manifest.json";
constexpr char kLatest[] = "latest";

// Of text that users wrote, some may be no UTF-8.
std::string Dump(const ordered_json& json, int indent = -1) {
  return json.dump(indent, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string Lines(const auto& messages) {
  std::string lines;
  for (const auto& message : messages) lines += Dump(MessageToJson(message));
  return lines;
}

ordered_json SnapshotsOf(const v1::GetRunResponse& run) {
  ordered_json datasets = ordered_json::array();
  for (const auto& [name, synced] : DatasetsOf(run)) {
    datasets.push_back({{"name", name},
                        {"samples", synced.num_samples()},
                        {"snapshot", MessageToJson(synced.snapshot())},
                        {"spec_sha256", Sha256(synced.spec())},
                        {"spec", synced.spec()}});
  }
  return datasets;
}

ordered_json ModelsOf(const v1::GetRunResponse& run) {
  ordered_json models = ordered_json::array();
  for (const v1::Trigger& trigger : run.triggers()) {
    if (!trigger.skip_reason().empty()) continue;
    models.push_back({{"trigger", trigger.number()},
                      {"model", trigger.model_id()},
                      {"training_set_digest", trigger.training_set_digest()},
                      {"weights_digest", trigger.weights_digest()}});
  }
  return models;
}

ordered_json SeedOf(const std::string& resolved) {
  const auto spec = config::ReadKept<supervisor::PipelineSpec>(resolved, "pipeline");
  return spec.ok() ? ordered_json(spec->training.seed) : ordered_json(nullptr);
}

std::string Manifest(const v1::GetRunResponse& run,
                     const std::map<std::string, std::string>& files) {
  std::set<std::string> devices;
  for (const v1::Trigger& trigger : run.triggers()) {
    if (!trigger.result().device().empty()) devices.insert(trigger.result().device());
  }
  ordered_json manifest = {{"format", "tidemill run directory 1"}, {"tidemill", kVersion}};
  manifest.update(RunToJson(run.run()));
  manifest["seed"] = SeedOf(run.pipeline_resolved());
  manifest["devices"] = devices;
  manifest["datasets"] = SnapshotsOf(run);
  manifest["models"] = ModelsOf(run);
  manifest["files"] = ordered_json::object();
  for (const auto& [path, bytes] : files) {
    manifest["files"][path] = {{"bytes", bytes.size()}, {"sha256", Sha256(bytes)}};
  }
  return Dump(manifest, 1);
}

void AddTriggers(const v1::GetRunResponse& run, std::map<std::string, std::string>& files) {
  for (const v1::Trigger& trigger : run.triggers()) {
    const std::string folder = fmt::format("triggers/{:04}/", trigger.number());
    for (const v1::Decision& decision : run.decisions()) {
      if (decision.trigger() != trigger.number()) continue;
      files[folder + "decision.json"] = Dump(MessageToJson(decision), 1);
    }
    files[folder + "selection.json"] = Dump({{"trigger", trigger.number()},
                                             {"at", MessageToJson(trigger.at())},
                                             {"samples", trigger.num_samples()},
                                             {"candidates", trigger.num_candidates()},
                                             {"late", trigger.num_late()},
                                             {"late_policy", trigger.late()},
                                             {"digest", trigger.training_set_digest()},
                                             {"skip_reason", trigger.skip_reason()}},
                                            1);
  }
}

bool IsRunDirectory(const std::string& folder) {
  std::error_code error;
  return !fs::exists(folder, error) || fs::is_empty(folder, error) ||
         files::Exists(files::Join(folder, kManifest));
}

// Puts `fresh` in the place of `folder`, which is then called `fresh`, or does not exist.
absl::Status Exchange(const std::string& fresh, const std::string& folder) {
  if (!files::Exists(folder)) {
    if (rename(fresh.c_str(), folder.c_str()) == 0) return absl::OkStatus();
  } else if (renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0) {
    return absl::OkStatus();
  } else if (errno == EINVAL || errno == ENOSYS) {  // Not every file system can exchange.
    RETURN_IF_ERROR(files::Remove(folder));
    if (rename(fresh.c_str(), folder.c_str()) == 0) return absl::OkStatus();
  }
  return Internal("{} cannot be renamed to {}: {}", fresh, folder, std::strerror(errno));
}

absl::Status PointLatestAt(const std::string& parent, const std::string& name) {
  const std::string fresh = files::Join(parent, fmt::format(".latest-{}", getpid()));
  RETURN_IF_ERROR(files::Remove(fresh));
  std::error_code error;
  fs::create_symlink(name, fresh, error);
  if (!error) fs::rename(fresh, files::Join(parent, kLatest), error);
  if (error) return Internal("cannot make the link {} in {}: {}", kLatest, parent, error.message());
  return absl::OkStatus();
}

}  // namespace

std::map<std::string, std::string> RunFiles(const RunRecord& record) {
  const v1::GetRunResponse& run = record.run;
  std::map<std::string, std::string> files = {{"config.yaml", run.pipeline_text()},
                                              {"resolved.yaml", run.pipeline_resolved()},
                                              {"events.jsonl", Lines(run.events())},
                                              {"decisions.jsonl", Lines(run.decisions())},
                                              {"metrics.csv", MetricsCsv(run)},
                                              {"triggers.csv", TriggersCsv(run)},
                                              {"eval/matrix.csv", MatrixCsv(run)},
                                              {"eval/matrix.json", MatrixJson(ResultTables(run))},
                                              {"tb/" + EventFileName(run), TensorBoardEvents(run)},
                                              {"report.html", ReportPage(record)}};
  AddTriggers(run, files);
  files[kManifest] = Manifest(run, files);
  return files;
}

absl::Status PublishFolder(const std::string& folder,
                           const std::map<std::string, std::string>& files) {
  if (!IsRunDirectory(folder)) {
    return FailedPrecondition("{} holds something else; name a folder that is new or empty",
                              folder);
  }
  const fs::path place = fs::absolute(folder).lexically_normal();
  const fs::path target = place.has_filename() ? place : place.parent_path();
  const std::string parent = target.parent_path();
  RETURN_IF_ERROR(files::CreateFolder(parent));
  const std::string fresh =
      files::Join(parent, fmt::format(".{}-{}", target.filename().string(), getpid()));
  RETURN_IF_ERROR(files::Remove(fresh));
  absl::Status written;
  for (const auto& [path, bytes] : files) {
    const std::string file = files::Join(fresh, path);
    written = files::CreateFolder(fs::path(file).parent_path());
    if (written.ok()) written = files::WriteAtomically(file, bytes);
    if (!written.ok()) break;
  }
  if (written.ok()) written = Exchange(fresh, target);
  const absl::Status removed = files::Remove(fresh);  // What was there before, or what failed.
  return written.ok() ? removed : written;
}

absl::StatusOr<std::string> PullRun(const Session& session, int64_t run,
                                    const std::string& folder) {
  ASSIGN_OR_RETURN(const RunRecord record, FetchRecord(session, run));
  const auto files = RunFiles(record);
  if (!folder.empty()) {
    RETURN_IF_ERROR(PublishFolder(folder, files));
    return folder;
  }
  // A remote stack's run is put where the command runs.
  const std::string state = session.remote() ? "." : session.layout().state_folder;
  const std::string parent =
      files::Join(files::Join(state, "runs"), record.run.run().pipeline_name());
  const std::string name = std::to_string(run);
  RETURN_IF_ERROR(PublishFolder(files::Join(parent, name), files));
  RETURN_IF_ERROR(PointLatestAt(parent, name));
  return files::Join(parent, name);
}

}  // namespace tidemill::cli

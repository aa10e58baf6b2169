#include "cli/run_directory/run_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/digest.h"
#include "base/files.h"
#include "base/version.h"
#include "cli/results/result_tables.h"
#include "cli/results/run_costs.h"
#include "cli/results/run_json.h"
#include "cli/run_directory/message_json.h"
#include "cli/run_directory/report.h"
#include "cli/run_directory/run_tables.h"
#include "cli/run_directory/tensorboard.h"
#include "supervisor/pipeline/pipeline_spec.h"

namespace tidemill::cli {
namespace {

namespace fs = std::filesystem;
namespace v1 = supervisor::v1;
using nlohmann::ordered_json;

constexpr char kManifest[] = "manifest.json";
constexpr char kLatest[] = "latest";
constexpr char kFormat[] = "tidemill run directory 1";

// Text that users wrote may contain bytes that are not UTF-8.
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
  ordered_json manifest = {{"format", kFormat}, {"tidemill", kVersion}};
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

// The files that the manifest in a folder names, and the manifest. std::nullopt when it is not the
// manifest of a run.
std::optional<std::set<std::string>> FilesOfARun(const std::string& folder) {
  const auto text = files::Read(files::Join(folder, kManifest));
  if (!text.ok()) return std::nullopt;
  const auto manifest = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!manifest.is_object() || manifest.value("format", nlohmann::json()) != kFormat ||
      !manifest.contains("files") || !manifest["files"].is_object()) {
    return std::nullopt;
  }
  std::set<std::string> names = {kManifest};
  for (const auto& [name, file] : manifest["files"].items()) names.insert(name);
  return names;
}

bool IsFree(const std::string& folder) {
  std::error_code error;
  return !fs::exists(folder, error) || fs::is_empty(folder, error);
}

// Moves the files that a user has put into a folder of a run, beside the files that the run has
// written.
absl::Status KeepOthers(const std::string& from, const std::set<std::string>& of_the_run,
                        const std::string& to) {
  std::vector<fs::path> others;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(from, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path name = entry->path().lexically_relative(from);
    const bool is_folder = entry->symlink_status().type() == fs::file_type::directory;
    if (!is_folder && !of_the_run.contains(name)) others.push_back(name);
  }
  for (const fs::path& name : others) {
    const fs::path target = to / name;
    RETURN_IF_ERROR(files::CreateFolder(target.parent_path()));
    if (!fs::exists(target, error)) fs::rename(from / name, target, error);
    if (error) break;
  }
  return error ? Internal("files of {} cannot be kept: {}", to, error.message()) : absl::OkStatus();
}

// Puts `fresh` in the place of `folder`, which is then called `fresh`, or does not exist.
absl::Status Exchange(const std::string& fresh, const std::string& folder) {
  if (!files::Exists(folder)) {
    if (rename(fresh.c_str(), folder.c_str()) == 0) return absl::OkStatus();
  } else if (renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) == 0) {
    return absl::OkStatus();
  } else if (errno == EINVAL || errno == ENOSYS) {  // Not every file system can exchange.
    const std::string aside = fresh + ".before";
    if (rename(folder.c_str(), aside.c_str()) == 0 && rename(fresh.c_str(), folder.c_str()) == 0 &&
        rename(aside.c_str(), fresh.c_str()) == 0) {
      return absl::OkStatus();
    }
  }
  return Internal("{} cannot be renamed to {}: {}", fresh, folder, std::strerror(errno));
}

absl::Status PointLatestAt(const std::string& parent, const std::string& name) {
  const std::string link = files::Join(parent, kLatest);
  std::error_code unknown;
  if (fs::exists(fs::symlink_status(link, unknown)) && !fs::is_symlink(link, unknown)) {
    return FailedPrecondition("{} is not the expected link; remove or rename it", link);
  }
  const std::string fresh = files::Join(parent, fmt::format(".latest-{}", getpid()));
  RETURN_IF_ERROR(files::Remove(fresh));
  std::error_code error;
  fs::create_symlink(name, fresh, error);
  if (!error) fs::rename(fresh, link, error);
  if (error) return Internal("cannot make the link {} in {}: {}", kLatest, parent, error.message());
  return absl::OkStatus();
}

}  // namespace

std::map<std::string, std::string> RunFiles(const RunRecord& record) {
  const v1::GetRunResponse& run = record.run;
  std::map<std::string, std::string> files = {
      {"config.yaml", run.pipeline_text()},
      {"resolved.yaml", run.pipeline_resolved()},
      {"events.jsonl", Lines(run.events())},
      {"decisions.jsonl", Lines(run.decisions())},
      {"metrics.csv", MetricsCsv(run)},
      {"triggers.csv", TriggersCsv(run)},
      {"costs.json", CostsToJson(run.run().costs()).dump(1) + "\n"},
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
  const auto before = FilesOfARun(folder);
  if (!before && !IsFree(folder)) {
    return FailedPrecondition("{} contains other files; name a new or empty folder", folder);
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
  if (written.ok() && before) RETURN_IF_ERROR(KeepOthers(fresh, *before, target));
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

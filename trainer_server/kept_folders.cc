#include "trainer_server/kept_folders.h"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "google/protobuf/util/message_differencer.h"

#include "base/descriptor.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/logs/log.h"
#include "base/paths/regular_file.h"
#include "base/paths/summed_file.h"
#include "model_store/client/model_store_client.h"
#include "models/artefact_spec.h"
#include "trainer_server/checkpoints.h"
#include "trainer_server/folders/job_folder.h"
#include "transform/fitted_state.h"

namespace tidemill::trainer_server {
namespace {

namespace fs = std::filesystem;
using model_store::v1::JobFile;
using model_store::v1::KeepJobRequest;

// The position of a training that is done: no checkpoint is later.
constexpr int64_t kDone = std::numeric_limits<int64_t>::max();

absl::Status NoPace(size_t) { return absl::OkStatus(); }

KeepJobRequest RequestOf(const Claim& claim, model_store::v1::JobKind kind, int64_t position) {
  KeepJobRequest request;
  *request.mutable_command() = claim.command;
  request.set_trigger(claim.trigger);
  request.set_kind(kind);
  request.set_attempt(claim.attempt);
  request.set_position(position);
  return request;
}

// Opens a file of a trigger's folder, "name" or "folder/name". The job may have put a link in the
// place of either.
absl::StatusOr<Descriptor> OpenIn(const std::string& folder, const std::string& name) {
  const size_t slash = name.find('/');
  if (slash == std::string::npos) {
    return files::OpenRegular(AT_FDCWD, files::Join(folder, name));
  }
  const std::string below = files::Join(folder, name.substr(0, slash));
  const Descriptor opened(open(below.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened.is_open()) return NotFound("there is no folder {}", below);
  return files::OpenRegular(opened.number(), name.substr(slash + 1));
}

// The files of the downsampling, "downsampling/<name>", in their order.
std::vector<std::string> ListDownsampling(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(files::Join(folder, kDownsamplingFolder), none)) {
    const std::string name = entry.path().filename().string();
    // Those that are being written begin with a dot.
    if (!name.starts_with('.')) names.push_back(files::Join(kDownsamplingFolder, name));
  }
  std::ranges::sort(names);
  return names;
}

const JobFile* Find(const KeepJobRequest& request, const std::string& name) {
  for (const JobFile& file : request.files()) {
    if (file.name() == name) return &file;
  }
  return nullptr;
}

bool HasNames(const KeepJobRequest& request, const std::vector<std::string>& names) {
  return request.files_size() == std::ssize(names) &&
         std::ranges::all_of(
             names, [&](const std::string& name) { return Find(request, name) != nullptr; });
}

struct OpenedFile {
  std::string name;
  Descriptor file;
};

// Opens the files of a checkpoint. CANCELLED when the job has removed one of them meanwhile: those
// that are open all belong to a checkpoint that is there after the last was opened.
absl::StatusOr<std::vector<OpenedFile>> OpenAll(const std::string& folder,
                                                const std::vector<std::string>& names) {
  std::vector<OpenedFile> opened;
  for (const std::string& name : names) {
    auto file = OpenIn(folder, name);
    if (absl::IsNotFound(file.status())) return Cancelled("{} is not there any more", name);
    RETURN_IF_ERROR(file.status());
    opened.push_back({name, *std::move(file)});
  }
  for (const std::string& name : names) {
    if (!files::Exists(files::Join(folder, name))) {
      return Cancelled("{} is not there any more", name);
    }
  }
  return opened;
}

// The files that a training has left when it is done. Versions before 0.8 wrote others.
std::vector<std::string> NamesOfResult(const std::string& folder) {
  std::vector<std::string> names;
  for (const std::string_view part :
       {models::kWeightsPart, models::kFittedPart, models::kSpecPart}) {
    names.push_back(files::Join(kArtefactFolder, part));
  }
  for (const std::string_view name : {kPartsFile, kFoundThreadsFile, kJobFile, kResultFile}) {
    if (files::Exists(files::Join(folder, name))) names.emplace_back(name);
  }
  return names;
}

absl::Status Name(model_store::ModelStoreClient& store, const KeepJobRequest& request) {
  const auto is_latest = store.KeepJob(request);
  // A file was removed before it was named; it is sent again.
  if (absl::IsNotFound(is_latest.status())) {
    return Unavailable("{}", std::string(is_latest.status().message()));
  }
  return is_latest.status();
}

// Whether a file of the folder holds what is kept.
bool Holds(const std::string& folder, const JobFile& file) {
  const auto digest = Sha256OfFile(files::Join(folder, file.name()));
  return digest.ok() && *digest == file.digest();
}

// Files without which others mean nothing come last: a folder with a result has a model, and one
// with a checkpoint has what that depends on.
int RankOf(const JobFile& file) {
  if (file.name() == kResultFile) return 2;
  return file.name().starts_with(kCheckpointFolder) ? 1 : 0;
}

absl::Status Fetch(model_store::ModelStoreClient& store, RunId run, std::vector<JobFile> kept,
                   const std::string& folder) {
  std::ranges::stable_sort(kept, {}, RankOf);
  for (const JobFile& file : kept) {
    if (Holds(folder, file)) continue;
    ASSIGN_OR_RETURN(const std::string bytes, store.ReadRunFile(run, file.digest()));
    const std::string path = files::Join(folder, file.name());
    RETURN_IF_ERROR(files::CreateFolder(fs::path(path).parent_path().string()));
    RETURN_IF_ERROR(files::WriteAtomically(path, bytes));
  }
  return absl::OkStatus();
}

const JobFile* Find(const model_store::v1::GetKeptJobResponse& kept, std::string_view name) {
  for (const JobFile& file : kept.files()) {
    if (file.name() == name) return &file;
  }
  return nullptr;
}

}  // namespace

bool IsSameTraining(v1::StartTrainingRequest one, v1::StartTrainingRequest other) {
  for (v1::StartTrainingRequest* const request : {&one, &other}) {
    request->clear_command();
    request->clear_attempt();
    request->clear_fitted_digest();
    request->clear_slot();  // A checkpoint continues on any device.
    // Requests of a newer supervisor beyond this version are not in the job file.
    request->DiscardUnknownFields();
  }
  return google::protobuf::util::MessageDifferencer::Equals(one, other);
}

// The bytes are kept without the sum in the last line, as they are in the model: stored once.
absl::Status KeptFolders::KeepFitted(const Claim& claim, const std::string& folder) {
  ASSIGN_OR_RETURN(const std::string fitted,
                   files::ReadSummed(files::Join(folder, kFittedFile), kMaxFittedBytes));
  KeepJobRequest request = RequestOf(claim, model_store::v1::JOB_KIND_FIT, /*position=*/0);
  model_store::v1::PutFileRequest::Header header;
  *header.mutable_command() = claim.command;
  header.set_of_run(true);
  header.set_digest(Sha256(fitted));
  header.set_size_bytes(std::ssize(fitted));
  size_t sent = 0;
  RETURN_IF_ERROR(model_store_.PutFile(header, [&]() -> absl::StatusOr<std::optional<std::string>> {
    if (sent == fitted.size()) return std::nullopt;
    std::string piece = fitted.substr(sent, size_t{1} << 20);
    sent += piece.size();
    return std::optional(std::move(piece));
  }));
  JobFile& file = *request.add_files();
  file.set_name(std::string(kFittedFile));
  file.set_digest(header.digest());
  file.set_size_bytes(header.size_bytes());
  const std::string warnings(kFitWarningsFile);
  if (const auto opened = OpenIn(folder, warnings); opened.ok()) {
    ASSIGN_OR_RETURN(*request.add_files(),
                     model_store_.PutRunFile(claim.command, warnings, *opened, NoPace));
  }
  return Name(model_store_, request);
}

absl::Status KeptFolders::FetchFitted(RunId run, int64_t trigger, const std::string& digest,
                                      const std::string& folder) {
  ASSIGN_OR_RETURN(const auto kept,
                   model_store_.GetKeptJob(run, trigger, model_store::v1::JOB_KIND_FIT));
  const JobFile* const fitted = Find(kept, kFittedFile);
  if (fitted == nullptr || (!digest.empty() && fitted->digest() != digest)) {
    return NotFound("what the graph of trigger {} has learned is not kept with the SHA-256 {}",
                    trigger, digest);
  }
  RETURN_IF_ERROR(files::CreateFolder(folder));
  if (const JobFile* const warnings = Find(kept, kFitWarningsFile); warnings != nullptr) {
    RETURN_IF_ERROR(Fetch(model_store_, run, {*warnings}, folder));
  }
  ASSIGN_OR_RETURN(const std::string bytes, model_store_.ReadRunFile(run, fitted->digest()));
  RETURN_IF_ERROR(transform::FittedState::Decode(bytes).status());
  return files::WriteSummed(files::Join(folder, kFittedFile), bytes);
}

absl::StatusOr<KeepJobRequest> KeptFolders::KeepCheckpoint(const Claim& claim,
                                                           const std::string& folder,
                                                           const KeepJobRequest& last,
                                                           const Pace& pace) {
  const auto latest = Checkpoints(files::Join(folder, kCheckpointFolder)).FindLatest();
  std::vector<std::string> names = ListDownsampling(folder);
  if (latest) names.push_back(files::Join(kCheckpointFolder, latest->name));
  if (names.empty()) return last;
  names.emplace_back(kJobFile);
  if (HasNames(last, names)) return last;
  ASSIGN_OR_RETURN(const std::vector<OpenedFile> opened, OpenAll(folder, names));
  KeepJobRequest request =
      RequestOf(claim, model_store::v1::JOB_KIND_TRAINING, latest ? latest->batches : 0);
  for (const OpenedFile& file : opened) {
    if (const JobFile* const known = Find(last, file.name); known != nullptr) {
      *request.add_files() = *known;
      continue;
    }
    ASSIGN_OR_RETURN(*request.add_files(),
                     model_store_.PutRunFile(claim.command, file.name, file.file, pace));
  }
  RETURN_IF_ERROR(Name(model_store_, request));
  return request;
}

absl::Status KeptFolders::KeepResult(const Claim& claim, const std::string& folder) {
  const std::vector<std::string> names = NamesOfResult(folder);
  KeepJobRequest request = RequestOf(claim, model_store::v1::JOB_KIND_TRAINING, kDone);
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const Descriptor file, OpenIn(folder, name));
    ASSIGN_OR_RETURN(*request.add_files(),
                     model_store_.PutRunFile(claim.command, name, file, NoPace));
  }
  return Name(model_store_, request);
}

absl::StatusOr<bool> KeptFolders::HasKeptResult(RunId run, int64_t trigger,
                                                const std::string& folder) {
  ASSIGN_OR_RETURN(const auto kept,
                   model_store_.GetKeptJob(run, trigger, model_store::v1::JOB_KIND_TRAINING));
  const JobFile* const result = Find(kept, kResultFile);
  return result != nullptr && Holds(folder, *result);
}

absl::Status KeptFolders::FetchTraining(RunId run, int64_t trigger, const std::string& folder) {
  ASSIGN_OR_RETURN(const auto found,
                   model_store_.GetKeptJob(run, trigger, model_store::v1::JOB_KIND_TRAINING));
  const JobFile* const job_file = Find(found, kJobFile);
  if (job_file == nullptr) return absl::OkStatus();
  const auto mine = ReadTraining(folder);
  if (mine.ok()) {
    ASSIGN_OR_RETURN(std::string kept, model_store_.ReadRunFile(run, job_file->digest()));
    v1::TrainingJob job;
    RETURN_IF_ERROR(ParseMessage(std::move(kept), "the kept job.json", job));
    if (!IsSameTraining(job.request(), *mine)) return absl::OkStatus();
  }
  const auto latest = Checkpoints(files::Join(folder, kCheckpointFolder)).FindLatest();
  if (latest && latest->batches >= found.position()) return absl::OkStatus();
  if (found.position() != kDone && ReadResult(folder).ok()) return absl::OkStatus();
  std::vector<JobFile> files;
  for (const JobFile& file : found.files()) {
    // The file of the folder has the endpoints of this server.
    if (file.name() != kJobFile || !mine.ok()) files.push_back(file);
  }
  log::Info(
      "a training continues that another server has begun, or this one before its folder was "
      "lost",
      {{"run", std::to_string(run.value)},
       {"trigger", std::to_string(trigger)},
       {"position", std::to_string(found.position())}});
  return Fetch(model_store_, run, std::move(files), folder);
}

}  // namespace tidemill::trainer_server

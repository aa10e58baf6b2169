// The files in the folder of a trigger, `<state>/trainer_server/runs/<run>/<trigger>/`. They are
// the contract between the server and the process of a job. The server writes fit.json, job.json,
// stored.json, and the result of a job that wrote none. The process writes the rest.
//
//   lock                  held by the one process that works on the folder
//   fit.json              FitJob
//   fit_warnings.json     FitWarnings, where there are some
//   fitted.batch          what the graph learned; exists once the fit is done
//   job.json              TrainingJob
//   checkpoints/          see checkpoints.h
//   ranks/                what the ranks of a training leave for one another (job/rank_states.h),
//   and
//                         where they meet; exists during the training
//   downsampling/         the samples of epochs, losses of auxiliary models; exists during the
//                         training
//   artefact/             the parts of the model, see models/artefact_spec.h
//   parts.json            the digests of the artefact's parts
//   found_threads.json    FoundThreads, where their number was tuned
//   result.json           the last message of WatchTraining; exists once the training has ended
//   stored.json           StoreModelResponse; exists once the model store has the artefact
//   fit_usage.json, train_usage.json
//                         UsageTotal, see job_usage.h; the server writes them
//
// The .json files are protobuf messages in protobuf's JSON, with the names of the protos. They and
// fitted.batch end with their SHA-256 (base/paths/summed_file.h), as does parts.json, which has
// that of each part of the artefact. Versions before 0.8 wrote YAML instead (old_folder.h); the
// functions below read that, too.
//
// `<state>/trainer_server/machine/machine.json` is a TrainingMachine. Each server that needs it
// writes it again.
//
// `<state>/trainer_server/known_threads.json` is described in known_threads.h.
//
// What another server needs of a folder to continue its jobs is kept in the model store
// (kept_folders.h): a folder that is lost costs time only.
//
// Beside the folders of a run's triggers is `networks/`. It holds the files of networks that the
// pipeline names, by their digests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "tidemill/model_store/v1/model_store.pb.h"
#include "tidemill/trainer_server/v1/job.pb.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"

namespace tidemill::trainer_server {

inline constexpr std::string_view kLockFile = "lock";
inline constexpr std::string_view kFitFile = "fit.json";
inline constexpr std::string_view kFitWarningsFile = "fit_warnings.json";
inline constexpr std::string_view kFittedFile = "fitted.batch";
inline constexpr std::string_view kJobFile = "job.json";
inline constexpr std::string_view kCheckpointFolder = "checkpoints";
inline constexpr std::string_view kRanksFolder = "ranks";
inline constexpr std::string_view kDownsamplingFolder = "downsampling";
inline constexpr std::string_view kAuxiliaryFile = "irreducible_losses";
inline constexpr std::string_view kArtefactFolder = "artefact";
inline constexpr std::string_view kPartsFile = "parts.json";
inline constexpr std::string_view kNetworksFolder = "networks";
inline constexpr std::string_view kFoundThreadsFile = "found_threads.json";
inline constexpr std::string_view kResultFile = "result.json";
inline constexpr std::string_view kStoredFile = "stored.json";
inline constexpr std::string_view kMachineFolder = "machine";
inline constexpr std::string_view kMachineFile = "machine.json";

// A message, or a fitted graph, that is larger is not read.
inline constexpr size_t kMaxJobFileBytes = size_t{64} << 20;
inline constexpr size_t kMaxFittedBytes = size_t{1} << 31;

// Reads one of the messages of a folder. The process of a job runs what a user has written, so the
// file is read with base/paths/regular_file.h. NOT_FOUND when there is no file. DATA_LOSS when it
// is not such a message, or when it is damaged. FAILED_PRECONDITION when it is a link, a pipe or a
// device. RESOURCE_EXHAUSTED beyond kMaxJobFileBytes.
absl::Status ReadMessage(const std::string& folder, std::string_view name,
                         google::protobuf::Message& message);

template <typename T>
absl::StatusOr<T> ReadMessage(const std::string& folder, std::string_view name) {
  T message;
  RETURN_IF_ERROR(ReadMessage(folder, name, message));
  return message;
}

// Parses the content of such a file. `path` is for messages. DATA_LOSS as above.
absl::Status ParseMessage(std::string bytes, const std::string& path,
                          google::protobuf::Message& message);

// Writes one of the messages atomically.
absl::Status WriteMessage(const std::string& folder, std::string_view name,
                          const google::protobuf::Message& message);

// Writes the parts of an artefact, by their names, and then the digest of each.
absl::Status WriteArtefact(const std::string& folder,
                           const std::vector<std::pair<std::string_view, std::string>>& parts);
// Adds the digests in parts.json to a model's parts, so that the model store refuses parts that
// have changed since. Versions before 0.8 wrote none.
absl::Status AddDigests(const std::string& folder, model_store::v1::Model& model);

// These read how a training ended, the description of its job, and the stored model. NOT_FOUND when
// the file does not exist yet. DATA_LOSS when the file cannot be read.
absl::StatusOr<v1::WatchTrainingResponse> ReadResult(const std::string& folder);
absl::StatusOr<v1::StartTrainingRequest> ReadTraining(const std::string& folder);
absl::StatusOr<v1::StoreModelResponse> ReadStored(const std::string& folder);

// Returns the numbers from 1 to below `end` that folders in this one have as names, the greatest
// first: triggers in the folder of a run, or runs. The cost depends on the number of folders, not
// on `end`. Empty when there is no such folder.
absl::StatusOr<std::vector<int64_t>> NumbersBefore(const std::string& folder, int64_t end);

// Removes the folders of the triggers before `first_kept`. The fitted state that the newest
// training uses stays. While it is unknown which one that is, all fitted states stay. Idempotent.
absl::Status RetireFolders(const std::string& run_folder, int64_t first_kept);

// Deletes the result of an earlier attempt, because the training starts or continues.
absl::Status ForgetResult(const std::string& folder);

}  // namespace tidemill::trainer_server

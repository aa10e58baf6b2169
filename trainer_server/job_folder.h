// What lies in the folder of a trigger, `<state>/trainer_server/runs/<run>/<trigger>/`: the
// contract between the server, which writes fit.json, job.json, stored.json and the result of a job
// that gave none, and the job's process, which writes the rest.
//
//   lock                  held by the one process that works on the folder
//   fit.json              FitJob
//   fitted.batch          what the graph learned; there once the fit is done
//   job.json              TrainingJob
//   checkpoints/          see checkpoints.h
//   downsampling/         what epochs are trained on, losses of auxiliary models; while it lasts
//   artefact/             the parts of the model, see models/artefact_spec.h
//   result.json           the last message of WatchTraining; there once the training has ended
//   stored.json           StoreModelResponse; there once the model store has the artefact
//
// The .json files are protobuf messages as protobuf's JSON, with the names of the protos. Versions
// before 0.8 wrote YAML instead (old_folder.h); the functions below read that, too.
//
// Beside the folders of a run's triggers lies `networks/`, with the files of networks that its
// pipeline names, by their digests.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "tidemill/trainer_server/v1/job.pb.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"

namespace tidemill::trainer_server {

inline constexpr std::string_view kLockFile = "lock";
inline constexpr std::string_view kFitFile = "fit.json";
inline constexpr std::string_view kFittedFile = "fitted.batch";
inline constexpr std::string_view kJobFile = "job.json";
inline constexpr std::string_view kCheckpointFolder = "checkpoints";
inline constexpr std::string_view kDownsamplingFolder = "downsampling";
inline constexpr std::string_view kAuxiliaryFile = "irreducible_losses";
inline constexpr std::string_view kArtefactFolder = "artefact";
inline constexpr std::string_view kNetworksFolder = "networks";
inline constexpr std::string_view kResultFile = "result.json";
inline constexpr std::string_view kStoredFile = "stored.json";

// Reads one of the messages of a folder. NOT_FOUND; DATA_LOSS for a file that is no such message.
absl::Status ReadMessage(const std::string& folder, std::string_view name,
                         google::protobuf::Message& message);

template <typename T>
absl::StatusOr<T> ReadMessage(const std::string& folder, std::string_view name) {
  T message;
  RETURN_IF_ERROR(ReadMessage(folder, name, message));
  return message;
}

// Writes one atomically.
absl::Status WriteMessage(const std::string& folder, std::string_view name,
                          const google::protobuf::Message& message);

// How a training ended, what its job is, and as what its model is stored: NOT_FOUND where the
// folder does not say so yet, DATA_LOSS where it cannot be read.
absl::StatusOr<v1::WatchTrainingResponse> ReadResult(const std::string& folder);
absl::StatusOr<v1::StartTrainingRequest> ReadTraining(const std::string& folder);
absl::StatusOr<v1::StoreModelResponse> ReadStored(const std::string& folder);

// Whether the model store has the model.
bool IsStored(const std::string& folder);

// The training is to begin, or to go on: how an earlier attempt ended is forgotten.
absl::Status ForgetResult(const std::string& folder);

}  // namespace tidemill::trainer_server

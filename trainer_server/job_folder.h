// What lies in the folder of a trigger, `<state>/trainer_server/runs/<run>/<trigger>/`: the
// contract between the server, which writes job.yaml, and the job's process, which writes the rest.
//
//   lock                  held by the one process that works on the folder
//   fit.yaml              FitJob
//   fitted.batch          what the graph learned; there once the fit is done
//   job.yaml              TrainingJob
//   checkpoints/          see checkpoints.h
//   downsampling/         what epochs are trained on, losses of auxiliary models; while it lasts
//   artefact/             the parts of the model, see models/artefact_spec.h
//   result.yaml           TrainingResult; there once the training has ended
//   stored.yaml           StoredModel; there once the model store has the artefact
//
// Beside the folders of a run's triggers lies `networks/`, with the files of networks that its
// pipeline names, by their digests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/status.h"
#include "config/config.h"
#include "models/spec/class_outputs.h"
#include "models/spec/model_spec.h"
#include "rpc/tls.h"
#include "storage/client/dataset_spec.h"
#include "transform/graph_spec.h"

namespace tidemill::trainer_server {

inline constexpr std::string_view kLockFile = "lock";
inline constexpr std::string_view kFitFile = "fit.yaml";
inline constexpr std::string_view kFittedFile = "fitted.batch";
inline constexpr std::string_view kJobFile = "job.yaml";
inline constexpr std::string_view kCheckpointFolder = "checkpoints";
inline constexpr std::string_view kDownsamplingFolder = "downsampling";
inline constexpr std::string_view kAuxiliaryFile = "irreducible_losses";
inline constexpr std::string_view kArtefactFolder = "artefact";
inline constexpr std::string_view kNetworksFolder = "networks";
inline constexpr std::string_view kResultFile = "result.yaml";
inline constexpr std::string_view kStoredFile = "stored.yaml";

// How a job reaches the services it needs. The token stays in its file.
struct Endpoints {
  std::string storage = {};
  std::string selector = {};
  std::string model_store = {};
  std::string preprocess = {};
  std::string token_file = {};
  rpc::TlsConfig tls = {};

  void Fields(auto&& field) {
    field("storage", storage, "Endpoint of the storage service.");
    field("selector", selector, "Endpoint of the selector.");
    field("model_store", model_store, "Endpoint of the model store.");
    field("preprocess", preprocess, "Endpoint of the dispatcher of preprocessing; empty for none.");
    field("token_file", token_file, "File with the tokens.");
    field("tls", tls, "Files with the certificates.");
  }
};

// How the process of a job prepares samples; what it makes does not depend on it.
struct Preparation {
  int threads = 2;
  int64_t bytes_ahead = int64_t{64} << 20;

  void Fields(auto&& field) {
    field("threads", threads, "Threads beside that of the arithmetic.");
    field("bytes_ahead", bytes_ahead, "Of samples made, and in the making.");
  }
};

// What a graph is fitted on and to.
struct FitJob {
  int64_t run_id = 0;
  int64_t trigger = 0;
  int64_t dataset_id = 0;
  // A DatasetSpec and a GraphSpec, as canonical YAML.
  std::string dataset = {};
  std::string graph = {};
  Endpoints endpoints;
  Preparation preparation = {};

  void Fields(auto&& field) {
    field("run_id", run_id, "The run.");
    field("trigger", trigger, "The trigger in its run.");
    field("dataset_id", dataset_id, "The dataset that the keys are of.");
    field("dataset", dataset, "The dataset's spec.");
    field("graph", graph, "The graph's spec.");
    field("endpoints", endpoints, "The services.");
    field("preparation", preparation, "How samples are prepared.");
  }
};

struct TrainingJob : FitJob {
  int64_t fitted_trigger = 0;
  int64_t parent_model_id = 0;
  // A ModelSpec and a TrainingSpec, as canonical YAML.
  std::string model = {};
  std::string training = {};
  // A WorkersSpec; empty where the training's own process prepares samples.
  std::string workers = {};

  void Fields(auto&& field) {
    FitJob::Fields(field);
    field("fitted_trigger", fitted_trigger, "The trigger whose fitted state to use.");
    field("parent_model_id", parent_model_id, "The model to start from; 0 for none.");
    field("model", model, "The network's spec.");
    field("training", training, "How to train.");
    field("workers", workers, "Who prepares the samples.");
  }
};

// A point of the loss curve; see LossPoint in rpc.proto.
struct LossPoint {
  int64_t num_samples = 0;
  double loss = 0;
  std::optional<double> validation_loss = std::nullopt;

  void Fields(auto&& field) {
    field("num_samples", num_samples, "Samples visited so far.");
    field("loss", loss, "Mean since the point before.");
    field("validation_loss", validation_loss, "On the samples held out.");
  }
};

// See DownsamplingSummary in rpc.proto.
struct DownsampledEpoch {
  int64_t num_chosen = 0;
  double effective_size = 0;
  int64_t num_scored = 0;

  void Fields(auto&& field) {
    field("num_chosen", num_chosen, "Samples that it was to train on.");
    field("effective_size", effective_size, "As many equally weighted ones are as good.");
    field("num_scored", num_scored, "Samples scored for it.");
  }
};

struct DownsamplingResult {
  std::string method = {};
  int64_t num_samples = 0;
  std::vector<DownsampledEpoch> epochs = {};
  double scoring_seconds = 0;
  double auxiliary_seconds = 0;
  int64_t num_not_finite = 0;

  void Fields(auto&& field) {
    field("method", method, "The method that served the trigger.");
    field("num_samples", num_samples, "Samples to choose from.");
    field("epochs", epochs, "The first epochs.");
    field("scoring_seconds", scoring_seconds, "Time of scoring and choosing.");
    field("auxiliary_seconds", auxiliary_seconds, "Time of training auxiliary models.");
    field("num_not_finite", num_not_finite, "Scores that were no finite number.");
  }
};

struct TrainingResult {
  // Empty: the training is done. Else why it failed.
  std::string error = {};
  int64_t samples_done = 0;
  int64_t samples_total = 0;
  int64_t num_samples = 0;
  int64_t num_skipped = 0;
  int64_t epochs = 0;
  double loss = 0;
  double seconds = 0;
  double samples_per_second = 0;
  double wait_share = 0;
  // Which share of the time went to waiting for data, and what limits.
  std::string verdict = {};
  std::string device = {};
  std::string training_set_digest = {};
  std::string weights_digest = {};
  std::vector<LossPoint> loss_curve = {};
  std::optional<DownsamplingResult> downsampling = std::nullopt;

  void Fields(auto&& field) {
    field("error", error, "Why the training failed; empty when it is done.");
    field("samples_done", samples_done, "Samples visited, in all epochs.");
    field("samples_total", samples_total, "Samples that were to be visited at most.");
    field("num_samples", num_samples, "Samples in the training set.");
    field("num_skipped", num_skipped, "Samples that could not be read, decoded or learnt from.");
    field("epochs", epochs, "Epochs.");
    field("loss", loss, "Mean loss of the last epoch.");
    field("seconds", seconds, "Time that it took.");
    field("samples_per_second", samples_per_second, "Samples a second.");
    field("wait_share", wait_share, "Share of the time that it waited for data.");
    field("verdict", verdict, "What limits it.");
    field("device", device, "Where it ran.");
    field("training_set_digest", training_set_digest, "SHA-256 of the training set.");
    field("weights_digest", weights_digest, "SHA-256 of the weights file.");
    field("loss_curve", loss_curve, "The loss in the course of the training.");
    field("downsampling", downsampling, "What downsampling did.");
  }
};

struct StoredModel {
  int64_t model_id = 0;

  void Fields(auto&& field) { field("model_id", model_id, "The model's id in the model store."); }
};

// Reads one of the YAML files of a folder. NOT_FOUND; INVALID_ARGUMENT.
template <typename T>
absl::StatusOr<T> ReadYaml(const std::string& folder, std::string_view name) {
  const std::string path = files::Join(folder, name);
  ASSIGN_OR_RETURN(const std::string text, files::Read(path));
  return config::Read<T>(text, path);
}

// Writes one atomically.
template <typename T>
absl::Status WriteYaml(const std::string& folder, std::string_view name, const T& value) {
  return files::WriteAtomically(files::Join(folder, name), config::Print(value));
}

}  // namespace tidemill::trainer_server

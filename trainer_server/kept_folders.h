// Keeps in the model store what another trainer server needs of the folder of a trigger.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "tidemill/model_store/v1/model_store.pb.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"

namespace tidemill::model_store {
class ModelStoreClient;
}

namespace tidemill::trainer_server {

// On whose behalf a server keeps the files of a job. A claim of a later epoch or attempt ends the
// earlier ones.
struct Claim {
  rpc::v1::Command command = {};  // It names the run.
  int64_t trigger = 0;
  int64_t attempt = 0;
};

// Sends, fetches and compares files of trigger folders (job_folder.h). The folder of a server is a
// copy of what is kept: a folder that is lost, or never was, is made again from it. Files that the
// process of a job has written are read with base/paths/regular_file.h. Thread-safe.
class KeptFolders {
 public:
  // As in model_store/client/model_store_client.h.
  using Pace = std::function<absl::Status(size_t bytes)>;

  // It must outlive this object.
  explicit KeptFolders(model_store::ModelStoreClient& model_store) : model_store_(model_store) {}

  // Keeps what the graph of the folder's trigger has learned. NOT_FOUND when it has not been
  // fitted. FAILED_PRECONDITION when the claim has ended; errors of the model store.
  absl::Status KeepFitted(const Claim& claim, const std::string& folder);

  // Fetches what a graph has learned. NOT_FOUND when it is not kept, or not with that digest; an
  // empty digest is any.
  absl::Status FetchFitted(RunId run, int64_t trigger, const std::string& digest,
                           const std::string& folder);

  // Keeps the newest checkpoint of the training, and what it depends on, unless it is `last`.
  // Returns what is kept then, to be passed as `last`. Otherwise behaves as KeepFitted(). CANCELLED
  // when the job has replaced its files meanwhile: the next call finds newer ones.
  absl::StatusOr<model_store::v1::KeepJobRequest> KeepCheckpoint(
      const Claim& claim, const std::string& folder, const model_store::v1::KeepJobRequest& last,
      const Pace& pace);

  // Keeps the result and the artefact of a training that is done, in place of its checkpoints.
  // Otherwise behaves as KeepFitted().
  absl::Status KeepResult(const Claim& claim, const std::string& folder);

  // Whether the result of the folder is the one that is kept.
  absl::StatusOr<bool> HasKeptResult(RunId run, int64_t trigger, const std::string& folder);

  // Completes the folder of a training: a result that is kept replaces that of the folder, and a
  // checkpoint is fetched where it is newer than those of the folder. Where the folder describes a
  // training, files of another one are left alone; where it does not, it does afterwards. OK when
  // nothing is kept. DATA_LOSS and NOT_FOUND when kept files are damaged or gone.
  absl::Status FetchTraining(RunId run, int64_t trigger, const std::string& folder);

 private:
  model_store::ModelStoreClient& model_store_;
};

// Whether two requests describe one training, whoever asked for it and whichever way it reaches
// others.
bool IsSameTraining(v1::StartTrainingRequest one, v1::StartTrainingRequest other);

}  // namespace tidemill::trainer_server

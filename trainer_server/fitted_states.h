// Fitted states of graphs, in the folders of triggers.
#pragma once

#include <cstdint>
#include <string>

#include "base/id.h"
#include "base/status.h"
#include "tidemill/trainer_server/v1/trainer_server.pb.h"
#include "trainer_server/kept_folders.h"

namespace tidemill::model_store {
class ModelStoreClient;
}

namespace tidemill::trainer_server {

// Returns the digest of the fitted state in a file. DATA_LOSS when it has changed.
absl::StatusOr<std::string> DigestOfFitted(const std::string& path);

// Gets fitted states that this server does not have. Thread-safe.
class FittedStates {
 public:
  // Both must outlive this object.
  FittedStates(KeptFolders& kept, model_store::ModelStoreClient& model_store)
      : kept_(kept), model_store_(model_store) {}

  // Fetches a fitted state into the folder of its trigger, unless it is there with that digest.
  // An empty digest is any. NOT_FOUND when it is nowhere.
  absl::Status Ensure(RunId run, int64_t trigger, const std::string& digest,
                      const std::string& folder);
  // Does the same for a fit that begins. A damaged file is replaced. NOT_FOUND or DATA_LOSS when
  // the graph must be fitted.
  absl::Status Find(RunId run, int64_t trigger, const std::string& folder);
  // Takes the fitted state of a model.
  absl::Status Take(ModelId model, const std::string& path);

 private:
  KeptFolders& kept_;
  model_store::ModelStoreClient& model_store_;
};

// Returns the answer to a fit that has ended, with what it has used.
absl::StatusOr<v1::FitGraphResponse> FittedAnswer(const std::string& folder);

}  // namespace tidemill::trainer_server

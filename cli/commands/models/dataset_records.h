// The stored samples of a dataset, as records for predictions.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/time.h"
#include "cli/stack/session.h"
#include "models/artefact_spec.h"
#include "storage/client/storage_client.h"
#include "storage/foreign/foreign_records.h"

namespace tidemill::cli {

// Thread-compatible. Samples come in the order of their event times, and are numbered by their
// keys. Memory is bounded by a block.
class DatasetRecords {
 public:
  struct Options {
    std::string dataset;
    // [from, to) of the event times.
    std::optional<Timestamp> from = std::nullopt;
    std::optional<Timestamp> to = std::nullopt;
  };

  // Ingests what the dataset's folder has and storage has not. `spec` is the spec of the model.
  // NOT_FOUND when there is no such dataset. INVALID_ARGUMENT when its samples have another form
  // than those that the model was trained on.
  static absl::StatusOr<std::unique_ptr<DatasetRecords>> Open(const Session& session,
                                                              const Options& options,
                                                              const models::ArtefactSpec& spec);

  // Replaces `block` by the next samples, at most `most`. Returns false at the end. A sample that
  // storage cannot read is left out with its reason.
  absl::StatusOr<bool> Next(int64_t most, storage::ForeignBlock& block);

  // The files of the dataset whose present content is not among the samples.
  int64_t num_files_not_taken() const { return num_files_not_taken_; }
  // Remarks for the user.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  explicit DatasetRecords(const rpc::Peer& storage) : storage_(storage) {}

  absl::StatusOr<std::vector<int64_t>> NextKeys(int64_t most);

  const storage::StorageClient storage_;
  DatasetId dataset_ = {};
  storage::v1::ListSamplesRequest list_;  // Lists the samples that have not been read.
  // Whether the labels are those that the model predicts.
  bool has_labels_ = true;
  int64_t num_files_not_taken_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace tidemill::cli

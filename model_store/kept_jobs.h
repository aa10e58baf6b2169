// Keeps the files with which any trainer server can continue a job of a run: what a graph has
// learned, the newest checkpoint of a training, its result. They are files of the run, beside the
// parts of its models (model_store.h), and are stored once where they are the same.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/id.h"
#include "base/status.h"
#include "db/database.h"
#include "model_store/kept_files.h"
#include "tidemill/model_store/v1/model_store.pb.h"

namespace tidemill::model_store {

// A file is sent, by its digest, and then named, together with the others of its job. What is sent
// and not named within an hour, and what loses its last name, is removed. Thread-safe.
class KeptJobs {
 public:
  // How long a file of a run may wait for its name.
  static constexpr Duration kGrace{int64_t{3'600} * 1'000'000};

  // `folder` is the folder of all runs, and holds one for each run. Both must outlive this object.
  KeptJobs(db::Database& database, std::string folder)
      : database_(database), folder_(std::move(folder)) {}

  // Removes what a crash has left: files that nothing names, and folders of runs that are deleted.
  absl::Status RemoveLeftovers() const;

  // Begins to receive a file; nullptr when it is stored already. FAILED_PRECONDITION when the
  // command is of an earlier epoch. Also returns the errors of KeptFiles::Begin().
  absl::StatusOr<std::unique_ptr<IncomingFile>> Begin(const v1::PutFileRequest::Header& header);

  // As KeptFiles::Read().
  absl::Status Read(RunId run, const std::string& digest,
                    const std::function<absl::Status(std::string_view)>& sink) const;

  // Names the files of a job. Returns whether they are the latest. The errors are as in
  // model_store.proto.
  absl::StatusOr<bool> Keep(const v1::KeepJobRequest& request);

  // Returns what is kept of a job; empty when nothing is.
  absl::StatusOr<v1::GetKeptJobResponse> Get(RunId run, int64_t trigger, v1::JobKind kind);

  // Counts what the folders of runs hold, by what names it.
  absl::StatusOr<v1::GetStoredBytesResponse> CountBytes() const;

  KeptFiles FilesOf(RunId run) const;

 private:
  // Removes the files of a run that nothing names: those of `replaced`, and those that came long
  // ago.
  absl::Status Sweep(RunId run, const v1::GetKeptJobResponse& replaced);

  db::Database& database_;
  const std::string folder_;
};

}  // namespace tidemill::model_store

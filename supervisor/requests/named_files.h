// The files that pipelines name and that the model store keeps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/time.h"
#include "db/database.h"
#include "supervisor/runs/downstream.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// A file is kept by its digest. It is kept from before the submission that names it until no
// pipeline and no run names it. Thread-safe.
class NamedFiles {
 public:
  // Both must outlive this object.
  NamedFiles(db::Database& database, Downstream& downstream)
      : database_(database), downstream_(downstream) {}

  // The most bytes of networks that are kept while no pipeline names them yet.
  static constexpr int64_t kMaxUnnamedBytes = int64_t{4} << 30;

  // Stores a network's file. `next` returns its bytes and then std::nullopt. INVALID_ARGUMENT when
  // it is not a TorchScript file; nothing of it is kept then. RESOURCE_EXHAUSTED, before a byte is
  // read, when too many bytes are kept for pipelines that are not submitted yet.
  absl::Status TakeNetwork(const v1::SendNetworkRequest::Header& header,
                           const Downstream::NextBytes& next) const;
  // Removes the files that no pipeline names any more. The next call retries failed removals.
  void Retire() const;

 private:
  struct Sent {
    int64_t bytes = 0;
    Timestamp at;
  };

  absl::Status TakeBytes(const v1::SendNetworkRequest::Header& header,
                         const Downstream::NextBytes& next) const;
  // Counts a file among those that no pipeline names. Returns whether it was not yet among them.
  absl::StatusOr<bool> Reserve(const v1::SendNetworkRequest::Header& header) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the digests that pipelines name.
  absl::StatusOr<std::vector<std::string>> FindNamed() const;

  db::Database& database_;
  Downstream& downstream_;
  mutable Mutex mutex_;
  // The files, by digest, that were sent within the hour for which the model store keeps them, and
  // that no pipeline is known to name.
  mutable std::map<std::string, Sent> unnamed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tidemill::supervisor

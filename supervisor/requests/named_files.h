// The files that pipelines name and that the model store keeps.
#pragma once

#include "base/status.h"
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

  // Stores a network's file. `next` returns its bytes and then std::nullopt. INVALID_ARGUMENT when
  // it is not a TorchScript file; nothing of it is kept then.
  absl::Status TakeNetwork(const v1::SendNetworkRequest::Header& header,
                           const Downstream::NextBytes& next) const;
  // Removes the files that no pipeline names any more. The next call repeats what fails.
  void Retire() const;

 private:
  db::Database& database_;
  Downstream& downstream_;
};

}  // namespace tidemill::supervisor

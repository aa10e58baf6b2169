// Files that pipelines name and the model store keeps.
#pragma once

#include "base/status.h"
#include "db/database.h"
#include "supervisor/runs/downstream.h"
#include "tidemill/supervisor/v1/supervisor.pb.h"

namespace tidemill::supervisor {

// Files are kept by their digest, from before the submission that names them until no pipeline and
// no run does. Thread-safe.
class NamedFiles {
 public:
  // Both must outlive this object.
  NamedFiles(db::Database& database, Downstream& downstream)
      : database_(database), downstream_(downstream) {}

  // Keeps a network's file, whose bytes `next` gives until std::nullopt. INVALID_ARGUMENT for what
  // is no TorchScript file, of which nothing is kept then.
  absl::Status TakeNetwork(const v1::SendNetworkRequest::Header& header,
                           const Downstream::NextBytes& next) const;
  // Lets go of files that no pipeline names any more. What fails is made good by the next time.
  void Retire() const;

 private:
  db::Database& database_;
  Downstream& downstream_;
};

}  // namespace tidemill::supervisor

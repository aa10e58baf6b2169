#include "supervisor/requests/named_files.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "supervisor/pipeline/torchscript_file.h"
#include "supervisor/runs/runs_table.h"

namespace tidemill::supervisor {

// The last piece waits for the judgement of all: what is refused is not kept.
absl::Status NamedFiles::TakeNetwork(const v1::SendNetworkRequest::Header& header,
                                     const Downstream::NextBytes& next) const {
  model_store::v1::PutFileRequest::Header kept;
  *kept.mutable_command() = header.command();
  kept.set_size_bytes(header.size_bytes());
  kept.set_digest(header.digest());
  TorchScriptLook look;
  ASSIGN_OR_RETURN(std::optional<std::string> ahead, next());
  return downstream_.KeepFile(kept, [&]() -> absl::StatusOr<std::optional<std::string>> {
    std::optional<std::string> piece = std::move(ahead);
    ahead.reset();
    if (piece) {
      look.Add(*piece);
      ASSIGN_OR_RETURN(ahead, next());
    }
    if (!ahead) RETURN_IF_ERROR(look.Judge(header.file_name()));
    return piece;
  });
}

void NamedFiles::Retire() const {
  std::vector<std::string> kept;
  absl::Status status = database_.Transact([&](pqxx::work& work) {
    kept = ListNamedFiles(work);
    return absl::OkStatus();
  });
  if (status.ok()) status = downstream_.RetireFiles(kept);
  if (!status.ok()) log::Warn("cannot remove files of pipelines", {{"error", status.ToString()}});
}

}  // namespace tidemill::supervisor

#include "cli/stack/doctor_datasets.h"

#include "storage/client/left_out_text.h"
#include "tidemill/storage/v1/storage.grpc.pb.h"

namespace tidemill::cli {

Findings ExamineDatasets(const Session& session) {
  using Face = storage::v1::StorageService;
  storage::v1::ListDatasetsResponse response;
  const absl::Status listed = session.Call<Face>("storage", &Face::Stub::ListDatasets,
                                                 storage::v1::ListDatasetsRequest(), &response);
  if (!listed.ok()) return {};  // What is wrong with storage is another finding.
  Findings findings;
  for (const storage::v1::Dataset& dataset : response.datasets()) {
    if (!storage::AnyLost(dataset.left_out())) continue;
    findings.push_back(
        {"dataset", Health::kWarn,
         fmt::format("{}: {}", dataset.name(), storage::LeftOutText(dataset.left_out())),
         "tidemill datasets quarantine " + dataset.name()});
  }
  return findings;
}

}  // namespace tidemill::cli

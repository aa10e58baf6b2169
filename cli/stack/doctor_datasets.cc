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
    std::string lost;
    if (storage::AnyLost(dataset.left_out())) lost = storage::LeftOutText(dataset.left_out());
    if (dataset.num_bad_samples() > 0) {
      lost +=
          fmt::format("{}{} of {} samples could not be used by trainings or evaluations",
                      lost.empty() ? "" : "; ", dataset.num_bad_samples(), dataset.num_samples());
    }
    if (lost.empty()) continue;
    findings.push_back({"dataset", Health::kWarn, fmt::format("{}: {}", dataset.name(), lost),
                        "tidemill datasets quarantine " + dataset.name()});
  }
  return findings;
}

}  // namespace tidemill::cli

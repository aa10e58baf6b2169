#include "cli/doctor/datasets.h"

#include "storage/client/left_out_text.h"
#include "storage/client/storage_client.h"

namespace tidemill::cli {

Findings ExamineDatasets(const Session& session) {
  const auto datasets = session.Ask(&storage::StorageClient::ListDatasets);
  if (!datasets.ok()) return {};  // What is wrong with storage is another finding.
  Findings findings;
  for (const storage::v1::Dataset& dataset : *datasets) {
    if (!dataset.unreachable().empty()) {
      findings.push_back(
          {"dataset", Health::kFail,
           fmt::format(
               "{}: no record can be read: {}; running its pipeline allows its folder again",
               dataset.name(), dataset.unreachable()),
           "tidemill datasets show " + dataset.name()});
      continue;
    }
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

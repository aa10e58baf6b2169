#include "cli/pipelines/dataset_difference.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "config/printed/difference.h"
#include "storage/client/storage_client.h"
#include "storage/spec/dataset_path.h"

namespace tidemill::cli {
namespace {

std::string DifferenceOf(const storage::DatasetSpec& registered, storage::DatasetSpec spec) {
  std::error_code error;
  const auto folder = std::filesystem::weakly_canonical(spec.path, error);
  if (!error && !storage::IsObjectPath(spec.path)) spec.path = folder.string();
  // Storage fills in the columns that a header names.
  if (spec.format->LeavesColumnsOpen()) spec.format->SetColumns(registered.format->Columns());
  return config::DescribeDifference(config::Print(registered), config::Print(spec));
}

}  // namespace

std::optional<OtherDataset> FindOtherDataset(const Session& session, const std::string& name,
                                             const storage::DatasetSpec& spec) {
  const storage::StorageClient storage(session.PeerOf("storage"));
  auto found = storage.GetDataset(name);
  if (!found.ok()) return std::nullopt;
  const auto registered = config::ReadKept<storage::DatasetSpec>(found->spec(), name);
  if (!registered.ok()) return std::nullopt;
  std::string difference = DifferenceOf(*registered, spec);
  if (difference.empty()) return std::nullopt;
  return OtherDataset{.registered = *std::move(found), .difference = std::move(difference)};
}

}  // namespace tidemill::cli

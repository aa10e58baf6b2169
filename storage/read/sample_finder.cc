#include "storage/read/sample_finder.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "base/files.h"
#include "storage/read/known_columns.h"

namespace tidemill::storage {

namespace {

constexpr int kMaxNamed = 10;

void AddUnknown(std::string what, v1::FindSamplesResponse& response) {
  response.set_num_unknown(response.num_unknown() + 1);
  if (response.unknown_size() < kMaxNamed) response.add_unknown(std::move(what));
}

void Sort(const DatasetIndex& index, std::vector<int64_t> keys, v1::FindSamplesResponse& response) {
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::map<FileId, int64_t> num_in_file;
  for (const int64_t key : keys) {
    const std::optional<SampleLocation> sample = index.Find(key);
    if (!sample) {
      AddUnknown(fmt::format("key {}", key), response);
    } else if (index.IsDeleted(key, index.tombstone_sequence())) {
      response.add_deleted_keys(key);
    } else {
      response.add_living_keys(key);
      ++num_in_file[sample->file()];
    }
  }
  std::map<std::string, int64_t> by_path;
  for (const auto& [file, count] : num_in_file) {
    const std::string* const path = index.PathOf(file);
    if (path != nullptr) by_path[std::string(BelowFolder(index.spec().path, *path))] += count;
  }
  for (const auto& [path, count] : by_path) {
    v1::FindSamplesResponse::FileCount* const file = response.add_files();
    file->set_path(path);
    file->set_num_samples(count);
  }
}

}  // namespace

absl::Status SampleFinder::AddPlaces(const v1::FindSamplesRequest& request, const DatasetSpec& spec,
                                     std::vector<int64_t>& keys,
                                     v1::FindSamplesResponse& response) const {
  std::set<std::pair<std::string, int64_t>> wanted;
  for (const v1::FindSamplesRequest::Place& place : request.places()) {
    wanted.emplace(place.path(), place.position());
  }
  std::vector<DatasetCatalog::Place> places;
  for (const auto& [path, position] : wanted) {
    places.push_back({.path = files::Join(spec.path, path), .position = position});
  }
  if (places.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto found, catalog_.KeysAt({request.dataset_id()}, places));
  size_t at = 0;
  for (const auto& [path, position] : wanted) {
    const std::optional<int64_t> key = found[at++];
    if (key) {
      keys.push_back(*key);
    } else {
      AddUnknown(fmt::format("record {} of {}", position, path), response);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::FindSamplesResponse> SampleFinder::Find(
    const v1::FindSamplesRequest& request) const {
  ASSIGN_OR_RETURN(const std::shared_ptr<const DatasetIndex> index,
                   indexes_.Refresh({request.dataset_id()}));
  v1::FindSamplesResponse response;
  std::vector<int64_t> keys(request.sample_keys().begin(), request.sample_keys().end());
  RETURN_IF_ERROR(AddPlaces(request, index->spec(), keys, response));
  Sort(*index, std::move(keys), response);
  return response;
}

}  // namespace tidemill::storage

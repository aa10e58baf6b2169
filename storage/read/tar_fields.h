// Fields of the JSON members of tar archives, by the sample beside them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "base/status.h"
#include "storage/compression/unpacked_cache.h"

namespace tidemill::storage {

// In WebDataset's layout, the annotations of a sample are in a member with the extension json:
//
//   0001.jpg 0001.json 0002.jpg 0002.json
//
// Holds the fields of one archive at a time, which is read once when samples are requested in the
// order of their keys. Thread-compatible.
class TarFields {
 public:
  // `files` must outlive this object. `names` as for JsonFields.
  TarFields(UnpackedCache& files, std::vector<std::string> names)
      : files_(files), names_(std::move(names)) {}

  using Values = std::vector<std::optional<std::string>>;

  // Returns the field of each name of the sample whose payload begins at `offset` of an archive;
  // nullptr when no payload begins there any more. A sample without such a member has no fields.
  // Returns the errors of UnpackedCache::Open and TarReader::Next.
  absl::StatusOr<const Values*> Of(const std::string& path, int64_t offset);

  // Returns the names of the fields in the last archive's first JSON member.
  const std::vector<std::string>& first_names() const { return first_names_; }

 private:
  absl::Status Open(const std::string& path);

  UnpackedCache& files_;
  const std::vector<std::string> names_;
  std::string path_;
  absl::Status status_;  // The status of reading `path_`.
  std::vector<std::string> first_names_;
  std::vector<Values> samples_;
  absl::flat_hash_map<int64_t, size_t>
      by_offset_;  // The fields of every sample, by the offset of its payload.
};

}  // namespace tidemill::storage

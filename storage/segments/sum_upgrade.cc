#include "storage/segments/sum_upgrade.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/descriptor.h"
#include "base/files.h"
#include "batch/wire.h"
#include "storage/segments/new_segment_files.h"

namespace tidemill::storage {

namespace {

absl::Status CompareCopies(const SegmentColumns& columns) {
  if (columns.is_in_order && !std::ranges::is_sorted(columns.event_time)) {
    return DataLoss("its times do not ascend");
  }
  for (int64_t row = 0; row < columns.num_rows(); ++row) {
    const LookupRow& place = columns.lookup[static_cast<size_t>(row)];
    const double real = ValueAt<double>(*columns.real_label, row).value_or(0);
    const int64_t label =
        ValueAt<int64_t>(*columns.class_label, row).value_or(std::bit_cast<int64_t>(real));
    if (place.event_time != columns.event_time[static_cast<size_t>(row)] || place.label != label) {
      return DataLoss("the two copies of a time or a label differ in row {}", row);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AddSums(const std::string& path, const SegmentColumns& columns) {
  RETURN_IF_ERROR(CompareCopies(columns));
  std::string bytes = batch::Encode(columns.batch);
  AppendBlockSums(bytes);
  const std::string fresh = path + ".sums";
  absl::Status status = WriteSegmentFile(fresh, bytes, /*sync=*/false);
  if (status.ok() && std::rename(fresh.c_str(), path.c_str()) != 0) {
    status = Internal("cannot rename {}: {}", fresh, std::strerror(errno));
  }
  if (!status.ok()) (void)files::Remove(fresh);
  return status;
}

absl::Status SyncAddedSums(const std::string& folder) {
  const Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open() || syncfs(opened.number()) != 0) {
    return Internal("cannot sync {}: {}", folder, std::strerror(errno));
  }
  return absl::OkStatus();
}

}  // namespace tidemill::storage

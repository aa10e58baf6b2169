// The time and the label that all records of a file share, because they are not in the records.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/time.h"
#include "records/time_reader.h"
#include "storage/filesystems/file_system.h"
#include "storage/formats/format.h"
#include "storage/spec/dataset_spec.h"
#include "storage/spec/label_reader.h"

namespace tidemill::storage {

// Sidecars are read from `source`, the filesystem of the file.

// The event times of the records of one file, unless each record has its own.
struct FileTimes {
  Timestamp start;
  Duration step;

  Timestamp At(int64_t position) const { return {start.micros + step.micros * position}; }
};

// `times` must be made from the spec's event_time. INVALID_ARGUMENT when a path or sidecar does not
// have a valid time. NOT_FOUND when a sidecar is missing or empty. std::nullopt when each record
// has its own time.
absl::StatusOr<std::optional<FileTimes>> TimesOf(const DatasetSpec& spec, const TimeReader& times,
                                                 const FileInput& input, FileSystem& source);

// Returns the label of all records of a file, from the name of a folder or from a sidecar.
// std::nullopt when the spec has another source. A sidecar that is missing or empty means no label
// if the spec allows that.
absl::StatusOr<std::optional<Label>> LabelOf(const DatasetSpec& spec, const LabelReader& labels,
                                             const FileInput& input, FileSystem& source);

// Reads a time that several fields hold together. NOT_FOUND in place of INVALID_ARGUMENT when one
// of them is blank.
absl::StatusOr<Timestamp> ReadJoined(const TimeReader& times, std::string_view joined,
                                     bool lacks_part);

// Returns a reader of the spec's event times.
absl::StatusOr<TimeReader> TimeReaderOf(const EventTimeSpec& spec);

// Returns the path of the file of labels beside a binary file. INVALID_ARGUMENT when the name does
// not contain the pattern.
absl::StatusOr<std::string> LabelFileOf(const LabelFile& spec, const FileInput& input);

// Returns `path` with another extension.
std::string SidecarOf(const std::string& path, const std::string& extension);

}  // namespace tidemill::storage

// What is true of every record of a file: a time and a label that do not lie in the records.
#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "records/time_reader.h"
#include "storage/client/dataset_spec.h"
#include "storage/client/label_reader.h"
#include "storage/filesystems/file_system.h"
#include "storage/formats/format.h"

namespace tidemill::storage {

// Files beside it are read from `source`, which is where it lies itself.

// When the records of one file happened, unless each says so itself.
struct FileTimes {
  Timestamp start;
  Duration step;

  Timestamp At(int64_t position) const { return {start.micros + step.micros * position}; }
};

// `times` was made of the spec's event_time. INVALID_ARGUMENT for a path or sidecar that does not
// read, NOT_FOUND for a missing or empty sidecar. std::nullopt where each record has a time of its
// own.
absl::StatusOr<std::optional<FileTimes>> TimesOf(const DatasetSpec& spec, const TimeReader& times,
                                                 const FileInput& input, FileSystem& source);

// The label of all of a file's records, from a folder's name or a sidecar; std::nullopt where the
// spec says otherwise. A sidecar that is missing or empty is no label where the spec allows that.
absl::StatusOr<std::optional<Label>> LabelOf(const DatasetSpec& spec, const LabelReader& labels,
                                             const FileInput& input, FileSystem& source);

// A reader of the spec's event times.
absl::StatusOr<TimeReader> TimeReaderOf(const EventTimeSpec& spec);

// The file of labels beside a binary file. INVALID_ARGUMENT when the name lacks the pattern.
absl::StatusOr<std::string> LabelFileOf(const LabelFile& spec, const FileInput& input);

// `path` with another extension.
std::string SidecarOf(const std::string& path, const std::string& extension);

}  // namespace tidemill::storage

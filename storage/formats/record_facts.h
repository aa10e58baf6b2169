// The time and the label of records that name their fields: JSON lines, Examples, members of
// archives.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "records/json_fields.h"
#include "records/time_reader.h"
#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"
#include "storage/spec/dataset_spec.h"
#include "storage/spec/label_reader.h"

namespace tidemill::storage {

// Returns the fields that a spec names: first the fields of the time, then the field of the label,
// if there are any.
std::vector<std::string> NamedFields(const DatasetSpec& spec);

// Reads the time and the label of the records of one file. Thread-compatible.
class RecordFacts {
 public:
  // Returns the text of a part. The parts of the time come first; the label is `label_part()`. The
  // view is valid until the next call. A status says why the record has no such text. It is
  // NOT_FOUND when the part is missing.
  using PartText = std::function<absl::StatusOr<std::string_view>(size_t part)>;

  // All arguments that are references must outlive this object. Returns the errors of TimesOf and
  // LabelOf.
  static absl::StatusOr<RecordFacts> Create(const DatasetSpec& spec, const TimeReader& times,
                                            const LabelReader& labels, const FileInput& input,
                                            FileSystem& source);

  // INVALID_ARGUMENT, or the status of `text`, when a record has no valid time or label. When the
  // spec allows a missing label, the record then has no label.
  absl::StatusOr<Timestamp> TimeOf(int64_t position, const PartText& text);
  absl::StatusOr<Label> LabelOf(const PartText& text) const;

  // The parts that are in the records.
  size_t label_part() const { return num_time_parts_; }
  size_t num_parts() const { return num_time_parts_ + (has_label_part_ ? 1 : 0); }

 private:
  RecordFacts(const DatasetSpec& spec, const TimeReader& times, const LabelReader& labels);

  const TimeReader* times_;
  const LabelReader* labels_;
  size_t num_time_parts_;
  bool has_label_part_;
  std::optional<FileTimes> file_times_;
  std::optional<Label> file_label_;
  std::string joined_;
};

// Returns the text of a JSON field that holds a time or a label. INVALID_ARGUMENT when it holds
// neither. NOT_FOUND when the field is missing.
absl::StatusOr<std::string_view> TextOf(const JsonValue& value, std::string_view name);

}  // namespace tidemill::storage

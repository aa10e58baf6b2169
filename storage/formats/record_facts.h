// Time and label of records that name their fields: JSON lines, Examples, members of archives.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "records/json_fields.h"
#include "records/time_reader.h"
#include "storage/client/dataset_spec.h"
#include "storage/client/label_reader.h"
#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"

namespace tidemill::storage {

// The fields that a spec names: those of the time, then the label's, as many as there are.
std::vector<std::string> NamedFields(const DatasetSpec& spec);

// Of the records of one file. Thread-compatible.
class RecordFacts {
 public:
  // The text of a part: those of the time come first, the label is `label_part()`. The view is good
  // until the next call. A status says why the record has no such text: NOT_FOUND where it is not
  // there at all.
  using PartText = std::function<absl::StatusOr<std::string_view>(size_t part)>;

  // What is referred to must outlive it. Codes as TimesOf and LabelOf.
  static absl::StatusOr<RecordFacts> Create(const DatasetSpec& spec, const TimeReader& times,
                                            const LabelReader& labels, const FileInput& input,
                                            FileSystem& source);

  // INVALID_ARGUMENT, or what `text` returns, for a record without a sound time or label. A label
  // that is missing the way the spec allows is none.
  absl::StatusOr<Timestamp> TimeOf(int64_t position, const PartText& text);
  absl::StatusOr<Label> LabelOf(const PartText& text) const;

  // Parts that records hold themselves.
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

// The text of a JSON field that holds a time or a label. INVALID_ARGUMENT when it holds none,
// NOT_FOUND where it is not there.
absl::StatusOr<std::string_view> TextOf(const JsonValue& value, std::string_view name);

}  // namespace tidemill::storage

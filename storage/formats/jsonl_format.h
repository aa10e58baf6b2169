// JSON Lines files.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "records/json_fields.h"
#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"

namespace tidemill::storage {

// A line is a sample; its payload is the line without its end. Blank lines are no samples.
class JsonlFiles : public Format {
 public:
  static absl::StatusOr<std::unique_ptr<JsonlFiles>> Create(const DatasetSpec& spec,
                                                            UnpackedCache& files);

  absl::StatusOr<IndexedFile> Index(const FileInput& input) const override;
  bool CanAppend() const override { return spec_.append; }
  bool ReadsInPieces() const override { return true; }

 private:
  class Indexing;
  JsonlFiles(const DatasetSpec& spec, TimeReader times, UnpackedCache& files);

  const DatasetSpec spec_;
  const size_t max_record_;
  const TimeReader times_;
  const LabelReader labels_;
  UnpackedCache& files_;
};

// The text of a field that holds a time or a label. INVALID_ARGUMENT when it holds none.
absl::StatusOr<std::string_view> TextOf(const JsonValue& value, std::string_view name);

}  // namespace tidemill::storage

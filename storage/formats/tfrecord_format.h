// TFRecord files: length, checksum of the length, bytes, checksum of the bytes; no header.
#pragma once

#include <memory>

#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"

namespace tidemill::storage {

// A record is a sample; its payload is the record's bytes without lengths and checksums. A wrong
// checksum of the bytes costs that sample; one of the length costs what follows in the file, as
// nothing tells where the next record begins.
class TfrecordFiles : public Format {
 public:
  static absl::StatusOr<std::unique_ptr<TfrecordFiles>> Create(const DatasetSpec& spec,
                                                               UnpackedCache& files);

  absl::StatusOr<IndexedFile> Index(const FileInput& input) const override;
  bool CanAppend() const override { return spec_.append; }
  bool ReadsInPieces() const override { return true; }
  int64_t LeadBytes() const override;

 private:
  class Indexing;
  TfrecordFiles(const DatasetSpec& spec, TimeReader times, UnpackedCache& files);

  const DatasetSpec spec_;
  const TimeReader times_;
  const LabelReader labels_;
  UnpackedCache& files_;
};

}  // namespace tidemill::storage

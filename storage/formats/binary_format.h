// Files of records of a fixed size.
#pragma once

#include <memory>

#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"

namespace tidemill::storage {

// A record is a sample; its payload is the record less the label that may lie in it.
class BinaryFiles : public Format {
 public:
  static absl::StatusOr<std::unique_ptr<BinaryFiles>> Create(const DatasetSpec& spec,
                                                             UnpackedCache& files);

  absl::StatusOr<IndexedFile> Index(const FileInput& input) const override;
  bool CanAppend() const override { return spec_.append; }
  bool ReadsInPieces() const override { return true; }

 private:
  class Indexing;
  BinaryFiles(const DatasetSpec& spec, TimeReader times, UnpackedCache& files);
  absl::Status CheckIdx(const OpenFile& file, int64_t header_bytes, int64_t record_bytes) const;

  const DatasetSpec spec_;
  const BinaryFormat format_;
  const TimeReader times_;
  const LabelReader labels_;
  UnpackedCache& files_;
};

}  // namespace tidemill::storage

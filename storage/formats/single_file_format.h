// One file a sample: images, texts, sounds.
#pragma once

#include <memory>

#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"

namespace tidemill::storage {

// The payload is the whole file.
class SingleFiles : public Format {
 public:
  static absl::StatusOr<std::unique_ptr<SingleFiles>> Create(const DatasetSpec& spec,
                                                             UnpackedCache& files);

  absl::StatusOr<IndexedFile> Index(const FileInput& input) const override;

 private:
  SingleFiles(const DatasetSpec& spec, TimeReader times, UnpackedCache& files);

  const DatasetSpec spec_;
  const TimeReader times_;
  const LabelReader labels_;
  UnpackedCache& files_;
};

}  // namespace tidemill::storage

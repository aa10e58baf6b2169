// Tar archives of samples in WebDataset's layout.
#pragma once

#include <memory>

#include "storage/formats/file_facts.h"
#include "storage/formats/format.h"

namespace tidemill::storage {

// Neighbouring members whose paths agree up to the first dot behind the last slash are a sample:
//   train/0001.jpg train/0001.cls train/0002.jpg train/0002.cls
// What follows that dot is the member's extension; upper and lower case are the same. The payload
// is the bytes of one member. Groups without any member that the spec names, and members without
// an extension, are passed over. A damaged header costs the samples behind it, damage within a
// sample costs that sample.
class TarFiles : public Format {
 public:
  static absl::StatusOr<std::unique_ptr<TarFiles>> Create(const DatasetSpec& spec,
                                                          UnpackedCache& files);

  absl::StatusOr<IndexedFile> Index(const FileInput& input) const override;

 private:
  class Indexing;
  TarFiles(const DatasetSpec& spec, TimeReader times, UnpackedCache& files);

  const DatasetSpec spec_;
  const TarFormat format_;
  const TimeReader times_;
  const LabelReader labels_;
  UnpackedCache& files_;
};

}  // namespace tidemill::storage

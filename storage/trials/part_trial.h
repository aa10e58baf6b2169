// Tries the records of one place of a file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/formats/format.h"
#include "storage/spec/dataset_peek.h"
#include "storage/spec/dataset_spec.h"
#include "storage/trials/tried_files.h"

namespace tidemill::storage {

// Thread-compatible.
class PartTrial {
 public:
  // `files` must outlive it. The spec must name its columns. Returns the errors of MakeFormat().
  static absl::StatusOr<PartTrial> Create(const DatasetSpec& spec, TriedFiles& files);

  // Tries all chosen places of a file, and appends them. A file that cannot be read is reported as
  // refused.
  void Try(const ListedFile& file, std::vector<TriedPart>& parts);

 private:
  PartTrial(const DatasetSpec& spec, TriedFiles& files) : spec_(spec), files_(files) {}

  TriedPart TryStart(const FileInput& input) const;
  // Tries what follows `offset`. Appends nothing when no record begins nearby.
  void TryFrom(FileInput input, int64_t offset, std::vector<TriedPart>& parts) const;
  // `uncertain`: errors that may come only from the place where the reading began are ignored.
  TriedPart Judge(const FileInput& input, const absl::StatusOr<IndexedFile>& found,
                  bool uncertain = false) const;
  void TakeValues(const IndexedFile& found, TriedPart& part) const;
  void TakeSamples(const FileInput& input, const IndexedFile& found, TriedPart& part) const;

  DatasetSpec spec_;
  TriedFiles& files_;
  bool in_pieces_ = false;
  std::unique_ptr<Format> format_;
  // For files that are not read to their end: the last record may be cut.
  std::unique_ptr<Format> format_of_cut_;
};

}  // namespace tidemill::storage

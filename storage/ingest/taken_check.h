// Compares samples that were ingested from a file with the current content of the file.
#pragma once

#include <string>

#include "storage/filesystems/local.h"
#include "storage/ingest/old_segments.h"

namespace tidemill::storage {

// Reads ranges of a file that mostly follow one another, and hashes them. Thread-compatible.
class TakenCheck {
 public:
  // `file` must outlive this object. It reads and hashes about `budget` bytes.
  TakenCheck(const OpenFile& file, int64_t budget) : file_(file), budget_(budget) {}

  // Whether the samples of a segment with keys from `first_key` on are in the file as they were
  // ingested. Checks as many as the budget allows.
  bool Holds(const OldSegment& segment, int64_t first_key);

  bool is_spent() const { return budget_ <= 0; }
  // The key of the last sample that was compared.
  int64_t last_key() const { return last_key_; }

 private:
  bool HasAt(int64_t from, int64_t to, int64_t hash);

  const OpenFile& file_;
  int64_t budget_;
  int64_t last_key_ = 0;
  int64_t offset_ = 0;  // Where held_ begins.
  std::string held_;
};

}  // namespace tidemill::storage

// Windows of rows as samples: what `series` in a dataset's spec makes of the rows of a format.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "storage/formats/format.h"

namespace tidemill::storage {

// Numbers the groups of a file in the order in which they first appear. Thread-compatible.
class GroupNumbers {
 public:
  int64_t Of(std::string_view group);

 private:
  std::string last_;  // Rows of a group are adjacent, so this one is asked for again and again.
  int64_t last_number_ = -1;
  absl::flat_hash_map<std::string, int64_t> numbers_;
};

// The anchors among the rows of a file, as indexes into its columns, ascending: rows that have
// `history` - 1 rows before them and `horizon` rows behind them in one group, without a bad row or
// a gap in time.
std::vector<size_t> FindAnchors(const SeriesSpec& spec, const IndexedFile& rows);

// Makes windows of the rows of another format. A window's position and time are those of its
// anchor, its bytes reach from its first row to the anchor, its label is that of the row `horizon`
// ahead. So nothing beyond this class knows that samples overlap.
//
// A row that cannot be read is quarantined by the row format and ends the windows before it. Of a
// file that has grown, the last rows are read once more: they belong to windows that complete only
// now.
//
// Thread-safe.
class SeriesFiles : public Format {
 public:
  // `spec` has a series; `rows` reads its rows. `files` must outlive it.
  SeriesFiles(const DatasetSpec& spec, std::unique_ptr<Format> rows, UnpackedCache& files);

  // As Format::Index. A file whose groups alternate, so that more than `max_bad_fraction` of the
  // windows that it has when sorted by group cannot be made, is a misfit.
  absl::StatusOr<IndexedFile> Index(const FileInput& input) const override;
  bool CanAppend() const override { return rows_->CanAppend(); }

 private:
  // Rows before a row that may belong to the same windows as it.
  int64_t Reach() const { return series_.history - 1 + series_.horizon; }
  // What is wrong with the order of the groups; empty: nothing.
  std::string CheckGroups(const FileInput& input, const IndexedFile& rows) const;
  absl::StatusOr<IndexedFile> MakeWindows(const FileInput& input, const IndexedFile& rows) const;
  int64_t ReadAgainFrom(const IndexedFile& rows) const;

  const DatasetSpec spec_;
  const SeriesSpec series_;
  const std::unique_ptr<Format> rows_;
  UnpackedCache& files_;
};

}  // namespace tidemill::storage

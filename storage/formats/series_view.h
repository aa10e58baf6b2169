// Makes samples from windows of rows, as `series` in a dataset's spec asks.
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
  std::string last_;  // Rows of a group are adjacent, so the last group is looked up most often.
  int64_t last_number_ = -1;
  absl::flat_hash_map<std::string, int64_t> numbers_;
};

// Windows of adjacent anchors that could not be made, for one reason.
struct LostWindows {
  size_t last_row = 0;  // The index of the last row of the first window.
  int64_t count = 0;
  size_t row_behind = 0;  // The row after what breaks them: a gap in time or a bad row.
};

struct Anchors {
  static constexpr size_t kNoRow = static_cast<size_t>(-1);

  std::vector<size_t> rows;    // Ascending indices.
  std::vector<size_t> labels;  // For each anchor the row `horizon` ahead, or kNoRow.
  std::vector<LostWindows> lost;
};

// Finds the anchors among the rows of a file. An anchor has `history` - 1 rows before it and
// `horizon` rows after it in its group, without a bad row or a gap in time. A row that would be an
// anchor without the bad row or the gap is lost. With WindowLabels::kWhereKnown an anchor needs no
// rows after it.
Anchors FindAnchors(const SeriesSpec& spec, const IndexedFile& rows, WindowLabels labels);

// Makes windows from the rows of another format. The position and the time of a window are taken
// from its anchor. Its bytes reach from its first row to the anchor. Its label is taken from the
// row `horizon` ahead. Nothing outside this class knows that samples overlap.
//
// The row format quarantines a row that cannot be read. Such a row ends the windows before it. The
// windows that a bad row or a gap in time breaks are counted as left out, as the spec asks. When a
// file has grown, its last rows are read again, because they belong to windows that are complete
// only now.
//
// Thread-safe.
class SeriesFiles : public Format {
 public:
  // `spec` has a series. `rows` reads its rows. `files` must outlive this object.
  SeriesFiles(const DatasetSpec& spec, std::unique_ptr<Format> rows, UnpackedCache& files,
              WindowLabels labels);

  // Reads as Format::Index. A file is a misfit when its groups alternate so much that more than
  // `max_bad_fraction` of its windows cannot be made, counted as if it were sorted by group.
  absl::StatusOr<IndexedFile> Index(const FileInput& input) const override;
  bool CanAppend() const override { return rows_->CanAppend(); }

 private:
  // The number of rows before a row that may share a window with it.
  int64_t Reach() const { return series_.history - 1 + num_ahead_; }
  // Returns what is wrong with the order of the groups; empty when nothing is.
  std::string CheckGroups(const FileInput& input, const IndexedFile& rows) const;
  absl::StatusOr<IndexedFile> MakeWindows(const FileInput& input, const IndexedFile& rows) const;
  void CountLost(const FileInput& input, const IndexedFile& rows,
                 const std::vector<LostWindows>& lost, IndexedFile& found) const;
  int64_t ReadAgainFrom(const IndexedFile& rows) const;

  const DatasetSpec spec_;
  const SeriesSpec series_;
  const WindowLabels labels_;
  const int64_t num_ahead_;  // The number of rows that a window waits for after its anchor.
  const std::unique_ptr<Format> rows_;
  UnpackedCache& files_;
};

}  // namespace tidemill::storage

#include "storage/formats/series_view.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/files.h"
#include "base/logs/log.h"
#include "xxhash.h"

namespace tidemill::storage {

namespace {

constexpr int64_t kReadBytes = int64_t{1} << 20;

bool InSameGroup(const IndexedFile& rows, size_t before, size_t row) {
  return rows.groups.empty() || rows.groups[before] == rows.groups[row];
}

// Whether a row continues with the series of the one before it.
bool Joins(const SeriesSpec& spec, const IndexedFile& rows, size_t before, size_t row) {
  if (!InSameGroup(rows, before, row)) return false;
  const int64_t from = rows.rows.event_time[before];
  const int64_t to = rows.rows.event_time[row];
  return spec.step ? to - from == spec.step->micros : to >= from;
}

// Windows of `num_rows` rows in a file in this order, whatever is between them.
int64_t CountWindows(const SeriesSpec& spec, int64_t num_rows, const IndexedFile& rows,
                     const std::vector<size_t>& order) {
  int64_t run = 0, count = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    run = i > 0 && Joins(spec, rows, order[i - 1], order[i]) ? run + 1 : 1;
    count += run >= num_rows ? 1 : 0;
  }
  return count;
}

// Whether some group has rows on both sides of another's.
bool GroupsComeBack(const IndexedFile& rows) {
  int64_t greatest = -1;
  for (size_t i = 0; i < rows.groups.size(); ++i) {
    if (i > 0 && rows.groups[i] == rows.groups[i - 1]) continue;
    // Numbers ascend by first appearance.
    if (rows.groups[i] <= greatest) return true;
    greatest = rows.groups[i];
  }
  return false;
}

// Why the windows that reach over `row` and the one before it are not made.
std::string ReasonOfBreak(const SeriesSpec& spec, const IndexedFile& rows, size_t row) {
  if (rows.positions[row] != rows.positions[row - 1] + 1) {
    return "its window has a record that cannot be read";
  }
  const std::string before = FormatTimestamp({rows.rows.event_time[row - 1]});
  const std::string behind = FormatTimestamp({rows.rows.event_time[row]});
  if (!spec.step)
    return fmt::format("time goes back in its window: from '{}' to '{}'", before, behind);
  return fmt::format("its window has a gap: from '{}' to '{}' is not a step of {}", before, behind,
                     FormatDuration(*spec.step));
}

// Hashes ranges of a file whose beginnings and ends ascend, reading each byte once.
class RangeHasher {
 public:
  explicit RangeHasher(const OpenFile& file) : file_(file) {}

  absl::StatusOr<int64_t> Hash(int64_t from, int64_t to) {
    if (to > offset_ + std::ssize(held_)) RETURN_IF_ERROR(Advance(from, to));
    return static_cast<int64_t>(
        XXH3_64bits(held_.data() + (from - offset_), static_cast<size_t>(to - from)));
  }

 private:
  absl::Status Advance(int64_t from, int64_t to) {
    const int64_t kept_from = std::min(from - offset_, static_cast<int64_t>(held_.size()));
    held_.erase(held_.begin(), held_.begin() + kept_from);
    offset_ = from;
    const auto kept = static_cast<int64_t>(held_.size());
    held_.resize(static_cast<size_t>(std::max(to - from, kept + kReadBytes)));
    ASSIGN_OR_RETURN(const size_t got, file_.ReadAt(offset_ + kept, held_.data() + kept,
                                                    held_.size() - static_cast<size_t>(kept)));
    held_.resize(static_cast<size_t>(kept) + got);
    if (std::ssize(held_) < to - from) {
      return Unavailable("{} became shorter while it was read", file_.path());
    }
    return absl::OkStatus();
  }

  const OpenFile& file_;
  std::vector<char> held_;  // The file's bytes from offset_ on.
  int64_t offset_ = 0;
};

}  // namespace

int64_t GroupNumbers::Of(std::string_view group) {
  if (last_number_ >= 0 && group == last_) return last_number_;
  last_ = group;
  last_number_ = numbers_.try_emplace(last_, std::ssize(numbers_)).first->second;
  return last_number_;
}

Anchors FindAnchors(const SeriesSpec& spec, const IndexedFile& rows, WindowLabels labels) {
  Anchors found;
  const auto horizon = static_cast<size_t>(spec.horizon);
  const size_t num_ahead = labels == WindowLabels::kNeeded ? horizon : 0;
  const int64_t wanted = spec.history + static_cast<int64_t>(num_ahead);
  int64_t run = 0, unbroken_run = 0;  // The runs of rows, with and without breaks.
  size_t row_behind = 0;
  for (size_t row = 0; row < rows.positions.size(); ++row) {
    const bool same_group = row > 0 && InSameGroup(rows, row - 1, row);
    const int64_t apart = row > 0 ? rows.positions[row] - rows.positions[row - 1] : 0;
    const bool goes_on = same_group && apart == 1 && Joins(spec, rows, row - 1, row);
    run = goes_on ? run + 1 : 1;
    unbroken_run = same_group ? unbroken_run + apart : 1;
    if (!goes_on) row_behind = row;
    if (run >= wanted) {
      found.rows.push_back(row - num_ahead);
      found.labels.push_back(num_ahead == horizon ? row : Anchors::kNoRow);
      // The anchors between are of the same run.
      const bool has_come = num_ahead < horizon && run >= spec.history + spec.horizon;
      if (has_come) found.labels[found.labels.size() - 1 - horizon] = row;
    } else if (unbroken_run >= wanted) {
      const bool next = !found.lost.empty() && found.lost.back().row_behind == row_behind;
      if (!next) found.lost.push_back({.last_row = row, .row_behind = row_behind});
      ++found.lost.back().count;
    }
  }
  return found;
}

SeriesFiles::SeriesFiles(const DatasetSpec& spec, std::unique_ptr<Format> rows,
                         UnpackedCache& files, WindowLabels labels)
    : spec_(spec),
      series_(*spec.series),
      labels_(labels),
      num_ahead_(labels == WindowLabels::kNeeded ? series_.horizon : 0),
      rows_(std::move(rows)),
      files_(files) {}

absl::StatusOr<IndexedFile> SeriesFiles::Index(const FileInput& input) const {
  FileInput from = input;
  from.from_record =
      input.from_byte > 0 ? std::max<int64_t>(0, input.from_record - Reach()) : int64_t{0};
  from.counted = input.from_record;
  // Reading again starts at a valid row.
  from.columns_moved = input.columns_moved && Reach() == 0;
  ASSIGN_OR_RETURN(const IndexedFile rows, rows_->Index(from));
  ASSIGN_OR_RETURN(IndexedFile windows, MakeWindows(input, rows));
  windows.misfit = CheckGroups(input, rows);
  return windows;
}

std::string SeriesFiles::CheckGroups(const FileInput& input, const IndexedFile& rows) const {
  if (!GroupsComeBack(rows)) return "";
  std::vector<size_t> order(rows.positions.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const int64_t num_made = CountWindows(series_, Reach() + 1, rows, order);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rows.groups[a] < rows.groups[b]; });
  const int64_t num_sorted = CountWindows(series_, Reach() + 1, rows, order);
  const int64_t num_lost = num_sorted - num_made;
  const std::string column = series_.group.value_or("");
  if (static_cast<double>(num_lost) > spec_.max_bad_fraction * static_cast<double>(num_sorted)) {
    return fmt::format(
        "the groups of column '{}' alternate, which breaks {} of the file's {} windows; sort the "
        "file by that column",
        column, num_lost, num_sorted);
  }
  if (num_lost > 0) {
    log::Warn(
        "the groups of a series alternate",
        {{"path", input.path}, {"column", column}, {"windows_lost", std::to_string(num_lost)}});
  }
  return "";
}

absl::StatusOr<IndexedFile> SeriesFiles::MakeWindows(const FileInput& input,
                                                     const IndexedFile& rows) const {
  IndexedFile found;
  found.bytes_done = ReadAgainFrom(rows);
  found.records_done = rows.records_done;
  found.num_bytes = rows.num_bytes;
  for (const BadRecord& bad : rows.bad) {
    if (bad.position < input.from_record) continue;
    found.AddLost(bad.position, bad.lost_bytes, bad.reason);
  }
  for (const std::string& remark : rows.remarks) found.AddRemark(remark, /*num_members=*/0);
  found.unknown = rows.unknown;
  for (const LeftOutReason& reason : rows.left_out.items()) {
    if (!reason.wanted) continue;
    found.left_out.Add(reason.first_record, reason.num_records, reason.first_reason, true);
  }
  found.columns_moved = rows.columns_moved;
  const int64_t num_unlisted = rows.num_bad - std::ssize(rows.bad);
  found.num_bad += num_unlisted;
  found.left_out.Add(std::nullopt, num_unlisted, "there are more bad records than are listed",
                     /*wanted=*/false);
  ASSIGN_OR_RETURN(const OpenFile file, files_.Open(files::Join(input.root, input.path)));
  RangeHasher hasher(file);
  const bool needs_label = labels_ == WindowLabels::kNeeded && DropsUnlabelled(spec_);
  const Anchors anchors = FindAnchors(series_, rows, labels_);
  CountLost(input, rows, anchors.lost, found);
  for (size_t window = 0; window < anchors.rows.size(); ++window) {
    const size_t anchor = anchors.rows[window];
    // Anchors before this one were complete the last time.
    if (rows.positions[anchor] < input.from_record - num_ahead_) continue;
    const size_t first = anchor + 1 - static_cast<size_t>(series_.history);
    const size_t ahead = anchors.labels[window];
    const bool is_known = ahead != Anchors::kNoRow;
    const auto class_label = is_known ? rows.rows.class_label[ahead] : std::nullopt;
    const auto real_label = is_known ? rows.rows.real_label[ahead] : std::nullopt;
    if (needs_label && !class_label && !real_label) {
      found.left_out.Add(rows.positions[anchor], 1, kNoLabel, /*wanted=*/true);
      continue;
    }
    const int64_t from = rows.rows.byte_from[first];
    const int64_t to = rows.rows.byte_to[anchor];
    ASSIGN_OR_RETURN(const int64_t hash, hasher.Hash(from, to));
    found.positions.push_back(rows.positions[anchor]);
    found.rows.byte_from.push_back(from);
    found.rows.byte_to.push_back(to);
    found.rows.event_time.push_back(rows.rows.event_time[anchor]);
    found.rows.class_label.push_back(class_label);
    found.rows.real_label.push_back(real_label);
    found.rows.hash.push_back(hash);
  }
  return found;
}

void SeriesFiles::CountLost(const FileInput& input, const IndexedFile& rows,
                            const std::vector<LostWindows>& lost, IndexedFile& found) const {
  for (const LostWindows& windows : lost) {
    // Those that end before were counted the last time.
    const int64_t first = rows.positions[windows.last_row];
    const auto behind = rows.positions.begin() + static_cast<int64_t>(windows.last_row);
    const auto known = std::lower_bound(behind, behind + windows.count, input.from_record) - behind;
    if (known == windows.count) continue;
    found.left_out.Add(first + known - num_ahead_, windows.count - known,
                       ReasonOfBreak(series_, rows, windows.row_behind), /*wanted=*/true);
  }
}

// The first row that windows yet to come may begin with is Reach() rows before the end. If that row
// is bad, or does not exist, the file is read from its beginning: `from_record` says what was
// there, so nothing is taken twice.
int64_t SeriesFiles::ReadAgainFrom(const IndexedFile& rows) const {
  if (Reach() == 0) return rows.bytes_done;
  const int64_t position = rows.records_done - Reach();
  const auto row = std::lower_bound(rows.positions.begin(), rows.positions.end(), position);
  if (row == rows.positions.end() || *row != position) return 0;
  return rows.rows.byte_from[static_cast<size_t>(row - rows.positions.begin())];
}

}  // namespace tidemill::storage

#include "storage/ingest/ingest_batch.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "records/text.h"
#include "storage/ingest/record_diff.h"
#include "storage/segments/record_identity.h"

// Which keys the records of a file get:
//
//   kNew                  keys after the committed one, in new segments
//   kGrown, kResumed      the same; the last segment of a grown file is extended if it is small and
//                         its last key is the committed one
//   kReplaced, kVanished  equal records keep their keys, vanished ones get tombstones, and new ones
//                         get new keys
//   an earlier version    equal records keep the keys that they had there
//
// A replaced file. Its old segment is rewritten:
//
//   old           key 10 -> a    11 -> b    12 -> c    13 -> d
//   content now   b d e
//   rewritten     key 10 gone    11 -> b    12 gone    13 -> d        e gets a new key

namespace tidemill::storage {

namespace {

constexpr std::string_view kEqualsDeleted = "it equals a record that was deleted on request";
constexpr int64_t kVanished = -1;
// A larger segment is not written again for what is added to its file.
constexpr int64_t kMaxExtended = 16'384;
// A segment of keys that are taken over continues across as many keys without a record. There is a
// column file, and a mapping, for each segment.
constexpr int64_t kLongestGap = 64;

template <typename T>
NullableValues<T> ToNullable(const batch::Column& column) {
  NullableValues<T> values;
  if (column.validity.empty()) {
    values.Append(column.Values<T>());
  } else {
    const auto num_rows = static_cast<int64_t>(column.Values<T>().size());
    for (int64_t row = 0; row < num_rows; ++row) values.push_back(ValueAt<T>(column, row));
  }
  return values;
}

SegmentRows ToRows(const SegmentColumns& old) {
  SegmentRows rows;
  for (const LookupRow& row : old.lookup) {
    rows.byte_from.push_back(row.byte_from);
    rows.hash.push_back(row.hash);
  }
  rows.byte_to.assign(old.byte_to.begin(), old.byte_to.end());
  rows.event_time.assign(old.event_time.begin(), old.event_time.end());
  rows.class_label = ToNullable<int64_t>(*old.class_label);
  rows.real_label = ToNullable<double>(*old.real_label);
  return rows;
}

// Appends the rows [from, to) of one column to another.
void Append(std::vector<int64_t>& into, const std::vector<int64_t>& column, size_t from,
            size_t to) {
  into.insert(into.end(), column.begin() + static_cast<std::ptrdiff_t>(from),
              column.begin() + static_cast<std::ptrdiff_t>(to));
}

int64_t NextKey(const NewSegment& segment) {
  return segment.segment.first_key + segment.segment.rows.num_rows();
}

void Append(SegmentRows& into, const SegmentRows& rows, size_t from, size_t to) {
  Append(into.byte_from, rows.byte_from, from, to);
  Append(into.byte_to, rows.byte_to, from, to);
  Append(into.event_time, rows.event_time, from, to);
  into.class_label.Append(rows.class_label, from, to);
  into.real_label.Append(rows.real_label, from, to);
  Append(into.hash, rows.hash, from, to);
}

FileRow ToFileRow(const ParsedFile& parsed, FileId id) {
  const bool grown =
      parsed.file.change == FileChange::kGrown || parsed.file.change == FileChange::kResumed;
  FileRow row{.id = id,
              .path = parsed.file.path,
              .version_step = grown ? 0 : 1,
              .identity = parsed.file.input.identity,
              .fingerprint = parsed.file.fingerprint,
              .bytes_done = parsed.found.bytes_done,
              .records_done = parsed.found.records_done,
              .num_bytes = parsed.found.num_bytes,
              .num_filtered = parsed.found.num_filtered,
              .sample_key = std::nullopt,
              .state = parsed.found.more ? "partial" : "ingested",
              .checked_key = parsed.file.checked_key,
              .columns_moved = parsed.found.columns_moved,
              .change_stamp = std::nullopt,
              .edge_sum = parsed.edge_sum,
              .fresh = !grown};
  if (parsed.file.change_stamp != 0) row.change_stamp = parsed.file.change_stamp;
  if (parsed.failure) row.state = "quarantined";
  if (parsed.file.change == FileChange::kVanished) row.state = "vanished";
  return row;
}

}  // namespace

IngestBatchBuilder::IngestBatchBuilder(int64_t committed_key, bool one_file_a_sample,
                                       int64_t samples_per_segment, const DeletedRecords& deleted)
    : one_file_a_sample_(one_file_a_sample),
      samples_per_segment_(samples_per_segment),
      deleted_(deleted) {
  batch_.committed_key = committed_key;
}

void IngestBatchBuilder::Add(ParsedFile parsed, FileId new_id) {
  if (parsed.postponed) return;
  const FileId id = parsed.file.known ? parsed.file.known->id : new_id;
  FileRow row = ToFileRow(parsed, id);
  const size_t tombstones_before = batch_.tombstones.size();
  const int64_t samples_before = batch_.num_samples;
  if (one_file_a_sample_) {
    AddWholeFile(parsed, row);
  } else {
    AddRecords(parsed, id);
  }
  batch_.num_replaced +=
      std::min(static_cast<int64_t>(batch_.tombstones.size() - tombstones_before),
               batch_.num_samples - samples_before);
  AddLeftOut(parsed, row);
  batch_.files.push_back(std::move(row));
  const std::string& path = parsed.file.path;
  if (parsed.failure) {
    batch_.quarantined.push_back({path, std::nullopt, AsText(*parsed.failure)});
  }
  for (const BadRecord& bad : parsed.found.bad) {
    batch_.quarantined.push_back({path, bad.position, AsText(bad.reason)});
  }
  for (const std::string& remark : parsed.found.remarks) {
    batch_.quarantined.push_back({path, std::nullopt, AsText(remark), /*is_remark=*/true});
  }
  batch_.num_quarantined += parsed.found.num_bad + (parsed.failure ? 1 : 0);
}

void IngestBatchBuilder::AddLeftOut(ParsedFile& parsed, FileRow& row) {
  LeftOutReasons& reasons = parsed.found.left_out;
  if (parsed.failure && row.num_bytes == 0) row.num_bytes = row.identity.size_bytes;
  if (parsed.failure && one_file_a_sample_) {
    reasons.Add(0, *parsed.failure, row.num_bytes);
    row.records_done = 1;
  } else if (parsed.failure && reasons.items().empty()) {
    reasons.AddFile(*parsed.failure, row.num_bytes);
  }
  for (const LeftOutReason& reason : reasons.items()) batch_.left_out.push_back({row.id, reason});
}

void IngestBatchBuilder::AddRecords(ParsedFile& parsed, FileId id) {
  segment_open_ = false;
  const size_t num_found = parsed.found.positions.size();
  if (parsed.file.change == FileChange::kGrown && !parsed.old.empty() && num_found > 0) {
    Extend(parsed.old.back());
  }
  const bool compared =
      parsed.file.change != FileChange::kGrown && parsed.file.change != FileChange::kResumed;
  std::vector<bool> held;
  if (compared && !parsed.file.earlier && !parsed.old.empty()) held = Rewrite(parsed, id);
  LeaveOutDeleted(parsed.found, held);
  if (parsed.file.earlier) TakeOver(parsed, id, held);
  if (held.empty()) return AddRows(parsed.found, 0, num_found, id, id);
  for (size_t from = 0, to = 0; from < num_found; from = to + 1) {
    for (to = from; to < num_found && !held[to];) ++to;
    AddRows(parsed.found, from, to, id, id);
  }
}

void IngestBatchBuilder::AddWholeFile(ParsedFile& parsed, FileRow& row) {
  const std::optional<int64_t> old_key =
      parsed.file.known ? parsed.file.known->sample_key : std::nullopt;
  const bool is_there = !parsed.found.positions.empty();
  if (is_there && parsed.file.earlier && TakeOverWholeFile(parsed, row)) return;
  if (!parsed.old.empty() && old_key) {
    const OldSegment& old = parsed.old.front();
    const int64_t at = *old_key - old.segment.first_key;
    if (is_there && old.columns &&
        IsSameRecord(*old.columns, at, parsed.found.rows, 0, CompareTimes::kNo)) {
      row.sample_key = old_key;  // Touched, not changed.
      return;
    }
    AddTombstones(*old_key);
    const bool had_label = !old.columns || ValueAt<int64_t>(*old.columns->class_label, at) ||
                           ValueAt<double>(*old.columns->real_label, at);
    if (!had_label) ++batch_.unlabelled_tombstones[old.segment.segment_id];
    batch_.moved.push_back({*old_key, std::nullopt});
  }
  if (!is_there) return;
  std::vector<bool> held;
  LeaveOutDeleted(parsed.found, held);
  if (!held.empty()) return;
  AddRows(parsed.found, 0, 1, std::nullopt, row.id);
  row.sample_key = batch_.committed_key;
}

std::vector<bool> IngestBatchBuilder::Rewrite(ParsedFile& parsed, FileId id) {
  const IndexedFile& found = parsed.found;
  std::vector<bool> held(found.positions.size(), false);
  std::vector<std::shared_ptr<const SegmentColumns>> columns;
  const size_t first = batch_.rewritten.size();
  for (const OldSegment& old : parsed.old) {
    if (!old.columns) {
      AddTombstonesOfLost(old.segment);
      continue;
    }
    SegmentRow segment{.file = id, .first_key = old.segment.first_key};
    segment.rows = ToRows(*old.columns);
    // Each is taken for vanished until it is found again.
    std::ranges::fill(segment.rows.byte_from, kVanished);
    std::ranges::fill(segment.rows.byte_to, kVanished);
    segment.first_position = kVanished;
    batch_.rewritten.push_back({old.segment.segment_id, std::move(segment)});
    columns.push_back(old.columns);
  }
  const std::vector<SegmentPlace> places = MatchRecords(columns, found.rows, CompareTimes::kNo);
  for (size_t row = 0; row < places.size(); ++row) {
    if (places[row].segment < 0) continue;
    held[row] = true;
    SegmentRow& segment =
        batch_.rewritten[first + static_cast<size_t>(places[row].segment)].segment;
    if (segment.first_position < 0) segment.first_position = found.positions[row];
    const auto at = static_cast<size_t>(places[row].row);
    segment.rows.byte_from[at] = found.rows.byte_from[row];
    segment.rows.byte_to[at] = found.rows.byte_to[row];
    batch_.moved.push_back({segment.first_key + places[row].row, found.positions[row]});
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    SegmentRow& segment = batch_.rewritten[first + i].segment;
    segment.first_position = std::max<int64_t>(0, segment.first_position);
    for (int64_t row = 0; row < columns[i]->num_rows(); ++row) {
      const auto at = static_cast<size_t>(row);
      if (columns[i]->lookup[at].byte_from < 0 || segment.rows.byte_from[at] >= 0) continue;
      AddTombstones(segment.first_key + row);
      batch_.moved.push_back({segment.first_key + row, std::nullopt});
    }
  }
  return held;
}

void IngestBatchBuilder::TakeOver(ParsedFile& parsed, FileId id, std::vector<bool>& held) {
  std::vector<std::shared_ptr<const SegmentColumns>> columns;
  std::vector<files_table::Segment> segments;
  for (const OldSegment& old : parsed.old) {
    if (!old.columns) continue;  // Its records get new keys.
    columns.push_back(old.columns);
    segments.push_back(old.segment);
  }
  const std::vector<SegmentPlace> places =
      MatchRecords(columns, parsed.found.rows, CompareTimes::kYes);
  held.resize(places.size(), false);
  // Each has the old segment, the place in it, and the row.
  std::vector<std::array<size_t, 3>> taken;
  for (size_t row = 0; row < places.size(); ++row) {
    if (held[row] || places[row].segment < 0) continue;
    held[row] = true;
    taken.push_back(
        {static_cast<size_t>(places[row].segment), static_cast<size_t>(places[row].row), row});
  }
  std::ranges::sort(taken);
  for (size_t from = 0, to = 0; from < taken.size(); from = to) {
    const auto [segment, place, row] = taken[from];
    for (to = from + 1; to < taken.size(); ++to) {
      const size_t step = to - from;
      if (taken[to] != std::array{segment, place + step, row + step}) break;
    }
    const files_table::Segment& old = segments[segment];
    AddUnderKeys(parsed.found, row, row + (to - from), old.first_key + static_cast<int64_t>(place),
                 old, id, id);
  }
}

bool IngestBatchBuilder::TakeOverWholeFile(ParsedFile& parsed, FileRow& row) {
  const std::optional<int64_t> key = parsed.file.earlier->sample_key;
  std::vector<bool> held;
  LeaveOutDeleted(parsed.found, held);
  if (!held.empty()) return true;
  if (!key || parsed.old.empty() || !parsed.old.front().columns) return false;
  const OldSegment& old = parsed.old.front();
  if (!IsSameRecord(*old.columns, *key - old.segment.first_key, parsed.found.rows, 0,
                    CompareTimes::kYes)) {
    return false;
  }
  AddUnderKeys(parsed.found, 0, 1, *key, old.segment, std::nullopt, row.id);
  row.sample_key = key;
  return true;
}

void IngestBatchBuilder::AddUnderKeys(const IndexedFile& found, size_t from, size_t to,
                                      int64_t first_key, const files_table::Segment& old,
                                      std::optional<FileId> file, FileId id) {
  TIDEMILL_CHECK(from < to && to <= found.positions.size());
  const int64_t count = static_cast<int64_t>(to - from);
  NewSegment* segment = taken_over_.empty() ? nullptr : &taken_over_.back();
  // Within one old segment only: keys between two of them may be those of other files.
  const bool is_same = std::exchange(taken_from_, old.segment_id) == old.segment_id;
  const bool continues = is_same && segment != nullptr && segment->segment.file == file &&
                         first_key >= NextKey(*segment) &&
                         first_key - NextKey(*segment) <= kLongestGap &&
                         first_key + count - segment->segment.first_key <= samples_per_segment_;
  if (continues) {
    FillGap(*segment, first_key, id);
  } else {
    segment = &taken_over_.emplace_back();
    segment->segment.file = file;
    segment->segment.first_key = first_key;
    segment->segment.first_position = found.positions[from];
  }
  SegmentRow& row = segment->segment;
  row.first_position = std::min(row.first_position, found.positions[from]);
  Append(row.rows, found.rows, from, to);
  Append(segment->positions, found.positions, from, to);
  if (!file) row.rows.file_id.insert(row.rows.file_id.end(), to - from, id.value);
  batch_.num_samples += count;
}

void IngestBatchBuilder::FillGap(NewSegment& segment, int64_t to_key, FileId id) {
  SegmentRows& rows = segment.segment.rows;
  for (int64_t key = NextKey(segment); key < to_key; ++key) {
    rows.byte_from.push_back(kVanished);
    rows.byte_to.push_back(kVanished);
    rows.event_time.push_back(rows.event_time.back());
    rows.class_label.push_back(std::nullopt);
    rows.real_label.push_back(std::nullopt);
    rows.hash.push_back(0);
    if (!segment.segment.file) rows.file_id.push_back(id.value);
    segment.positions.push_back(kVanished);
    segment.has_gaps = true;
    batch_.gaps.push_back(key);
  }
}

void IngestBatchBuilder::Extend(const OldSegment& old) {
  TIDEMILL_CHECK(!segment_open_);
  const files_table::Segment& segment = old.segment;
  const bool ends_at_the_last_key =
      segment.first_key + segment.num_samples - 1 == batch_.committed_key;
  if (!old.columns || !ends_at_the_last_key || segment.num_samples > kMaxExtended) return;
  SegmentRow row{.file = segment.file,
                 .first_key = segment.first_key,
                 .first_position = segment.first_position,
                 .rows = ToRows(*old.columns)};
  batch_.added.push_back({std::move(row), {}, segment.segment_id});
  segment_open_ = true;
}

void IngestBatchBuilder::AddTombstonesOfLost(const files_table::Segment& segment) {
  for (int64_t i = 0; i < segment.num_samples; ++i) {
    AddTombstones(segment.first_key + i);
    batch_.moved.push_back({segment.first_key + i, std::nullopt});
  }
}

void IngestBatchBuilder::AddTombstones(int64_t key) {
  if (!deleted_.HasKey(key)) batch_.tombstones.push_back(key);
}

void IngestBatchBuilder::LeaveOutDeleted(IndexedFile& found, std::vector<bool>& held) const {
  if (deleted_.empty()) return;
  const SegmentRows& rows = found.rows;
  for (size_t row = 0; row < found.positions.size(); ++row) {
    if (!held.empty() && held[row]) continue;
    const bool is_deleted = deleted_.HasHash(rows.hash[row]) ||
                            deleted_.HasRecord(RecordIdentity(rows.hash[row], rows.class_label[row],
                                                              rows.real_label[row]));
    if (!is_deleted) continue;
    if (held.empty()) held.resize(found.positions.size(), false);
    held[row] = true;
    found.left_out.Add(found.positions[row], 1, kEqualsDeleted, /*wanted=*/true);
  }
}

void IngestBatchBuilder::AddRows(IndexedFile& found, size_t from, size_t to,
                                 std::optional<FileId> file, FileId id) {
  while (from < to) {
    NewSegment& into = OpenSegment(file, found.positions[from]);
    SegmentRows& rows = into.segment.rows;
    const auto room = static_cast<size_t>(samples_per_segment_ - rows.num_rows());
    const size_t end = std::min(to, from + room);
    const bool is_all = from == 0 && end == found.positions.size() && rows.num_rows() == 0;
    if (is_all && file) {
      rows = std::move(found.rows);
      into.positions = std::move(found.positions);
    } else {
      Append(rows, found.rows, from, end);
      Append(into.positions, found.positions, from, end);
      if (!file) rows.file_id.insert(rows.file_id.end(), end - from, id.value);
    }
    batch_.committed_key += static_cast<int64_t>(end - from);
    batch_.num_samples += static_cast<int64_t>(end - from);
    from = end;
  }
}

NewSegment& IngestBatchBuilder::OpenSegment(std::optional<FileId> file, int64_t first_position) {
  const bool full =
      segment_open_ && batch_.added.back().segment.rows.num_rows() >= samples_per_segment_;
  if (!segment_open_ || full) {
    const SegmentRow segment{.file = file,
                             .first_key = batch_.committed_key + 1,
                             .first_position = first_position,
                             .rows = {}};
    batch_.added.push_back({segment, {}, std::nullopt});
    segment_open_ = true;
  }
  return batch_.added.back();
}

IngestBatch IngestBatchBuilder::Finish() {
  // In the order of their keys, because the index on samples is a BRIN.
  std::ranges::stable_sort(taken_over_, {},
                           [](const NewSegment& added) { return added.segment.first_key; });
  std::ranges::move(batch_.added, std::back_inserter(taken_over_));
  batch_.added = std::exchange(taken_over_, {});
  IngestBatch finished = std::move(batch_);
  batch_ = {};
  batch_.committed_key = finished.committed_key;
  segment_open_ = false;
  return finished;
}

}  // namespace tidemill::storage

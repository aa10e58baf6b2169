#include "storage/ingest_batch.h"

#include <algorithm>
#include <utility>

#include "storage/record_diff.h"
#include "storage/text.h"

namespace tidemill::storage {

namespace {

constexpr int64_t kVanished = -1;
// A larger segment is not written again for what is added to its file.
constexpr int64_t kMaxExtended = 16'384;

template <typename T>
std::optional<T> ValueAt(const batch::Column& column, int64_t row) {
  if (!column.IsValid(row)) return std::nullopt;
  return column.Values<T>()[static_cast<size_t>(row)];
}

SegmentRows ToRows(const SegmentColumns& old) {
  SegmentRows rows;
  rows.byte_from.assign(old.byte_from.begin(), old.byte_from.end());
  rows.byte_to.assign(old.byte_to.begin(), old.byte_to.end());
  rows.event_time.assign(old.event_time.begin(), old.event_time.end());
  rows.hash.assign(old.hash.begin(), old.hash.end());
  for (int64_t row = 0; row < old.num_rows(); ++row) {
    rows.class_label.push_back(ValueAt<int64_t>(*old.class_label, row));
    rows.real_label.push_back(ValueAt<double>(*old.real_label, row));
  }
  return rows;
}

FileRow ToFileRow(const ParsedFile& parsed, FileId id) {
  const bool grown = parsed.file.change == FileChange::kGrown;
  FileRow row{.id = id,
              .path = parsed.file.path,
              .version_step = grown ? 0 : 1,
              .identity = parsed.file.input.identity,
              .fingerprint = parsed.file.fingerprint,
              .bytes_done = parsed.found.bytes_done,
              .records_done = parsed.found.records_done,
              .sample_key = std::nullopt,
              .state = "ingested",
              .fresh = !grown};
  if (parsed.failure) row.state = "quarantined";
  if (parsed.file.change == FileChange::kVanished) row.state = "vanished";
  return row;
}

}  // namespace

IngestBatchBuilder::IngestBatchBuilder(int64_t committed_key, bool one_file_a_sample,
                                       int64_t samples_per_segment)
    : one_file_a_sample_(one_file_a_sample), samples_per_segment_(samples_per_segment) {
  batch_.committed_key = committed_key;
}

void IngestBatchBuilder::Add(ParsedFile parsed, FileId new_id) {
  if (parsed.postponed) return;
  const FileId id = parsed.file.known ? parsed.file.known->id : new_id;
  FileRow row = ToFileRow(parsed, id);
  if (one_file_a_sample_) {
    AddWholeFile(parsed, row);
  } else {
    AddRecords(parsed, id);
  }
  batch_.files.push_back(std::move(row));
  const std::string& path = parsed.file.path;
  if (parsed.failure) {
    batch_.quarantined.push_back({path, std::nullopt, AsText(*parsed.failure)});
  }
  for (const BadRecord& bad : parsed.found.bad) {
    batch_.quarantined.push_back({path, bad.position, AsText(bad.reason)});
  }
  batch_.num_quarantined += parsed.found.num_bad + (parsed.failure ? 1 : 0);
}

void IngestBatchBuilder::AddRecords(ParsedFile& parsed, FileId id) {
  segment_open_ = false;
  std::vector<bool> held(parsed.found.positions.size(), false);
  if (parsed.file.change == FileChange::kGrown) {
    if (!parsed.old.empty() && !held.empty()) Extend(parsed.old.back());
  } else {
    held = Rewrite(parsed, id);
  }
  for (size_t row = 0; row < parsed.found.positions.size(); ++row) {
    if (!held[row]) AddRow(parsed, row, id, id);
  }
}

void IngestBatchBuilder::AddWholeFile(ParsedFile& parsed, FileRow& row) {
  const std::optional<int64_t> old_key =
      parsed.file.known ? parsed.file.known->sample_key : std::nullopt;
  const bool is_there = !parsed.found.positions.empty();
  if (!parsed.old.empty() && old_key) {
    const OldSegment& old = parsed.old.front();
    const int64_t at = *old_key - old.segment.first_key;
    const auto place = static_cast<size_t>(at);
    if (is_there && old.columns && old.columns->hash[place] == parsed.found.rows.hash[0] &&
        ValueAt<int64_t>(*old.columns->class_label, at) == parsed.found.rows.class_label[0] &&
        ValueAt<double>(*old.columns->real_label, at) == parsed.found.rows.real_label[0]) {
      row.sample_key = old_key;  // Touched, not changed.
      return;
    }
    batch_.buried.push_back(*old_key);
    batch_.moved.push_back({*old_key, std::nullopt});
  }
  if (!is_there) return;
  AddRow(parsed, 0, std::nullopt, row.id);
  row.sample_key = batch_.committed_key;
}

std::vector<bool> IngestBatchBuilder::Rewrite(ParsedFile& parsed, FileId id) {
  const IndexedFile& found = parsed.found;
  std::vector<bool> held(found.positions.size(), false);
  std::vector<SegmentColumns> columns;
  const size_t first = batch_.rewritten.size();
  for (OldSegment& old : parsed.old) {
    if (!old.columns) {
      BuryLost(old.segment);
      continue;
    }
    SegmentRow segment{.file = id, .first_key = old.segment.first_key};
    segment.rows = ToRows(*old.columns);
    // Each is taken for vanished until it is found again.
    std::ranges::fill(segment.rows.byte_from, kVanished);
    std::ranges::fill(segment.rows.byte_to, kVanished);
    segment.first_position = kVanished;
    batch_.rewritten.push_back({old.segment.segment_id, std::move(segment)});
    columns.push_back(*std::move(old.columns));
  }
  const std::vector<SegmentPlace> places = MatchRecords(columns, found.rows);
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
    for (int64_t row = 0; row < columns[i].num_rows(); ++row) {
      const auto at = static_cast<size_t>(row);
      if (columns[i].byte_from[at] < 0 || segment.rows.byte_from[at] >= 0) continue;
      batch_.buried.push_back(segment.first_key + row);
      batch_.moved.push_back({segment.first_key + row, std::nullopt});
    }
  }
  return held;
}

void IngestBatchBuilder::Extend(const OldSegment& old) {
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

void IngestBatchBuilder::BuryLost(const files_table::Segment& segment) {
  for (int64_t i = 0; i < segment.num_samples; ++i) {
    batch_.buried.push_back(segment.first_key + i);
    batch_.moved.push_back({segment.first_key + i, std::nullopt});
  }
}

void IngestBatchBuilder::AddRow(const ParsedFile& parsed, size_t row, std::optional<FileId> file,
                                FileId id) {
  const bool full =
      segment_open_ && batch_.added.back().segment.rows.num_rows() >= samples_per_segment_;
  if (!segment_open_ || full) {
    const SegmentRow segment{.file = file,
                             .first_key = batch_.committed_key + 1,
                             .first_position = parsed.found.positions[row],
                             .rows = {}};
    batch_.added.push_back({segment, {}, std::nullopt});
    segment_open_ = true;
  }
  NewSegment& into = batch_.added.back();
  SegmentRows& rows = into.segment.rows;
  const SegmentRows& from = parsed.found.rows;
  rows.byte_from.push_back(from.byte_from[row]);
  rows.byte_to.push_back(from.byte_to[row]);
  rows.event_time.push_back(from.event_time[row]);
  rows.class_label.push_back(from.class_label[row]);
  rows.real_label.push_back(from.real_label[row]);
  rows.hash.push_back(from.hash[row]);
  if (!file) rows.file_id.push_back(id.value);
  into.positions.push_back(parsed.found.positions[row]);
  ++batch_.committed_key;
  ++batch_.num_samples;
}

IngestBatch IngestBatchBuilder::Finish() { return std::move(batch_); }

}  // namespace tidemill::storage

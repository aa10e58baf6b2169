#include "storage/ingest/old_segments.h"

#include <algorithm>
#include <utility>

#include "base/logs/log.h"
#include "storage/ingest/taken_check.h"

namespace tidemill::storage {

namespace {

constexpr size_t kMaxKept = 4;

bool Holds(const files_table::Segment& segment, int64_t key) {
  return key >= segment.first_key && key < segment.first_key + segment.num_samples;
}

}  // namespace

OldSegments::OldSegments(db::Database& database, std::string storage_folder, DatasetId dataset)
    : database_(database), storage_folder_(std::move(storage_folder)), dataset_(dataset) {}

absl::StatusOr<std::vector<OldSegment>> OldSegments::Of(FileId file) const {
  ASSIGN_OR_RETURN(const std::vector<files_table::Segment> segments, SegmentsOf(file));
  std::vector<OldSegment> old;
  for (const files_table::Segment& segment : segments) old.push_back(Open(segment));
  return old;
}

absl::StatusOr<std::vector<OldSegment>> OldSegments::LastOf(FileId file) const {
  ASSIGN_OR_RETURN(const std::vector<files_table::Segment> segments, SegmentsOf(file));
  std::vector<OldSegment> old;
  if (!segments.empty()) old.push_back(Open(segments.back()));
  return old;
}

absl::StatusOr<std::vector<OldSegment>> OldSegments::With(int64_t sample_key) {
  {
    MutexLock lock(mutex_);
    const auto kept = std::ranges::find_if(
        kept_, [&](const OldSegment& old) { return Holds(old.segment, sample_key); });
    if (kept != kept_.end()) return std::vector<OldSegment>{*kept};
  }
  std::optional<files_table::Segment> segment;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    segment = files_table::SegmentWith(work, dataset_, sample_key);
    return absl::OkStatus();
  }));
  if (!segment) return std::vector<OldSegment>();
  OldSegment old = Open(*segment);
  MutexLock lock(mutex_);
  kept_.push_front(old);
  if (kept_.size() > kMaxKept) kept_.pop_back();
  return std::vector<OldSegment>{std::move(old)};
}

absl::StatusOr<std::vector<OldSegment>> OldSegments::AllOf(const files_table::KnownFile& file) {
  return file.sample_key ? With(*file.sample_key) : Of(file.id);
}

absl::StatusOr<std::optional<int64_t>> OldSegments::Compare(FileId file, const OpenFile& data,
                                                            int64_t after_key,
                                                            int64_t max_bytes) const {
  ASSIGN_OR_RETURN(std::vector<files_table::Segment> segments, SegmentsOf(file));
  // The one with the first key to compare comes first, and again at the end.
  const auto next = std::ranges::find_if(segments, [&](const files_table::Segment& segment) {
    return segment.first_key + segment.num_samples > after_key + 1;
  });
  std::ranges::rotate(segments, next);
  const size_t num_segments = segments.size();
  if (num_segments > 0) segments.push_back(segments.front());
  TakenCheck check(data, max_bytes);
  for (size_t i = 0; i < segments.size() && !check.is_spent(); ++i) {
    if (!check.Holds(Open(segments[i]), i == 0 ? after_key + 1 : 0)) return std::nullopt;
  }
  return check.last_key();
}

absl::StatusOr<std::vector<files_table::Segment>> OldSegments::SegmentsOf(FileId file) const {
  std::vector<files_table::Segment> segments;
  RETURN_IF_ERROR(database_.Transact([&](pqxx::work& work) {
    segments = files_table::SegmentsOf(work, file);
    return absl::OkStatus();
  }));
  return segments;
}

OldSegment OldSegments::Open(const files_table::Segment& segment) const {
  const std::string path = SegmentPath(storage_folder_, dataset_, segment.segment_id);
  absl::StatusOr<SegmentColumns> columns = OpenSegmentColumns(path);
  if (columns.ok() && !columns->AllAreSound()) columns = DataLoss("it is damaged");
  if (columns.ok() && columns->num_rows() == segment.num_samples) {
    return {segment, std::make_shared<const SegmentColumns>(*std::move(columns))};
  }
  log::Warn("the columns of a segment are lost",
            {{"path", path}, {"error", columns.status().ToString()}});
  return {segment, nullptr};
}

}  // namespace tidemill::storage

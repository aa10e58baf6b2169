#include "storage/read/record_list.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "records/text.h"
#include "storage/read/known_columns.h"

namespace tidemill::storage {

namespace {

// A message with as many stays below rpc::kMaxMessageBytes: a path has at most 2,000 bytes, a field
// 500.
constexpr size_t kRecordsPerMessage = 200;
constexpr size_t kMaxColumns = 100;

using Records = google::protobuf::RepeatedPtrField<v1::ListRecordsResponse::Record>;

void AddRecord(const DatasetIndex& index, const RecordSearch::Match& match, int64_t position,
               Records& records) {
  const SampleLocation& sample = match.sample;
  const SegmentColumns& columns = *sample.segment->columns;
  v1::ListRecordsResponse::Record* const record = records.Add();
  record->set_sample_key(sample.key());
  const std::string* const path = index.PathOf(sample.file());
  if (path != nullptr)
    record->set_path(AsText(BelowFolder(index.spec().path, *path), path->size()));
  record->set_position(position);
  record->set_event_time(sample.event_time());
  if (const auto label = ValueAt<int64_t>(*columns.class_label, sample.row)) {
    record->set_class_label(*label);
  }
  if (const auto label = ValueAt<double>(*columns.real_label, sample.row)) {
    record->set_real_label(*label);
  }
  for (const std::optional<std::string>& field : match.fields) {
    v1::ListRecordsResponse::Field* const entry = record->add_fields();
    if (field) entry->set_text(AsText(*field));
  }
}

}  // namespace

absl::Status RecordList::AddRecords(const RecordSearch& search,
                                    std::span<const RecordSearch::Match> matches,
                                    Records& records) const {
  records.Clear();
  if (matches.empty()) return absl::OkStatus();
  std::vector<int64_t> keys;
  for (const RecordSearch::Match& match : matches) keys.push_back(match.sample.key());
  ASSIGN_OR_RETURN(const std::vector<int64_t> positions,
                   catalog_.PositionsOf(search.index().dataset(), keys));
  for (size_t i = 0; i < matches.size(); ++i) {
    AddRecord(search.index(), matches[i], positions[i], records);
  }
  return absl::OkStatus();
}

absl::Status RecordList::SendStep(const RecordSearch& search, const RecordSearch::Step& step,
                                  v1::ListRecordsResponse& response, const Sink& sink) const {
  response.set_num_samples_done(step.num_done);
  response.set_num_samples(step.num_samples);
  response.set_num_unreadable(step.num_unreadable);
  response.set_num_undecided(step.num_undecided);
  response.clear_column_counts();
  for (size_t i = 0; i < step.columns.size(); ++i) {
    v1::ListRecordsResponse::ColumnCounts* const counts = response.add_column_counts();
    counts->set_num_lacking(step.columns[i].num_lacking);
    counts->set_num_null(step.columns[i].num_null);
    counts->set_num_unfit(step.columns[i].num_unfit);
    counts->set_first_unfit(AsText(search.first_unfit()[i]));
  }
  if (step.first_unreadable) {
    response.mutable_first_unreadable()->set_sample_key(step.first_unreadable->key);
    response.mutable_first_unreadable()->set_reason(AsText(step.first_unreadable->reason));
  }
  RETURN_IF_ERROR(AddRecords(search, step.others, *response.mutable_others()));
  std::span<const RecordSearch::Match> rest(step.matches);
  do {
    const size_t count = std::min(rest.size(), kRecordsPerMessage);
    RETURN_IF_ERROR(AddRecords(search, rest.first(count), *response.mutable_records()));
    response.set_num_matches(response.num_matches() + static_cast<int64_t>(count));
    RETURN_IF_ERROR(sink(response));
    response.clear_columns();
    response.clear_others();
    rest = rest.subspan(count);
  } while (!rest.empty());
  return absl::OkStatus();
}

absl::Status RecordList::Send(const v1::ListRecordsRequest& request, const Sink& sink) const {
  if (request.limit() < 0) {
    return InvalidArgument("{} is not a number of records; 0 asks for all", request.limit());
  }
  ASSIGN_OR_RETURN(std::shared_ptr<const DatasetIndex> index,
                   indexes_.RefreshWhole({request.dataset_id()}));
  ASSIGN_OR_RETURN(
      const std::unique_ptr<RecordSearch> search,
      RecordSearch::Make(indexes_, std::move(index), files_, request.condition(), block_bytes_));
  if (search->columns().size() > kMaxColumns) {
    return InvalidArgument("the condition names {} columns; write at most {}",
                           search->columns().size(), kMaxColumns);
  }
  v1::ListRecordsResponse response;
  response.mutable_columns()->Assign(search->columns().begin(), search->columns().end());
  while (true) {
    ASSIGN_OR_RETURN(std::optional<RecordSearch::Step> step, search->Next());
    if (!step) break;
    const int64_t room = request.limit() - response.num_matches();
    const bool is_cut = request.limit() > 0 && std::ssize(step->matches) > room;
    if (is_cut) step->matches.resize(static_cast<size_t>(room));
    response.set_is_cut(is_cut);
    RETURN_IF_ERROR(SendStep(*search, *step, response, sink));
    if (is_cut) return absl::OkStatus();
  }
  // An empty dataset has columns, too.
  return response.num_samples() == 0 ? sink(response) : absl::OkStatus();
}

}  // namespace tidemill::storage

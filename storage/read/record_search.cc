#include "storage/read/record_search.h"

#include <algorithm>
#include <utility>

#include "fmt/ranges.h"

#include "config/documents/problems.h"

namespace tidemill::storage {

namespace {

constexpr size_t kKeysPerSearchStep = 4'096;
constexpr int64_t kOpenSearchFiles = 64;
// The bytes shown of a field of a match.
constexpr size_t kMaxShownBytes = 500;

std::vector<std::string> NamesOfRecords(std::span<const std::string> columns) {
  std::vector<std::string> names;
  for (const std::string& name : columns) {
    if (!IsKnownColumn(name)) names.push_back(name);
  }
  return names;
}

std::vector<size_t> PlacesOfRecords(std::span<const std::string> columns) {
  std::vector<size_t> places;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!IsKnownColumn(columns[i])) places.push_back(i);
  }
  return places;
}

int64_t CountUndeleted(const DatasetIndex& index) {
  int64_t undeleted = index.num_rows();
  for (const auto& [key, sequence] : *index.parts().tombstones) {
    if (index.Find(key).has_value()) --undeleted;
  }
  return undeleted;
}

}  // namespace

RecordSearch::RecordSearch(SampleIndex& indexes, std::shared_ptr<const DatasetIndex> index,
                           UnpackedCache& files, std::optional<samples::RecordCondition> condition,
                           samples::RecordFields fields, int64_t block_bytes)
    : indexes_(indexes),
      index_(std::move(index)),
      files_(files, kOpenSearchFiles),
      condition_(std::move(condition)),
      columns_(condition_ ? condition_->columns() : std::vector<std::string>()),
      known_(columns_),
      fields_(std::move(fields)),
      tar_fields_(files, fields_.names()),
      field_places_(PlacesOfRecords(columns_)),
      block_bytes_(block_bytes),
      values_(columns_.size()) {
  step_.num_samples = CountUndeleted(*index_);
  step_.columns.resize(columns_.size());
}

absl::StatusOr<std::unique_ptr<RecordSearch>> RecordSearch::Make(
    SampleIndex& indexes, std::shared_ptr<const DatasetIndex> index, UnpackedCache& files,
    const std::string& condition, int64_t block_bytes) {
  std::optional<samples::RecordCondition> compiled;
  std::vector<std::string> names;
  if (condition.find_first_not_of(" \t\r\n") != std::string::npos) {
    ASSIGN_OR_RETURN(compiled, samples::RecordCondition::Make(index->spec(), condition));
    names = NamesOfRecords(compiled->columns());
  }
  ASSIGN_OR_RETURN(samples::RecordFields fields,
                   samples::RecordFields::Make(index->spec(), std::move(names)));
  return std::unique_ptr<RecordSearch>(new RecordSearch(
      indexes, std::move(index), files, std::move(compiled), std::move(fields), block_bytes));
}

std::span<const std::string> RecordSearch::first_unfit() const {
  return condition_ ? condition_->first_unfit() : std::span<const std::string>();
}

std::vector<int64_t> RecordSearch::NextKeys() {
  std::vector<int64_t> keys;
  for (; row_ < index_->num_rows() && keys.size() < kKeysPerSearchStep; ++row_) {
    const int64_t key = index_->LocationOf(row_).key();
    if (!index_->IsDeleted(key, index_->tombstone_sequence())) keys.push_back(key);
  }
  return keys;
}

absl::StatusOr<std::optional<RecordSearch::Step>> RecordSearch::Next() {
  step_.matches.clear();
  step_.others.clear();
  std::vector<int64_t> keys = NextKeys();
  if (keys.empty()) {
    RETURN_IF_ERROR(CheckColumns());
    return std::optional<Step>();
  }
  step_.num_done += std::ssize(keys);
  if (field_places_.empty()) {
    for (const int64_t key : keys) Try(key, {});
  } else if (index_->spec().format->Unit() == SampleUnit::kMembers) {
    RETURN_IF_ERROR(ReadArchives(keys));
  } else {
    RETURN_IF_ERROR(Read(std::move(keys)));
  }
  return std::optional<Step>(step_);
}

absl::Status RecordSearch::Read(std::vector<int64_t> keys) {
  SampleBlockReader reader(indexes_, index_, files_, std::move(keys));
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<SampleBlock> block, reader.Next(block_bytes_));
    if (!block.has_value()) return absl::OkStatus();
    RETURN_IF_ERROR(NoteMissing(block->missing));
    ASSIGN_OR_RETURN(const batch::Column* const payload,
                     block->batch.Get(batch::kPayloadColumn, batch::DataType::kBinary));
    const std::span<const int64_t> found = block->batch.keys();
    for (size_t row = 0; row < found.size(); ++row) {
      Try(found[row], payload->Bytes(static_cast<int64_t>(row)));
    }
  }
}

// A sample that was deleted since the search began is gone, not unreadable.
absl::Status RecordSearch::NoteMissing(const std::vector<MissingKey>& missing) {
  if (missing.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::shared_ptr<const DatasetIndex> newest,
                   indexes_.Refresh(index_->dataset()));
  for (const MissingKey& key : missing) {
    if (newest->IsDeleted(key.key, newest->tombstone_sequence())) continue;
    NoteUnreadable(key);
  }
  return absl::OkStatus();
}

void RecordSearch::NoteUnreadable(MissingKey key) {
  ++step_.num_unreadable;
  if (!step_.first_unreadable) step_.first_unreadable = std::move(key);
}

absl::Status RecordSearch::ReadArchives(const std::vector<int64_t>& keys) {
  for (const int64_t key : keys) {
    const std::optional<SampleLocation> sample = index_->Find(key);
    const std::string* const path = sample ? index_->PathOf(sample->file()) : nullptr;
    if (path == nullptr) continue;
    const int64_t offset =
        sample->segment->columns->lookup[static_cast<size_t>(sample->row)].byte_from;
    const absl::StatusOr<const TarFields::Values*> values = tar_fields_.Of(*path, offset);
    if (!values.ok() || *values == nullptr) {
      NoteUnreadable({key, values.ok() ? "has vanished from its file"
                                       : std::string(values.status().message())});
      continue;
    }
    if (num_tried_++ == 0) names_in_first_ = tar_fields_.first_names();
    Judge(*sample, [&](const Visitor& visit) {
      const std::vector<std::optional<std::string_view>> fields((*values)->begin(),
                                                                (*values)->end());
      visit(fields);
    });
  }
  return absl::OkStatus();
}

void RecordSearch::Try(int64_t key, std::string_view payload) {
  const std::optional<SampleLocation> sample = index_->Find(key);
  if (!sample) return;
  if (num_tried_++ == 0) names_in_first_ = fields_.NamesIn(payload);
  Judge(*sample, [&](const Visitor& visit) {
    if (field_places_.empty()) {
      visit({});
    } else {
      fields_.Visit(payload, visit);
    }
  });
}

void RecordSearch::Judge(const SampleLocation& sample,
                         const std::function<void(const Visitor&)>& visit_records) {
  using expressions::Truth;
  known_.Read(*index_, sample, values_);
  facts_.assign(columns_.size(), {});
  Truth truth = Truth::kFalse;
  std::optional<Match> other;
  visit_records([&](samples::RecordFields::Fields fields) {
    for (size_t i = 0; i < field_places_.size(); ++i) values_[field_places_[i]] = fields[i];
    truth = std::max(truth, JudgeRecord(sample));
    if (truth == Truth::kTrue) {
      step_.matches.push_back(MatchOf(sample));
    } else if (num_others_ < kMaxOthers && !other) {
      other = MatchOf(sample);
    }
    return truth != Truth::kTrue;
  });
  Count(truth);
  if (truth == Truth::kTrue || !other) return;
  step_.others.push_back(*std::move(other));
  ++num_others_;
}

expressions::Truth RecordSearch::JudgeRecord(const SampleLocation& sample) {
  if (!condition_) return expressions::Truth::kTrue;
  const expressions::Truth truth = condition_->Judge(values_, {sample.event_time()});
  using Field = samples::RecordCondition::Field;
  for (size_t i = 0; i < facts_.size(); ++i) {
    if (values_[i]) facts_[i].is_lacking = false;
    if (condition_->fields()[i] != Field::kNull) facts_[i].is_null = false;
    if (condition_->fields()[i] == Field::kUnfit) facts_[i].is_unfit = true;
  }
  return truth;
}

RecordSearch::Match RecordSearch::MatchOf(const SampleLocation& sample) const {
  Match match{.sample = sample, .fields = {}};
  for (const std::optional<std::string_view>& value : values_) {
    match.fields.emplace_back();
    if (value) match.fields.back() = std::string(value->substr(0, kMaxShownBytes));
  }
  return match;
}

void RecordSearch::Count(expressions::Truth truth) {
  if (truth == expressions::Truth::kNull) ++step_.num_undecided;
  for (size_t i = 0; i < facts_.size(); ++i) {
    step_.columns[i].num_lacking += facts_[i].is_lacking ? 1 : 0;
    step_.columns[i].num_null += facts_[i].is_null ? 1 : 0;
    step_.columns[i].num_unfit += facts_[i].is_unfit ? 1 : 0;
  }
}

// The columns of a CSV file are known before. A field of a JSON line that no sample has is a typing
// error rather than a condition that nothing matches.
absl::Status RecordSearch::CheckColumns() const {
  for (const size_t place : field_places_) {
    if (num_tried_ == 0 || step_.columns[place].num_lacking < num_tried_) continue;
    const std::string& name = columns_[place];
    const std::string guess = config::DidYouMean(name, names_in_first_);
    const std::string known =
        names_in_first_.empty()
            ? ""
            : fmt::format("; the first sample has {}", fmt::join(names_in_first_, ", "));
    return InvalidArgument("no sample has a single value '{}'{}{}{}", name,
                           guess.empty() ? "" : "; ", guess, known);
  }
  return absl::OkStatus();
}

}  // namespace tidemill::storage

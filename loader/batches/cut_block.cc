#include "loader/batches/cut_block.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <numeric>
#include <string_view>
#include <thread>
#include <utility>

#include "base/check.h"

namespace tidemill::loader {
namespace {

using prepared::SampleFacts;

// How often is looked whether others have prepared a sample.
constexpr std::chrono::milliseconds kLook{2};

std::vector<int64_t> KeysAt(const TrainingSet& set, std::span<const int64_t> ordinals) {
  std::vector<int64_t> keys;
  keys.reserve(ordinals.size());
  for (const int64_t ordinal : ordinals) keys.push_back(set.keys[static_cast<size_t>(ordinal)]);
  return keys;
}

template <typename T>
T ValueAt(const batch::Column& column, int64_t row) {
  return column.Values<T>()[static_cast<size_t>(row)];
}

SampleFacts FactsOf(const batch::Batch& rows, int64_t row) {
  SampleFacts facts;
  if (const auto* time = rows.Find(batch::kEventTimeColumn)) {
    facts.event_time = ValueAt<int64_t>(*time, row);
  }
  const auto* const label = rows.Find(batch::kClassLabelColumn);
  facts.has_class = label != nullptr && label->IsValid(row);
  if (facts.has_class) facts.class_label = ValueAt<int64_t>(*label, row);
  const auto* const number = rows.Find(batch::kRealLabelColumn);
  facts.has_number = number != nullptr && number->IsValid(row);
  if (facts.has_number) facts.real_label = ValueAt<double>(*number, row);
  return facts;
}

// A label that no row has is left out, as storage does.
template <typename T, typename Has, typename Get>
absl::Status SetLabels(std::string_view name, const std::vector<SampleFacts>& facts, Has has,
                       Get get, batch::Batch& rows) {
  std::vector<T> values;
  batch::Buffer validity = batch::Buffer::Allocate((facts.size() + 7) / 8);
  size_t num_valid = 0;
  for (size_t i = 0; i < facts.size(); ++i) {
    values.push_back(has(facts[i]) ? get(facts[i]) : T{});
    if (!has(facts[i])) continue;
    validity.mutable_data()[i / 8] |= static_cast<std::byte>(1U << i % 8);
    ++num_valid;
  }
  if (num_valid == 0) return absl::OkStatus();
  batch::Column column = batch::MakeColumn<T>(name, values);
  if (num_valid < facts.size()) column.validity = std::move(validity);
  return rows.Set(std::move(column));
}

}  // namespace

CutBlock::CutBlock(const CutRowsSetup& setup, std::span<const int64_t> ordinals,
                   PathCounters& counters)
    : setup_(setup), ordinals_(ordinals), keys_(KeysAt(setup.set, ordinals)), counters_(counters) {
  rows_.Resize(std::ssize(ordinals), setup.cut.columns);
}

uint64_t CutBlock::ClaimOf(int64_t place) const {
  return prepared::Claims::NameOf(setup_.cut.digest, names_[static_cast<size_t>(place)]);
}

void CutBlock::Release() {
  const prepared::Claims* const claims = setup_.cut.claims.get();
  if (claims == nullptr) return;
  for (const int64_t place : claimed_) claims->Release(ClaimOf(place));
  claimed_.clear();
}

void CutBlock::Find(std::vector<prepared::SampleName> names) {
  names_ = std::move(names);
  std::vector<int64_t> all(keys_.size());
  std::iota(all.begin(), all.end(), 0);
  FindOrClaim(all);
}

void CutBlock::FindOrClaim(std::span<const int64_t> places) {
  const int64_t begin = transform::ThreadTime::WallNow();
  const prepared::Claims* const claims = setup_.cut.claims.get();
  missing_.clear();
  others_.clear();
  next_missing_ = 0;
  const auto is_found = [&](int64_t place) {
    return rows_.states[static_cast<size_t>(place)] != prepared::RowState::kMissing;
  };
  setup_.cut.rows->Find(names_, rows_);
  for (const int64_t place : places) {
    if (is_found(place)) continue;
    const bool is_nameless = names_[static_cast<size_t>(place)].record == 0;
    const bool is_own = claims == nullptr || is_nameless || claims->TryClaim(ClaimOf(place));
    (is_own ? claimed_ : others_).push_back(place);
  }
  // Another one may have kept it before it was claimed here.
  if (claims != nullptr && !claimed_.empty()) setup_.cut.rows->Find(names_, rows_);
  std::erase_if(others_, is_found);
  std::ranges::remove_copy_if(claimed_, std::back_inserter(missing_), is_found);
  tried_.insert(tried_.end(), missing_.begin(), missing_.end());
  counters_.AddFound(std::ssize(places) - std::ssize(others_) - std::ssize(missing_),
                     transform::ThreadTime::WallNow() - begin);
}

absl::StatusOr<bool> CutBlock::FindOthers(const std::stop_token& stop) {
  Release();
  if (others_.empty()) return false;
  const int64_t begin = transform::ThreadTime::WallNow();
  for (const int64_t place : others_) {
    while (setup_.cut.claims->IsClaimed(ClaimOf(place))) {
      if (stop.stop_requested()) return Cancelled("reading has ended");
      std::this_thread::sleep_for(kLook);
    }
  }
  counters_.AddFound(0, transform::ThreadTime::WallNow() - begin);
  FindOrClaim(std::vector<int64_t>(others_));
  return true;
}

std::vector<int64_t> CutBlock::Missing() const {
  std::vector<int64_t> missing;
  missing.reserve(missing_.size());
  for (const int64_t place : missing_) missing.push_back(ordinals_[static_cast<size_t>(place)]);
  return missing;
}

absl::Status CutBlock::Prepare(const batch::Batch& piece) {
  ASSIGN_OR_RETURN(
      const transform::PreparedBlock block,
      setup_.cut.cut.Prepare(piece, setup_.cache.fitted(), setup_.context, &counters_.ops()));
  const std::vector<int64_t> places = PlacesOf(piece);
  std::vector<prepared::RowState> states(places.size(), prepared::RowState::kGood);
  for (const transform::BadSample& bad : block.bad) {
    states[static_cast<size_t>(bad.row)] = prepared::RowState::kBad;
    rows_.reasons[places[static_cast<size_t>(bad.row)]] = bad.reason;
  }
  for (const int64_t row : block.filtered) {
    states[static_cast<size_t>(row)] = prepared::RowState::kFiltered;
  }
  int64_t next_good = 0;
  for (size_t row = 0; row < places.size(); ++row) {
    const auto at = static_cast<size_t>(places[row]);
    rows_.states[at] = states[row];
    made_.push_back(places[row]);
    if (states[row] == prepared::RowState::kGood) CopyRow(block.rows, next_good++, places[row]);
  }
  return absl::OkStatus();
}

void CutBlock::Keep() {
  if (setup_.cut.keeps && !made_.empty()) setup_.cut.rows->Keep(names_, Made());
  made_.clear();
}

void CutBlock::Count(PreparedCounts& counts) const {
  counts.found += std::ssize(keys_) - std::ssize(tried_);
  for (const int64_t place : tried_) {
    switch (rows_.states[static_cast<size_t>(place)]) {
      case prepared::RowState::kGood:
        ++counts.good;
        break;
      case prepared::RowState::kBad:
        ++counts.bad;
        break;
      case prepared::RowState::kFiltered:
        ++counts.filtered;
        break;
      case prepared::RowState::kMissing:
        ++counts.unreadable;
        break;
    }
  }
}

absl::Status CutBlock::Finish(const CutRowsSetup& setup, PathCounters& counters,
                              Rows& result) const {
  std::vector<int64_t> good;
  for (size_t i = 0; i < keys_.size(); ++i) {
    if (rows_.states[i] == prepared::RowState::kGood) good.push_back(static_cast<int64_t>(i));
    if (rows_.states[i] == prepared::RowState::kFiltered) result.filtered.push_back(keys_[i]);
  }
  for (const auto& [row, reason] : rows_.reasons) {
    result.bad.push_back({keys_[static_cast<size_t>(row)], reason});
  }
  if (good.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const batch::Batch rows, GoodRows(good));
  ASSIGN_OR_RETURN(
      transform::Transformed made,
      setup.cut.cut.Finish(rows, setup.cache.fitted(), setup.context, &counters.ops()));
  for (const transform::BadSample& bad : made.bad) {
    result.bad.push_back({rows.keys()[static_cast<size_t>(bad.row)], bad.reason});
  }
  if (made.num_filtered > 0) {
    AddFiltered(rows.keys(), made.batch.keys(), made.bad, result.filtered);
  }
  result.num_missing -= made.batch.num_rows();
  result.pieces.push_back(std::move(made.batch));
  return absl::OkStatus();
}

// The places, among those asked for, of the samples that were read: in their order, with holes.
std::vector<int64_t> CutBlock::PlacesOf(const batch::Batch& piece) {
  std::vector<int64_t> places;
  for (const int64_t ordinal : piece.Find(batch::kOrdinalColumn)->Values<int64_t>()) {
    while (ordinals_[static_cast<size_t>(missing_[next_missing_])] != ordinal) ++next_missing_;
    places.push_back(missing_[next_missing_++]);
  }
  return places;
}

void CutBlock::CopyRow(const batch::Batch& from, int64_t row, int64_t place) {
  rows_.facts[static_cast<size_t>(place)] = FactsOf(from, row);
  for (size_t i = 0; i < setup_.cut.columns.size(); ++i) {
    const batch::Column* const column = from.Find(transform::NameOfKept(i));
    TIDEMILL_DCHECK(column != nullptr);
    const size_t size = static_cast<size_t>(column->Width()) * batch::SizeOf(column->type);
    std::memcpy(rows_.data[i].mutable_data() + static_cast<size_t>(place) * size,
                column->data.data() + static_cast<size_t>(row) * size, size);
  }
}

// What was made just now and may be kept, without what was found.
prepared::NamedRows CutBlock::Made() const {
  prepared::NamedRows made{
      .states = std::vector<prepared::RowState>(rows_.states.size(), prepared::RowState::kMissing),
      .facts = rows_.facts,
      .data = rows_.data,
      .reasons = rows_.reasons};
  for (const int64_t place : made_) {
    const prepared::RowState state = rows_.states[static_cast<size_t>(place)];
    if (state == prepared::RowState::kBad && !setup_.cut.keeps_bad) continue;
    made.states[static_cast<size_t>(place)] = state;
  }
  return made;
}

absl::StatusOr<batch::Batch> CutBlock::GoodRows(const std::vector<int64_t>& good) const {
  batch::Batch rows(std::ssize(keys_));
  RETURN_IF_ERROR(rows.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys_)));
  RETURN_IF_ERROR(rows.Set(batch::MakeColumn<int64_t>(batch::kOrdinalColumn, ordinals_)));
  if (!setup_.set.weights.empty()) {
    std::vector<float> weights;
    for (const int64_t at : ordinals_) {
      weights.push_back(setup_.set.weights[static_cast<size_t>(at)]);
    }
    RETURN_IF_ERROR(rows.Set(batch::MakeColumn<float>(batch::kWeightColumn, weights)));
  }
  std::vector<int64_t> times;
  for (const prepared::SampleFacts& facts : rows_.facts) times.push_back(facts.event_time);
  RETURN_IF_ERROR(rows.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, times)));
  RETURN_IF_ERROR(SetLabels<int64_t>(
      batch::kClassLabelColumn, rows_.facts, [](const auto& of) { return of.has_class; },
      [](const auto& of) { return of.class_label; }, rows));
  RETURN_IF_ERROR(SetLabels<double>(
      batch::kRealLabelColumn, rows_.facts, [](const auto& of) { return of.has_number; },
      [](const auto& of) { return of.real_label; }, rows));
  for (size_t i = 0; i < setup_.cut.columns.size(); ++i) {
    batch::Column column = setup_.cut.columns[i];
    column.data = rows_.data[i];
    RETURN_IF_ERROR(rows.Set(std::move(column)));
  }
  return good.size() == keys_.size() ? rows : rows.Take(good);
}

}  // namespace tidemill::loader

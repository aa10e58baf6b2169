#include "loader/batches/cut_rows.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/check.h"

// Rows are combined by the place of their sample among those asked for:
//
//   asked     7     2     9     4
//   Find()    row   .     row   bad         `rows`, with a hole for 2
//   read            2                       Prepare() -> copied into the hole, and kept
//   Finish()  7     2     9

namespace tidemill::loader {
namespace {

using prepared::NamedRows;
using prepared::RowState;
using prepared::SampleFacts;

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

// The samples of one block: what was found, and what is made.
class Block {
 public:
  Block(const CutRowsSetup& setup, std::span<const int64_t> ordinals, PathCounters& counters)
      : setup_(setup),
        ordinals_(ordinals),
        keys_(KeysAt(setup.set, ordinals)),
        counters_(counters) {
    rows_.Resize(std::ssize(ordinals), setup.cut.columns);
  }

  absl::Status Find() {
    const int64_t begin = transform::ThreadTime::WallNow();
    ASSIGN_OR_RETURN(names_, setup_.cache.NamesOf(keys_));
    setup_.cut.rows->Find(names_, rows_);
    const int64_t found = std::ssize(keys_) - rows_.NumMissing();
    counters_.AddFound(found, transform::ThreadTime::WallNow() - begin);
    return absl::OkStatus();
  }

  // Reads what is missing, and prepares and keeps it.
  absl::Status Make(Rows& result, const std::stop_token& stop) {
    std::vector<int64_t> missing;
    for (size_t i = 0; i < ordinals_.size(); ++i) {
      if (rows_.states[i] != RowState::kMissing) continue;
      missing.push_back(ordinals_[i]);
      missing_.push_back(static_cast<int64_t>(i));
    }
    if (missing.empty()) return absl::OkStatus();
    const int64_t begin = transform::ThreadTime::WallNow();
    int64_t graph_ns = 0;
    const auto prepare = [&](batch::Batch& piece, Rows&) -> absl::Status {
      const int64_t arrived = transform::ThreadTime::WallNow();
      RETURN_IF_ERROR(Prepare(piece));
      piece = batch::Batch();
      graph_ns += transform::ThreadTime::WallNow() - arrived;
      return absl::OkStatus();
    };
    ASSIGN_OR_RETURN(const Rows read, ReadRows(setup_.set, missing, setup_.reader,
                                               std::numeric_limits<int64_t>::max(), prepare, stop));
    counters_.AddRead(transform::ThreadTime::WallNow() - begin - graph_ns);
    result.bad.insert(result.bad.end(), read.bad.begin(), read.bad.end());
    setup_.cut.rows->Keep(names_, Made());
    return absl::OkStatus();
  }

  void Count(PreparedCounts& counts) const {
    counts.found += std::ssize(keys_) - std::ssize(missing_);
    for (const int64_t place : missing_) {
      switch (rows_.states[static_cast<size_t>(place)]) {
        case RowState::kGood:
          ++counts.good;
          break;
        case RowState::kBad:
          ++counts.bad;
          break;
        case RowState::kFiltered:
          ++counts.filtered;
          break;
        case RowState::kMissing:
          ++counts.unreadable;
          break;
      }
    }
  }

  // Runs the ops after the cut on the good rows.
  absl::Status Finish(Rows& result) const {
    std::vector<int64_t> good;
    for (size_t i = 0; i < keys_.size(); ++i) {
      if (rows_.states[i] == RowState::kGood) good.push_back(static_cast<int64_t>(i));
      if (rows_.states[i] == RowState::kFiltered) result.filtered.push_back(keys_[i]);
    }
    for (const auto& [row, reason] : rows_.reasons) {
      result.bad.push_back({keys_[static_cast<size_t>(row)], reason});
    }
    if (good.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const batch::Batch rows, GoodRows(good));
    ASSIGN_OR_RETURN(
        transform::Transformed made,
        setup_.cut.cut.Finish(rows, setup_.cache.fitted(), setup_.context, &counters_.ops()));
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

 private:
  absl::Status Prepare(const batch::Batch& piece) {
    ASSIGN_OR_RETURN(
        const transform::PreparedBlock block,
        setup_.cut.cut.Prepare(piece, setup_.cache.fitted(), setup_.context, &counters_.ops()));
    const std::vector<int64_t> places = PlacesOf(piece);
    std::vector<RowState> states(places.size(), RowState::kGood);
    for (const transform::BadSample& bad : block.bad) {
      states[static_cast<size_t>(bad.row)] = RowState::kBad;
      rows_.reasons[places[static_cast<size_t>(bad.row)]] = bad.reason;
    }
    for (const int64_t row : block.filtered) {
      states[static_cast<size_t>(row)] = RowState::kFiltered;
    }
    int64_t next_good = 0;
    for (size_t row = 0; row < places.size(); ++row) {
      const auto at = static_cast<size_t>(places[row]);
      rows_.states[at] = states[row];
      made_.push_back(places[row]);
      if (states[row] == RowState::kGood) CopyRow(block.rows, next_good++, places[row]);
    }
    return absl::OkStatus();
  }

  // The places, among those asked for, of the samples that were read: in their order, with holes.
  std::vector<int64_t> PlacesOf(const batch::Batch& piece) {
    std::vector<int64_t> places;
    for (const int64_t ordinal : piece.Find(batch::kOrdinalColumn)->Values<int64_t>()) {
      while (ordinals_[static_cast<size_t>(missing_[next_missing_])] != ordinal) ++next_missing_;
      places.push_back(missing_[next_missing_++]);
    }
    return places;
  }

  void CopyRow(const batch::Batch& from, int64_t row, int64_t place) {
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
  NamedRows Made() const {
    NamedRows made{.states = std::vector<RowState>(rows_.states.size(), RowState::kMissing),
                   .facts = rows_.facts,
                   .data = rows_.data,
                   .reasons = rows_.reasons};
    for (const int64_t place : made_) {
      const RowState state = rows_.states[static_cast<size_t>(place)];
      if (state == RowState::kBad && !setup_.cut.keeps_bad) continue;
      made.states[static_cast<size_t>(place)] = state;
    }
    return made;
  }

  absl::StatusOr<batch::Batch> GoodRows(const std::vector<int64_t>& good) const {
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
    for (const SampleFacts& facts : rows_.facts) times.push_back(facts.event_time);
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

  const CutRowsSetup& setup_;
  const std::span<const int64_t> ordinals_;
  const std::vector<int64_t> keys_;
  PathCounters& counters_;
  std::vector<prepared::SampleName> names_;
  NamedRows rows_;
  std::vector<int64_t> missing_;  // Places.
  size_t next_missing_ = 0;
  std::vector<int64_t> made_;  // Places.
};

}  // namespace

void AddFiltered(std::span<const int64_t> keys, std::span<const int64_t> good,
                 const std::vector<transform::BadSample>& bad, std::vector<int64_t>& filtered) {
  size_t next_good = 0;
  auto next_bad = bad.begin();
  for (size_t row = 0; row < keys.size(); ++row) {
    if (next_bad != bad.end() && next_bad->row == static_cast<int64_t>(row)) {
      ++next_bad;
    } else if (next_good < good.size() && good[next_good] == keys[row]) {
      ++next_good;
    } else {
      filtered.push_back(keys[row]);
    }
  }
}

absl::Status PrepareRows(const CutRowsSetup& setup, std::span<const int64_t> ordinals,
                         PathCounters& counters, PreparedCounts& counts,
                         const std::stop_token& stop) {
  if (stop.stop_requested()) return Cancelled("preparing has ended");
  Block block(setup, ordinals, counters);
  RETURN_IF_ERROR(block.Find());
  Rows result;
  RETURN_IF_ERROR(block.Make(result, stop));
  block.Count(counts);
  return absl::OkStatus();
}

absl::StatusOr<Rows> MakeCutRows(const CutRowsSetup& setup, std::span<const int64_t> ordinals,
                                 PathCounters& counters, const std::stop_token& stop) {
  if (stop.stop_requested()) return Cancelled("reading has ended");
  Rows result{.num_missing = std::ssize(ordinals)};
  Block block(setup, ordinals, counters);
  RETURN_IF_ERROR(block.Find());
  RETURN_IF_ERROR(block.Make(result, stop));
  RETURN_IF_ERROR(block.Finish(result));
  return result;
}

}  // namespace tidemill::loader

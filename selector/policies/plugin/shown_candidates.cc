#include "selector/policies/plugin/shown_candidates.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <span>
#include <utility>

namespace tidemill::selector {
namespace {

// Each question to a model has its price, so they are few.
constexpr size_t kAskedAboutAtOnce = 500'000;
constexpr std::string_view kEventTimes = "event_times";
constexpr std::string_view kLabels = "labels";

// A column that points at the numbers.
template <typename T>
batch::Column ViewOf(std::string_view name, batch::DataType type, std::span<const T> numbers) {
  return {.name = std::string(name),
          .type = type,
          .data = batch::Buffer::Wrap(numbers.data(), numbers.size_bytes(), nullptr)};
}

batch::Column KeysOf(std::string_view name, std::span<const int64_t> numbers) {
  return ViewOf<int64_t>(name, batch::DataType::kInt64, numbers);
}

// The same numbers under another name, without a copy.
absl::StatusOr<batch::Column> Renamed(const batch::Batch& facts, std::string_view from,
                                      std::string_view to, bool is_one_number) {
  ASSIGN_OR_RETURN(const batch::Column* column, facts.Get(from, batch::DataType::kFloat32));
  batch::Column renamed = *column;
  renamed.name = std::string(to);
  renamed.shape = is_one_number ? std::vector<int64_t>() : std::vector{column->Width()};
  return renamed;
}

// Notes the rows in which a column has no value: a label that is none, a number that is not finite.
void NoteUnknown(const batch::Column& column, std::vector<char>& is_known) {
  if (column.type == batch::DataType::kInt64) {
    if (column.name != kLabels) return;
    const auto labels = column.Values<int64_t>();
    for (size_t row = 0; row < labels.size(); ++row) is_known[row] &= labels[row] != kNoClass;
    return;
  }
  const auto width = static_cast<size_t>(column.Width());
  const auto values = column.Values<float>();
  for (size_t row = 0; row < is_known.size(); ++row) {
    const auto numbers = values.subspan(row * width, width);
    is_known[row] &= std::ranges::all_of(numbers, [](float value) { return std::isfinite(value); });
  }
}

}  // namespace

ShownCandidates::ShownCandidates(SelectionDeclaration declaration, const Workplace& workplace)
    : declaration_(std::move(declaration)),
      workplace_(workplace),
      shows_all_(!declaration_.AsksModel() && !declaration_.labels && declaration_.columns.empty()),
      keys_(workplace.folder, workplace.memory_budget / (shows_all_ ? 2 : 4)),
      event_times_(workplace.folder, workplace.memory_budget / 8),
      labels_(workplace.folder, workplace.memory_budget / 8),
      shown_(workplace.folder, workplace.memory_budget / 8) {}

absl::Status ShownCandidates::Add(const Candidates& candidates) {
  const size_t count = candidates.keys.size();
  RETURN_IF_ERROR(keys_.Append(candidates.keys));
  if (declaration_.event_times) {
    if (candidates.event_times.size() != count) return Internal("candidates came without times");
    RETURN_IF_ERROR(event_times_.Append(candidates.event_times));
  }
  if (!declaration_.labels) return absl::OkStatus();
  if (candidates.labels.size() == count) return labels_.Append(candidates.labels);
  return labels_.Append(std::vector<int64_t>(count, kNoClass));
}

absl::Status ShownCandidates::ForEach(const Sink& sink) {
  if (shows_all_) return ForEachInStoredOrder(sink);
  shown_ = KeyColumn(workplace_.folder, workplace_.memory_budget / 8);
  const bool asks = declaration_.AsksModel() || !declaration_.columns.empty();
  if (asks && workplace_.facts == nullptr) {
    return FailedPrecondition("the plug-in needs records, but there is no reader of samples");
  }
  Asked asked;
  Read read;
  for (int64_t first = 0; first < keys_.size();) {
    ASSIGN_OR_RETURN(const batch::Batch piece, PieceAt(first, read));
    first += piece.num_rows();
    if (!asks) {
      RETURN_IF_ERROR(GiveKnown(piece, sink));
      continue;
    }
    for (const auto& [name, into] :
         {std::pair(batch::kKeyColumn, &asked.keys), std::pair(kEventTimes, &asked.event_times),
          std::pair(kLabels, &asked.labels)}) {
      const batch::Column* const column = piece.Find(name);
      if (column == nullptr) continue;
      const auto values = column->Values<int64_t>();
      into->insert(into->end(), values.begin(), values.end());
    }
    if (asked.keys.size() < kAskedAboutAtOnce && first < keys_.size()) continue;
    RETURN_IF_ERROR(AskAbout(asked, sink));
    asked = {};
  }
  return absl::OkStatus();
}

absl::Status ShownCandidates::ForEachInStoredOrder(const Sink& sink) {
  std::vector<batch::Batch> block;
  // The buffers of pieces that are read from files. A deque, because its elements do not move.
  std::deque<Read> reads;
  int64_t num_rows = 0;
  for (int64_t first = 0; first < keys_.size();) {
    ASSIGN_OR_RETURN(batch::Batch piece, PieceAt(first, reads.emplace_back()));
    first += piece.num_rows();
    num_rows += piece.num_rows();
    block.push_back(std::move(piece));
    if (num_rows < workplace_.most_shown && first < keys_.size()) continue;
    RETURN_IF_ERROR(sink(block));
    block.clear();
    reads.clear();
    num_rows = 0;
  }
  return absl::OkStatus();
}

absl::StatusOr<batch::Batch> ShownCandidates::PieceAt(int64_t first, Read& read) const {
  std::vector<std::pair<std::string_view, std::span<const int64_t>>> columns;
  auto count = static_cast<size_t>(workplace_.most_shown);
  const auto add = [&](std::string_view name, const KeyColumn& column) -> absl::Status {
    ASSIGN_OR_RETURN(const auto piece, column.PieceAt(first, read[columns.size()]));
    columns.emplace_back(name, piece);
    count = std::min(count, piece.size());
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(add(batch::kKeyColumn, keys_));
  if (declaration_.event_times) RETURN_IF_ERROR(add(kEventTimes, event_times_));
  if (declaration_.labels) RETURN_IF_ERROR(add(kLabels, labels_));
  batch::Batch piece(static_cast<int64_t>(count));
  for (const auto& [name, numbers] : columns) {
    RETURN_IF_ERROR(piece.Set(KeysOf(name, numbers.first(count))));
  }
  return piece;
}

absl::Status ShownCandidates::AskAbout(const Asked& asked, const Sink& sink) {
  size_t next = 0;
  const auto show = [&](const batch::Batch& facts) { return Show(asked, facts, next, sink); };
  if (declaration_.AsksModel()) {
    return workplace_.facts->ReadModel(asked.keys, declaration_.predictions, show);
  }
  return workplace_.facts->ReadColumn(asked.keys, declaration_.columns.front(), show);
}

absl::Status ShownCandidates::Show(const Asked& asked, const batch::Batch& facts, size_t& next,
                                   const Sink& sink) {
  if (facts.num_rows() == 0) return absl::OkStatus();
  std::vector<int64_t> event_times, labels;
  for (const int64_t key : facts.keys()) {
    while (next < asked.keys.size() && asked.keys[next] != key) ++next;
    if (next == asked.keys.size())
      return Internal("received facts about {}, which were not requested", key);
    if (declaration_.event_times) event_times.push_back(asked.event_times[next]);
    if (declaration_.labels) labels.push_back(asked.labels[next]);
  }
  batch::Batch block(facts.num_rows());
  RETURN_IF_ERROR(block.Set(KeysOf(batch::kKeyColumn, facts.keys())));
  if (declaration_.event_times) RETURN_IF_ERROR(block.Set(KeysOf(kEventTimes, event_times)));
  if (declaration_.labels) RETURN_IF_ERROR(block.Set(KeysOf(kLabels, labels)));
  RETURN_IF_ERROR(AddFacts(facts, block));
  return GiveKnown(block, sink);
}

absl::Status ShownCandidates::AddFacts(const batch::Batch& facts, batch::Batch& block) const {
  const auto set = [&](std::string_view from, std::string_view to, bool is_one) -> absl::Status {
    ASSIGN_OR_RETURN(batch::Column column, Renamed(facts, from, to, is_one));
    return block.Set(std::move(column));
  };
  if (declaration_.embeddings) RETURN_IF_ERROR(set("embedding", "embeddings", false));
  if (declaration_.predictions) RETURN_IF_ERROR(set("prediction", "predictions", false));
  bool is_there = !declaration_.AsksModel();
  for (const std::string& name : declaration_.columns) {
    if (std::exchange(is_there, false)) {
      RETURN_IF_ERROR(set("values", "column:" + name, true));
      continue;
    }
    ASSIGN_OR_RETURN(batch::Column column, ColumnOf(facts.keys(), name));
    RETURN_IF_ERROR(block.Set(std::move(column)));
  }
  return absl::OkStatus();
}

absl::StatusOr<batch::Column> ShownCandidates::ColumnOf(std::span<const int64_t> keys,
                                                        const std::string& name) const {
  std::vector<float> numbers(keys.size(), std::numeric_limits<float>::quiet_NaN());
  size_t next = 0;
  const auto take = [&](const batch::Batch& rows) -> absl::Status {
    if (rows.num_rows() == 0) return absl::OkStatus();
    ASSIGN_OR_RETURN(const batch::Column* column, rows.Get("values", batch::DataType::kFloat32));
    const auto values = column->Values<float>();
    for (size_t row = 0; row < values.size(); ++row) {
      while (next < keys.size() && keys[next] != rows.keys()[row]) ++next;
      if (next == keys.size()) return Internal("the column {} came in another order", name);
      numbers[next] = values[row];
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(workplace_.facts->ReadColumn(keys, name, take));
  return batch::MakeColumn<float>("column:" + name, numbers);
}

absl::Status ShownCandidates::GiveKnown(const batch::Batch& block, const Sink& sink) {
  std::vector<char> is_known(static_cast<size_t>(block.num_rows()), 1);
  for (const batch::Column& column : block.columns()) NoteUnknown(column, is_known);
  std::vector<int64_t> rows;
  for (size_t row = 0; row < is_known.size(); ++row) {
    if (is_known[row]) rows.push_back(static_cast<int64_t>(row));
  }
  const auto most = static_cast<size_t>(workplace_.most_shown);
  if (std::ssize(rows) == block.num_rows() && rows.size() <= most) return Give(block, sink);
  for (std::span<const int64_t> rest = rows; !rest.empty();) {
    const auto some = rest.first(std::min(rest.size(), most));
    rest = rest.subspan(some.size());
    RETURN_IF_ERROR(Give(block.Take(some), sink));
  }
  return absl::OkStatus();
}

absl::Status ShownCandidates::Give(const batch::Batch& block, const Sink& sink) {
  RETURN_IF_ERROR(shown_.Append(block.keys()));
  return sink({&block, 1});
}

}  // namespace tidemill::selector

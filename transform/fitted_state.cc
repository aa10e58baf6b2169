#include "transform/fitted_state.h"

#include <limits>
#include <utility>

#include "base/digest.h"
#include "batch/wire.h"

namespace tidemill::transform {
namespace {

constexpr int64_t kGraphRow = -1;
constexpr std::string_view kSpecDigest = "spec_digest";

// The rows of an encoded state, column by column.
struct StateRows {
  std::vector<int64_t> ops;
  std::vector<std::string_view> columns;
  std::vector<std::string_view> statistics;
  std::vector<uint8_t> are_words;
  std::vector<double> numbers;
  std::vector<std::string_view> words;

  // Adds a row whose number and word are 0 and "".
  void Add(int64_t op, std::string_view column, std::string_view statistic, bool is_word) {
    ops.push_back(op);
    columns.push_back(column);
    statistics.push_back(statistic);
    are_words.push_back(is_word ? 1 : 0);
    numbers.push_back(0);
    words.push_back("");
  }
  void AddAll(int64_t op, const Learned& entry) {
    for (const double number : entry.numbers) {
      Add(op, entry.column, entry.statistic, /*is_word=*/false);
      numbers.back() = number;
    }
    for (const std::string& word : entry.words) {
      Add(op, entry.column, entry.statistic, /*is_word=*/true);
      words.back() = word;
    }
  }
};

std::string EncodeRows(const StateRows& rows) {
  batch::Batch batch(std::ssize(rows.ops));
  // Cannot fail: every column has as many rows as `ops`.
  batch.Set(batch::MakeColumn<int64_t>("op", rows.ops)).IgnoreError();
  batch.Set(batch::MakeBinaryColumn("column", rows.columns)).IgnoreError();
  batch.Set(batch::MakeBinaryColumn("statistic", rows.statistics)).IgnoreError();
  batch.Set(batch::MakeColumn<uint8_t>("is_word", rows.are_words)).IgnoreError();
  batch.Set(batch::MakeColumn<double>("number", rows.numbers)).IgnoreError();
  batch.Set(batch::MakeBinaryColumn("word", rows.words)).IgnoreError();
  return batch::Encode(batch);
}

std::string EncodeState(const std::string& graph,
                        const std::map<int, std::vector<Learned>>& learned) {
  StateRows rows;
  rows.Add(kGraphRow, "", kSpecDigest, /*is_word=*/true);
  rows.words.back() = graph;
  for (const auto& [op, entries] : learned) {
    for (const Learned& entry : entries) rows.AddAll(op, entry);
  }
  return EncodeRows(rows);
}

// The columns of an encoded state.
struct Columns {
  const batch::Column* op = nullptr;
  const batch::Column* column = nullptr;
  const batch::Column* statistic = nullptr;
  const batch::Column* is_word = nullptr;
  const batch::Column* number = nullptr;
  const batch::Column* word = nullptr;
};

absl::StatusOr<const batch::Column*> FindScalars(const batch::Batch& batch, std::string_view name,
                                                 batch::DataType type) {
  const batch::Column* column = batch.Find(name);
  if (column == nullptr || column->type != type || !column->shape.empty()) {
    return DataLoss("a fitted state needs the column {} of type {}", name, batch::NameOf(type));
  }
  return column;
}

absl::StatusOr<Columns> FindColumns(const batch::Batch& batch) {
  using batch::DataType;
  Columns columns;
  ASSIGN_OR_RETURN(columns.op, FindScalars(batch, "op", DataType::kInt64));
  ASSIGN_OR_RETURN(columns.column, FindScalars(batch, "column", DataType::kBinary));
  ASSIGN_OR_RETURN(columns.statistic, FindScalars(batch, "statistic", DataType::kBinary));
  ASSIGN_OR_RETURN(columns.is_word, FindScalars(batch, "is_word", DataType::kUInt8));
  ASSIGN_OR_RETURN(columns.number, FindScalars(batch, "number", DataType::kFloat64));
  ASSIGN_OR_RETURN(columns.word, FindScalars(batch, "word", DataType::kBinary));
  return columns;
}

}  // namespace

FittedState::FittedState(std::string graph, std::map<int, std::vector<Learned>> learned)
    : graph_(std::move(graph)),
      learned_(std::move(learned)),
      bytes_(EncodeState(graph_, learned_)),
      digest_(Sha256(bytes_)) {}

absl::StatusOr<FittedState> FittedState::Decode(const std::string& bytes) {
  auto decoded = batch::Decode(batch::Buffer::FromString(bytes));
  if (!decoded.ok())
    return DataLoss("this is not a fitted state: {}", std::string(decoded.status().message()));
  ASSIGN_OR_RETURN(const Columns columns, FindColumns(*decoded));
  const std::span<const int64_t> ops = columns.op->Values<int64_t>();
  if (ops.empty() || ops.front() != kGraphRow) {
    return DataLoss("a fitted state must begin with the graph that it belongs to");
  }
  std::map<int, std::vector<Learned>> learned;
  for (int64_t row = 1; row < decoded->num_rows(); ++row) {
    if (ops[row] < 0 || ops[row] > std::numeric_limits<int>::max()) {
      return DataLoss("row {} of a fitted state belongs to op {}", row, ops[row]);
    }
    std::vector<Learned>& entries = learned[static_cast<int>(ops[row])];
    const std::string_view column = columns.column->Bytes(row);
    const std::string_view statistic = columns.statistic->Bytes(row);
    if (entries.empty() || entries.back().column != column ||
        entries.back().statistic != statistic) {
      entries.push_back({std::string(column), std::string(statistic)});
    }
    if (columns.is_word->Values<uint8_t>()[row] != 0) {
      entries.back().words.emplace_back(columns.word->Bytes(row));
    } else {
      entries.back().numbers.push_back(columns.number->Values<double>()[row]);
    }
  }
  FittedState state(std::string(columns.word->Bytes(0)), std::move(learned));
  if (state.bytes_ != bytes) return DataLoss("a fitted state is not in its canonical form");
  return state;
}

std::span<const Learned> FittedState::Of(int op_index) const {
  const auto found = learned_.find(op_index);
  if (found == learned_.end()) return {};
  return found->second;
}

}  // namespace tidemill::transform

#include "expressions/field_rows.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/printable.h"
#include "expressions/read_values.h"

namespace tidemill::expressions {

namespace {

absl::Status NotA(std::string_view column, std::string_view text, std::string_view type) {
  constexpr size_t kMaxShown = 40;
  const bool cut = text.size() > kMaxShown;
  return InvalidArgument("{} is '{}{}', not {}", column, Printable(text.substr(0, kMaxShown)),
                         cut ? "..." : "", type);
}

}  // namespace

absl::StatusOr<FieldRows> FieldRows::Make(std::shared_ptr<const Program> program,
                                          FieldReading reading) {
  FieldRows rows;
  rows.reading_ = std::move(reading);
  for (const Input& input : program->inputs) {
    auto column = std::ranges::find(rows.columns_, input.name);
    if (column == rows.columns_.end()) {
      rows.columns_.push_back(input.name);
      rows.arrays_of_.emplace_back();
      column = rows.columns_.end() - 1;
    }
    rows.arrays_of_[static_cast<size_t>(column - rows.columns_.begin())].push_back(
        rows.arrays_.size());
    Array array{.type = input.type,
                .values = std::make_unique<std::byte[]>(SizeOf(input.type) *
                                                        static_cast<size_t>(kBlockRows)),
                .asks_if_missing = input.asks_if_missing,
                .notation = rows.reading_.numbers.Of(input.name)};
    if (input.type == Type::kTime) {
      const auto format = rows.reading_.times.find(input.name);
      ASSIGN_OR_RETURN(array.times,
                       TimeReader::Create(format == rows.reading_.times.end()
                                              ? TimeFormat{.time_zone = rows.reading_.time_zone}
                                              : format->second));
    }
    rows.arrays_.push_back(std::move(array));
  }
  rows.evaluation_ = std::make_unique<Evaluation>(std::move(program));
  for (size_t i = 0; i < rows.arrays_.size(); ++i) {
    rows.evaluation_->Set(i, rows.arrays_[i].values.get());
  }
  return rows;
}

bool FieldRows::SaysMissing(std::string_view text) const {
  return std::ranges::any_of(reading_.missing,
                             [&](const std::string& word) { return SameWord(word, text); });
}

void FieldRows::SetNull(Array& array) {
  switch (array.type) {
    case Type::kNumber:
      array.At<double>(num_rows_) = kNullNumber;
      return;
    case Type::kWhole:
    case Type::kTime:
      array.At<int64_t>(num_rows_) = kNullWhole;
      return;
    case Type::kTruth:
      array.At<Truth>(num_rows_) = Truth::kNull;
      return;
    case Type::kText:
      array.At<std::string_view>(num_rows_) = {};
      return;
  }
}

absl::Status FieldRows::SetText(size_t column, std::optional<std::string_view> text) {
  TIDEMILL_CHECK(column < arrays_of_.size() && num_rows_ < kBlockRows);
  absl::Status unfit;
  for (const size_t place : arrays_of_[column]) {
    Array& array = arrays_[place];
    const bool is_there = text && !text->empty();
    const absl::Status read = is_there ? Read(array, columns_[column], *text) : absl::OkStatus();
    if (!is_there || !read.ok()) SetNull(array);
    unfit.Update(read);
  }
  return unfit;
}

absl::Status FieldRows::Read(Array& array, std::string_view column, std::string_view text) {
  const std::string_view word = WithoutBlanks(text);
  if (array.type == Type::kText) {
    if (array.asks_if_missing && (word.empty() || SaysMissing(word))) {
      SetNull(array);
      return absl::OkStatus();
    }
    array.At<std::string_view>(num_rows_) = texts_.Copy(text);
    return absl::OkStatus();
  }
  if (array.type == Type::kNumber) {
    if (const auto number = expressions::ReadNumber(word, array.notation)) {
      array.At<double>(num_rows_) = *number;
      return absl::OkStatus();
    }
  }
  if (word.empty() || SaysMissing(word)) {
    SetNull(array);
    return absl::OkStatus();
  }
  if (array.type == Type::kWhole) {
    const auto whole = ReadWhole(word);
    if (!whole) return NotA(column, text, "a whole number");
    array.At<int64_t>(num_rows_) = *whole;
    return absl::OkStatus();
  }
  if (array.type == Type::kTruth) {
    const auto truth = ReadTruth(word);
    if (!truth) return NotA(column, text, "a boolean");
    array.At<Truth>(num_rows_) = *truth;
    return absl::OkStatus();
  }
  if (array.type == Type::kNumber) return NotA(column, text, "a number");
  const auto time = array.times->Read(word);
  if (!time.ok()) return InvalidArgument("{}: {}", column, std::string(time.status().message()));
  array.At<int64_t>(num_rows_) = time->micros;
  return absl::OkStatus();
}

void FieldRows::SetTime(size_t column, Timestamp time) {
  TIDEMILL_CHECK(column < arrays_of_.size() && num_rows_ < kBlockRows);
  for (const size_t place : arrays_of_[column]) arrays_[place].At<int64_t>(num_rows_) = time.micros;
}

void FieldRows::SetNumber(size_t column, std::optional<double> number) {
  TIDEMILL_CHECK(column < arrays_of_.size() && num_rows_ < kBlockRows);
  for (const size_t place : arrays_of_[column]) {
    arrays_[place].At<double>(num_rows_) = number.value_or(kNullNumber);
  }
}

bool FieldRows::IsNull(size_t column) const {
  TIDEMILL_CHECK(column < arrays_of_.size() && num_rows_ < kBlockRows);
  return std::ranges::any_of(arrays_of_[column], [&](size_t place) {
    const Array& array = arrays_[place];
    switch (array.type) {
      case Type::kNumber:
        return expressions::IsNull(array.At<double>(num_rows_));
      case Type::kWhole:
      case Type::kTime:
        return expressions::IsNull(array.At<int64_t>(num_rows_));
      case Type::kTruth:
        return expressions::IsNull(array.At<Truth>(num_rows_));
      case Type::kText:
        return expressions::IsNull(array.At<std::string_view>(num_rows_));
    }
    return false;
  });
}

void FieldRows::Run(Evaluation::Sink sink) {
  if (num_rows_ > 0) evaluation_->Run(num_rows_, sink);
}

void FieldRows::Clear() {
  num_rows_ = 0;
  texts_.Clear();
}

}  // namespace tidemill::expressions

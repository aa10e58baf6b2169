// Computes an expression from the fields of records, which are texts.
//
//   ASSIGN_OR_RETURN(FieldRows rows, FieldRows::Make(program, reading));
//   for (each record) {
//     for (size_t i = 0; i < rows.columns().size(); ++i) {
//       RETURN_IF_ERROR(rows.SetText(i, the field rows.columns()[i] of the record));
//     }
//     rows.EndRow();
//     if (rows.full()) ...
//   }
//   rows.Run([&](int64_t begin) { use(begin, rows.evaluation().Values<double>()); });
//   rows.Clear();
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers/written_number.h"
#include "base/status.h"
#include "base/time.h"
#include "expressions/evaluation.h"
#include "expressions/program.h"
#include "expressions/registers.h"
#include "records/missing_words.h"
#include "records/time_reader.h"

namespace tidemill::expressions {

// How the fields of records are read.
struct FieldReading {
  // Words that mean null for a number, a boolean or a time, in capital or small letters, and for a
  // field that is asked whether it is missing. An empty field is null in any case, also as a text.
  std::vector<std::string> missing = DefaultMissingWords();
  NumberNotations numbers = {};  // How numbers are written.
  // The formats of the times of some columns, by column. Other columns have times in a notation
  // that needs no format.
  std::map<std::string, TimeFormat> times = {};
  std::string time_zone = "UTC";  // The zone of the times of other columns that name none.
};

// Collects rows, up to kBlockRows or as many as have kMaxTextBytes of texts, and computes them
// together. Movable. Thread-compatible.
class FieldRows {
 public:
  // INVALID_ARGUMENT when the format of a time is unknown.
  static absl::StatusOr<FieldRows> Make(std::shared_ptr<const Program> program,
                                        FieldReading reading);

  // The columns that the expression reads, each once.
  const std::vector<std::string>& columns() const { return columns_; }

  // Sets a column of the row that is being made; std::nullopt for a field that is missing.
  // INVALID_ARGUMENT when the expression needs another type: "arr_delay is 'abc', not a number".
  // As that type it is null then; where it is read as another one, it is what it says. The text is
  // copied.
  absl::Status SetText(size_t column, std::optional<std::string_view> text);
  // For a column whose type was known to be kTime.
  void SetTime(size_t column, Timestamp time);
  // For a column whose type was known to be kNumber; std::nullopt is null.
  void SetNumber(size_t column, std::optional<double> number);
  // Whether a column of the row that is being made is null in one of the types that it is read as.
  bool IsNull(size_t column) const;

  // Completes the row. Every column must be set. Otherwise the next row replaces it.
  void EndRow() { ++num_rows_; }
  int64_t num_rows() const { return num_rows_; }
  bool full() const { return num_rows_ == kBlockRows || texts_.num_bytes() >= kMaxTextBytes; }

  // Computes the rows. There may be none.
  void Run(Evaluation::Sink sink);
  const Evaluation& evaluation() const { return *evaluation_; }
  // Begins again.
  void Clear();

 private:
  // One of program->inputs. Its array has the values of all rows.
  struct Array {
    Type type = Type::kNumber;
    std::unique_ptr<std::byte[]> values;
    bool asks_if_missing = false;
    NumberNotation notation = {};
    std::optional<TimeReader> times = std::nullopt;

    template <typename T>
    T& At(int64_t row) const {
      return reinterpret_cast<T*>(values.get())[row];
    }
  };

  FieldRows() = default;
  absl::Status Read(Array& array, std::string_view column, std::string_view text);
  bool SaysMissing(std::string_view text) const;
  void SetNull(Array& array);

  std::unique_ptr<Evaluation> evaluation_;
  FieldReading reading_;
  std::vector<std::string> columns_;
  std::vector<Array> arrays_;                   // One for each input.
  std::vector<std::vector<size_t>> arrays_of_;  // The arrays of each column.
  TextArena texts_;
  int64_t num_rows_ = 0;
};

}  // namespace tidemill::expressions

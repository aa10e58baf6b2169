// Recognises headers among the records of a CSV file.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "records/csv_splitter.h"

namespace tidemill {

// A file that was concatenated from several, or to which a writer that began again was appended,
// has more than one header: a record whose fields are the names of the columns. Thread-safe.
class CsvHeader {
 public:
  enum class Kind {
    kNone,   // A record.
    kSame,   // The names in their order.
    kMoved,  // All names, in another order.
    kOther,  // At least half of its fields are names, and there are other names.
  };

  // `quote` is the quote of the file.
  CsvHeader(std::vector<std::string> columns, std::optional<char> quote);

  // Whether the record is a header of kind kSame or kMoved. For almost every other record, it reads
  // only the first byte.
  Kind KindOf(std::span<const CsvField> record) const;

  // Does the same for a record that cannot be read, and also returns kOther.
  Kind KindOfBad(std::span<const CsvField> record) const;

  // Returns the names that a header has.
  std::vector<std::string> NamesIn(std::span<const CsvField> header) const;

 private:
  bool IsName(const CsvField& field) const;

  const std::vector<std::string> columns_;
  const std::optional<char> quote_;
  std::vector<std::string> sorted_;
  std::set<std::string, std::less<>> names_;  // The names that are not empty.
  bool begins_[256] = {};                     // The first bytes of the names.
};

// Returns why the names of a header cannot name columns: "names 'a' twice". Any number of empty
// names may be at the end. They come from delimiters at the ends of the lines and name columns that
// are not read.
std::optional<std::string> ProblemOfNames(std::span<const std::string> names);

}  // namespace tidemill

// Columns that storage knows for a sample without reading it. In conditions, their names begin with
// @.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/index/dataset_index.h"

namespace tidemill::storage {

// Whether the name is one of these columns. Columns of records may begin with @, too.
bool IsKnownColumn(std::string_view name);

// Returns the path without the dataset's folder.
std::string_view BelowFolder(std::string_view folder, std::string_view path);

// Thread-compatible.
class KnownColumns {
 public:
  // Takes the names with @ among `names`, which must be those of samples::RecordCondition, and
  // ignores the others.
  explicit KnownColumns(std::span<const std::string> names);

  // Sets the values of these columns. `values` is as long as the names, and views are valid until
  // the next call.
  void Read(const DatasetIndex& index, const SampleLocation& sample,
            std::span<std::optional<std::string_view>> values);

 private:
  enum class Kind : uint8_t { kKey, kFile, kPart, kTime, kLabel };
  struct Column {
    Kind kind = Kind::kKey;
    size_t place = 0;  // The place among the names.
    size_t part = 0;   // The part of the path, from 1.
    std::string text = {};
  };

  static Column ColumnOf(std::string_view name);

  std::vector<Column> columns_;
};

}  // namespace tidemill::storage

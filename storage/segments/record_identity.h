// The identity of a record: one number that is equal for records that are the same sample.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "xxhash.h"

namespace tidemill::storage {

// Returns the xxh3-64 of a record's own hash (LookupRow::hash) and its label. Equal records with
// equal labels have the same number. It does not reveal the record's content.
inline int64_t RecordIdentity(int64_t hash, std::optional<int64_t> class_label,
                              std::optional<double> real_label) {
  const int64_t parts[] = {hash, class_label.has_value() ? 1 : 0, class_label.value_or(0),
                           real_label.has_value() ? 1 : 0,
                           std::bit_cast<int64_t>(real_label.value_or(0))};
  return static_cast<int64_t>(XXH3_64bits(parts, sizeof(parts)));
}

}  // namespace tidemill::storage

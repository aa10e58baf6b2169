// What a graph must know of a dataset's samples. Callers fill it in from the dataset's spec, so
// that this library needs nothing of the storage service.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "batch/payload_kind.h"

namespace tidemill::transform {

using batch::PayloadKind;

enum class LabelKind { kNone, kClass, kReal };

struct SampleSchema {
  PayloadKind payload = PayloadKind::kCsv;

  // kCsv: the names of a record's fields, in order. Absent while they are not known, which is so
  // for a file with a header that nobody has read yet: such a graph can be checked, but not run.
  std::optional<std::vector<std::string>> columns = std::nullopt;
  char delimiter = ',';
  // Absent: quotes are ordinary characters.
  std::optional<char> quote = '"';

  // kRecord: bytes of a record, where known.
  std::optional<int64_t> record_bytes = std::nullopt;

  // Records in a payload, the newest last: more than one in a series. Those of a CSV file still
  // have the line ends between them.
  int64_t history = 1;

  LabelKind label = LabelKind::kNone;
  // kClass: labels are 0 .. num_classes - 1; 0 when not known.
  int64_t num_classes = 0;

  friend bool operator==(const SampleSchema&, const SampleSchema&) = default;
};

}  // namespace tidemill::transform

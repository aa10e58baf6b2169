// The schema of a dataset's samples, from which a graph is built. The caller fills it in from the
// dataset's spec, so that this library does not depend on the storage service.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "batch/csv_dialect.h"
#include "batch/payload_kind.h"

namespace tidemill::transform {

using batch::PayloadKind;

enum class LabelKind { kNone, kClass, kReal };

struct SampleSchema {
  PayloadKind payload = PayloadKind::kCsv;

  // For kCsv: the names of a record's fields, in order. Absent while they are unknown, as for a
  // file with a header that has not been read yet. Such a graph can be checked, but not run.
  std::optional<std::vector<std::string>> columns = std::nullopt;
  batch::CsvDialect csv = {};

  // For kRecord: the bytes of a record, when they are known.
  std::optional<int64_t> record_bytes = std::nullopt;

  // The number of records in a payload, the newest last. A series has more than one. The records of
  // a CSV file are still separated by their line ends.
  int64_t history = 1;

  LabelKind label = LabelKind::kNone;
  // The column that holds the label, if records of a single row contain it. No rule takes it,
  // because a model must not see what it predicts.
  std::optional<std::string> label_column = std::nullopt;
  // For kClass: labels are 0 .. num_classes - 1. It is 0 when unknown.
  int64_t num_classes = 0;

  // The zone of the clock on which expressions read times.
  std::string time_zone = "UTC";

  friend bool operator==(const SampleSchema&, const SampleSchema&) = default;
};

}  // namespace tidemill::transform

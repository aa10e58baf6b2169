// TFRecord files. A record is its length, a checksum of the length, its bytes, and a checksum of
// the bytes. There is no header.
#pragma once

#include <memory>
#include <string_view>

#include "config/config.h"
#include "storage/spec/formats/file_format.h"

namespace tidemill::storage {

struct TfrecordFormat {
  static constexpr std::string_view kType = "tfrecord";
  static constexpr std::string_view kDoc =
      "TFRecord: records of any size with checksums. Each record is a sample. Labels and times are "
      "features; a record with them must be a tf.train.Example.";
  static constexpr SampleUnit kUnit = SampleUnit::kRecord;
  static constexpr batch::PayloadKind kPayload = batch::PayloadKind::kTfRecord;
  static constexpr bool kHasFields = true;
  static constexpr bool kHasRows = false;
  static constexpr bool kNamesColumns = false;

  config::ByteSize max_record{64 << 20};

  void Fields(auto&& field) {
    field("max_record", max_record, "Longest record. A longer one is quarantined.", {.min = 16});
  }
};

// Implements MakeFormat() of format.h.
absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const TfrecordFormat& format,
                                                   const DatasetSpec& spec, UnpackedCache& files);

}  // namespace tidemill::storage

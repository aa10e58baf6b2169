// Files with records of a fixed size.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "config/config.h"
#include "storage/spec/formats/file_format.h"

namespace tidemill::storage {

struct BinaryFormat {
  static constexpr std::string_view kType = "binary";
  static constexpr std::string_view kDoc = "Records of a fixed size after a header.";
  static constexpr SampleUnit kUnit = SampleUnit::kRecord;
  static constexpr batch::PayloadKind kPayload = batch::PayloadKind::kRecord;
  static constexpr bool kHasFields = false;
  static constexpr bool kHasRows = true;
  static constexpr bool kNamesColumns = false;

  int64_t header_bytes = 0;
  int64_t record_bytes = 1;
  bool idx = false;

  void Fields(auto&& field) {
    field("header_bytes", header_bytes, "Bytes before the first record.", {.min = 0});
    field("record_bytes", record_bytes, "Bytes of a record, with the label if it is in the record.",
          {.min = 1, .max = 1 << 30, .required = true});
    field("idx", idx,
          "Check the magic number and the dimensions of IDX files (MNIST and similar).");
  }
};

// Implements MakeFormat() of format.h.
absl::StatusOr<std::unique_ptr<Format>> MakeFormat(const BinaryFormat& format,
                                                   const DatasetSpec& spec, UnpackedCache& files);

template <>
class FileFormatOf<BinaryFormat> final : public FileFormatBase<BinaryFormat> {
 public:
  std::optional<int64_t> RecordBytes() const override { return spec_.record_bytes; }
};

}  // namespace tidemill::storage

// parse_record: makes columns from fields of a binary record of fixed size.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/types.h"
#include "transform/engine/op_spec.h"
#include "transform/ops/records/rows.h"

namespace tidemill::transform {

enum class RecordType {
  kUInt8,
  kInt8,
  kUInt16,
  kInt16,
  kUInt32,
  kInt32,
  kInt64,
  kFloat32,
  kFloat64
};
enum class Endianness { kLittle, kBig };

struct RecordField {
  std::string name = {};
  int64_t offset = 0;
  RecordType dtype = RecordType::kUInt8;
  std::vector<int64_t> shape = {};
  Endianness endianness = Endianness::kLittle;

  void Fields(auto&& field) {
    field("name", name, "Name of the column to make.",
          config::Limits{.required = true, .example = "image"});
    field("offset", offset, "Bytes before the field in the record. The label's bytes do not count.",
          config::Limits{.min = 0, .max = 1e12});
    field("dtype", dtype, "Type of its numbers.");
    field("shape", shape, "Shape of the field's numbers, row by row. Empty for a single number.",
          config::Limits{.example = "[1, 28, 28]"});
    field("endianness", endianness, "Order of the bytes of a number.");
  }

  friend bool operator==(const RecordField&, const RecordField&) = default;
};

struct ParseRecordSpec {
  static constexpr std::string_view kType = "parse_record";
  static constexpr std::string_view kDoc =
      "Reads fields of a binary record of fixed size into columns. uint8, float32 and float64 are "
      "kept. int8, int16, uint16 and int32 become int32; uint32 and int64 become int64. A "
      "record that is too short, or a number that is not finite, makes a bad sample. A sample of a "
      "series holds `history` records, and `rows` says which of them to take the fields from.";
  static constexpr bool kIsRandom = false;
  std::vector<RecordField> fields = {};
  Rows rows = Rows::kLast;

  void Fields(auto&& field) {
    field("fields", fields, "The fields to read. They may overlap.",
          config::Limits{.required = true, .min_items = 1});
    field(
        "rows", rows,
        "Which rows of a series to read. `last`: the sample's own row. `previous`: the row before "
        "it. `all`: all rows, the oldest first, which puts [history] before each field's shape.");
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const ParseRecordSpec&, const ParseRecordSpec&) = default;
};

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::RecordType> {
  using Type = tidemill::transform::RecordType;
  static constexpr std::pair<Type, std::string_view> kNames[] = {
      {Type::kUInt8, "uint8"}, {Type::kInt8, "int8"},       {Type::kUInt16, "uint16"},
      {Type::kInt16, "int16"}, {Type::kUInt32, "uint32"},   {Type::kInt32, "int32"},
      {Type::kInt64, "int64"}, {Type::kFloat32, "float32"}, {Type::kFloat64, "float64"}};
};

template <>
struct tidemill::config::EnumNames<tidemill::transform::Endianness> {
  static constexpr std::pair<tidemill::transform::Endianness, std::string_view> kNames[] = {
      {tidemill::transform::Endianness::kLittle, "little"},
      {tidemill::transform::Endianness::kBig, "big"}};
};

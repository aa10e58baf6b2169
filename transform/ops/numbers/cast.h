// cast: converts numbers of one type to another type.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "batch/batch.h"
#include "config/column_list.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

enum class CastType { kFloat32, kFloat64, kInt64, kInt32, kUInt8 };

batch::DataType ColumnType(CastType type);

struct CastSpec {
  static constexpr std::string_view kType = "cast";
  static constexpr std::string_view kDoc =
      "Changes the type of numbers in place. Fractions are cut off. A number that is too large for "
      "the type makes a bad sample.";
  static constexpr bool kIsRandom = false;
  config::ColumnList columns = {};
  CastType dtype = CastType::kFloat32;

  void Fields(auto&& field) {
    field("columns", columns, "`all` columns of numbers, or a list of columns.",
          config::Limits{.required = true, .example = "[hour]"});
    field("dtype", dtype, "The new type.");
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const CastSpec&, const CastSpec&) = default;
};

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::CastType> {
  static constexpr std::pair<tidemill::transform::CastType, std::string_view> kNames[] = {
      {tidemill::transform::CastType::kFloat32, "float32"},
      {tidemill::transform::CastType::kFloat64, "float64"},
      {tidemill::transform::CastType::kInt64, "int64"},
      {tidemill::transform::CastType::kInt32, "int32"},
      {tidemill::transform::CastType::kUInt8, "uint8"}};
};

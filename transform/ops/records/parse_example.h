// parse_example: makes columns from named features of a tf.train.Example.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

enum class ExampleType { kFloat32, kInt64, kUInt8, kString };

struct ExampleField {
  std::string name = {};
  ExampleType dtype = ExampleType::kFloat32;
  int64_t length = 1;
  std::string into = {};

  void Fields(auto&& field) {
    field("name", name, "Name of the feature.",
          config::Limits{.required = true, .example = "image/encoded"});
    field("dtype", dtype,
          "The type to read it as: float32 and int64 for lists of numbers, string for a list with "
          "one text, uint8 for a text whose bytes are the numbers.");
    field("length", length, "How many numbers the feature has.",
          config::Limits{.min = 1, .max = 1 << 28});
    field("into", into, "Name of the column to make. By default the feature's name.");
  }

  friend bool operator==(const ExampleField&, const ExampleField&) = default;
};

struct ParseExampleSpec {
  static constexpr std::string_view kType = "parse_example";
  static constexpr std::string_view kDoc =
      "Reads features of a serialised tf.train.Example, which most TFRecord files hold, into "
      "columns of shape [length], or of single numbers if the length is 1. Whole numbers may be "
      "read as float32. A sample is bad if it is not an Example, or if a feature is missing, has "
      "another kind or length, or holds a number that is not finite.";
  static constexpr bool kIsRandom = false;
  std::vector<ExampleField> features = {};

  void Fields(auto&& field) {
    field("features", features, "The features to read.",
          config::Limits{.required = true, .min_items = 1});
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const ParseExampleSpec&, const ParseExampleSpec&) = default;
};

}  // namespace tidemill::transform

template <>
struct tidemill::config::EnumNames<tidemill::transform::ExampleType> {
  using Type = tidemill::transform::ExampleType;
  static constexpr std::pair<Type, std::string_view> kNames[] = {{Type::kFloat32, "float32"},
                                                                 {Type::kInt64, "int64"},
                                                                 {Type::kUInt8, "uint8"},
                                                                 {Type::kString, "string"}};
};

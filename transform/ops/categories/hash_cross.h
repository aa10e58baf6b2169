// hash_cross: maps the values of several columns together to one of n buckets.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/column_list.h"
#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

struct HashCrossSpec {
  static constexpr std::string_view kType = "hash_cross";
  static constexpr std::string_view kDoc =
      "Makes int64 numbers from 0 to buckets-1 of the values of several columns together. Each "
      "value gives the number h that hash_buckets makes of it with 2^62 buckets and the same seed: "
      "the XXH3-64 hash of the text, or of the whole number's eight little-endian bytes, modulo "
      "2^62. These are joined in the order of the columns: from a key of 0, each makes the key "
      "key * 1000003 + h, modulo 2^64. The result is the XXH3-64 hash of the last key's eight "
      "little-endian bytes, modulo the number of buckets. As values are hashed one by one, (a, bc) "
      "and (ab, c) differ, and so do (a, b) and (b, a).";
  static constexpr bool kIsRandom = false;
  config::ColumnList columns = {};
  int64_t buckets = 0;
  int64_t seed = 0;
  std::string into = {};

  void Fields(auto&& field) {
    field("columns", columns,
          "Two or more columns of texts or whole numbers, each with one value in a row.",
          config::Limits{.required = true, .example = "[station, hour]"});
    field("buckets", buckets, "Number of buckets.",
          config::Limits{.min = 1, .max = 1e12, .required = true, .example = "10000"});
    field("seed", seed, "Seed of the hash. Another seed spreads the values differently.",
          config::Limits{.min = 0});
    field("into", into, "Name of the column to make.",
          config::Limits{.required = true, .example = "station_hour"});
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const HashCrossSpec&, const HashCrossSpec&) = default;
};

}  // namespace tidemill::transform

// hash_buckets: maps a text or whole number to one of n buckets.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

struct HashBucketsSpec {
  static constexpr std::string_view kType = "hash_buckets";
  static constexpr std::string_view kDoc =
      "Makes int64 numbers from 0 to buckets-1. A number is the XXH3-64 hash of the text, or of "
      "the whole number's eight little-endian bytes, modulo the number of buckets.";
  static constexpr bool kIsRandom = false;
  std::string column = {};
  int64_t buckets = 0;
  int64_t seed = 0;
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of texts or whole numbers.",
          config::Limits{.required = true, .example = "user_id"});
    field("buckets", buckets, "Number of buckets.",
          config::Limits{.min = 1, .max = 1e12, .required = true, .example = "1000"});
    field("seed", seed, "Seed of the hash. Another seed spreads the values differently.",
          config::Limits{.min = 0});
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const HashBucketsSpec&, const HashBucketsSpec&) = default;
};

}  // namespace tidemill::transform

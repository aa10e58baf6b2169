// hash_tokens: maps the words of a text to numbers, without learning any.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

struct HashTokensSpec {
  static constexpr std::string_view kType = "hash_tokens";
  static constexpr std::string_view kDoc =
      "Makes int64 rows of `length` numbers from texts. First each word gives a number from 1 to "
      "`buckets`, then each two neighbouring words, and so on up to `ngrams` words. The number is "
      "the XXH3-64 hash of the words with one blank between them, modulo `buckets`, plus 1. 0 "
      "fills the rest of the row. Numbers beyond `length` are cut off. A word is a run of letters, "
      "marks and digits of any script. Format characters, such as soft hyphens and joiners, are "
      "left out. Everything else, and bytes that are not UTF-8, separates words. A text without "
      "words gives zeros.";
  static constexpr bool kIsRandom = false;
  std::string column = {};
  int64_t buckets = 0;
  int64_t ngrams = 1;
  int64_t length = 0;
  bool lowercase = true;
  int64_t seed = 0;
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of texts.",
          config::Limits{.required = true, .example = "title"});
    field("buckets", buckets, "Number of buckets. The model needs one id more, for 0.",
          config::Limits{.min = 1, .max = 1e12, .required = true, .example = "65536"});
    field("ngrams", ngrams,
          "Number of neighbouring words to take together. 1 for single words only.",
          config::Limits{.min = 1, .max = 8});
    field("length", length, "Numbers in a row.",
          config::Limits{.min = 1, .max = 65536, .required = true, .example = "32"});
    field("lowercase", lowercase, "Treats capital letters as small letters.");
    field("seed", seed, "Seed of the hash. Another seed spreads the values differently.",
          config::Limits{.min = 0});
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const HashTokensSpec&, const HashTokensSpec&) = default;
};

}  // namespace tidemill::transform

// vocabulary: maps the words of a text to their numbers in a learned list.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/types.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

struct VocabularySpec {
  static constexpr std::string_view kType = "vocabulary";
  static constexpr std::string_view kDoc =
      "Makes int64 rows of `length` numbers from texts. First each word gives a number, then each "
      "two neighbouring words, and so on up to `ngrams` words. The number is the place in a list "
      "of words, plus 2, or 1 if the list does not have the words. 0 fills the rest of the row. "
      "Numbers beyond `length` are cut off. The list is learned from the selected samples before "
      "training and stored with the model. It holds the `max_words` most frequent words of those "
      "that occur at least `min_count` times, in byte order. A word is a run of letters, marks and "
      "digits of any script. Format characters, such as soft hyphens and joiners, are left out. "
      "Everything else, and bytes that are not UTF-8, separates words. A text without words gives "
      "zeros.";
  static constexpr bool kIsRandom = false;
  std::string column = {};
  int64_t max_words = 20'000;
  int64_t min_count = 1;
  int64_t ngrams = 1;
  int64_t length = 0;
  bool lowercase = true;
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of texts.",
          config::Limits{.required = true, .example = "title"});
    field("max_words", max_words,
          "Largest number of words, or of neighbouring words, to learn. The model needs two ids "
          "more, for 0 and 1.",
          config::Limits{.min = 1, .max = 1e6});
    field("min_count", min_count, "How often a word must occur to be learned.",
          config::Limits{.min = 1});
    field("ngrams", ngrams,
          "Number of neighbouring words to take together. 1 for single words only.",
          config::Limits{.min = 1, .max = 8});
    field("length", length, "Numbers in a row.",
          config::Limits{.min = 1, .max = 65536, .required = true, .example = "16"});
    field("lowercase", lowercase, "Treats capital letters as small letters.");
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const VocabularySpec&, const VocabularySpec&) = default;
};

}  // namespace tidemill::transform

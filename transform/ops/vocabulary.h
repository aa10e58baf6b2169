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
      "Makes int64 rows of `length` numbers out of texts: for each word, then for each two "
      "neighbouring words and so on up to `ngrams`, its place in a list of words, plus 2; 1 for "
      "what is not in the list, 0 fills the rest. What is beyond `length` is cut off. The list is "
      "learned from the selected samples before training and stored with the model: the "
      "`max_words` most frequent of those that occur `min_count` times, in byte order. A word is a "
      "run of letters, marks and digits of any script; all else, and bytes that are no UTF-8, "
      "separates words. A text without words gives zeros.";
  static constexpr bool kIsRandom = false;
  std::string column = {};
  int64_t max_words = 20'000;
  int64_t min_count = 1;
  int64_t ngrams = 1;
  int64_t length = 0;
  bool lowercase = true;
  std::string into = {};
  bool autocache = false;

  void Fields(auto&& field) {
    field("column", column, "Column of texts.",
          config::Limits{.required = true, .example = "title"});
    field(
        "max_words", max_words,
        "Most words, or neighbouring words, to learn; the model needs two rows more, for 0 and 1.",
        config::Limits{.min = 1, .max = 1e6});
    field("min_count", min_count, "How often a word must occur to be learned.",
          config::Limits{.min = 1});
    field("ngrams", ngrams, "Neighbouring words taken together: 1 for words alone.",
          config::Limits{.min = 1, .max = 8});
    field("length", length, "Numbers in a row.",
          config::Limits{.min = 1, .max = 65536, .required = true, .example = "16"});
    field("lowercase", lowercase, "Takes capital letters for small ones.");
    field("into", into, "Name of the column to make; the column itself when not given.");
    field("autocache", autocache, kAutocacheDoc);
  }
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const VocabularySpec&, const VocabularySpec&) = default;
};

}  // namespace tidemill::transform

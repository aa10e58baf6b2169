// word_pieces: maps the words of a text to the numbers of their pieces, as BERT does.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/types.h"
#include "transform/engine/graph_op.h"

namespace tidemill::config {
class Problems;
}

namespace tidemill::transform {

struct WordPiecesSpec {
  static constexpr std::string_view kType = "word_pieces";
  static constexpr std::string_view kDoc =
      "Makes int64 rows of `length` numbers from texts, as BERT does. A vocabulary lists pieces of "
      "words, one on each line. The number of a piece is the place of its line, from 0. `##` "
      "begins pieces that continue a word. White space separates words. Each punctuation mark and "
      "each Chinese character is a separate word. Control characters and bytes that are not "
      "UTF-8 are left out. A word gives the longest piece that it begins with, then the longest "
      "one that continues it, and so on. It gives [UNK] if a part of it is in no piece, or if it "
      "has more than 200 characters. [CLS] begins the row, and [SEP] follows the pieces. Pieces "
      "beyond `length` are cut off. [PAD] fills the rest of the row. The vocabulary is kept with "
      "the pipeline.";
  static constexpr bool kIsRandom = false;
  std::string column = {};
  std::string vocabulary = {};
  std::string content = {};
  int64_t length = 0;
  bool lowercase = true;
  bool marks = true;
  std::string into = {};

  void Fields(auto&& field) {
    field("column", column, "Column of texts.",
          config::Limits{.required = true, .example = "title"});
    field("vocabulary", vocabulary,
          "The file, below the pipeline's folder or a folder with data. It may have 4 MiB. It is "
          "read once, when the pipeline is checked.",
          config::Limits{.example = "vocab.txt"});
    field("content", content,
          "Instead of `vocabulary`, its text, compressed and in base64. The pipeline is kept with "
          "this.");
    field("length", length, "Numbers in a row.",
          config::Limits{.min = 1, .max = 65536, .required = true, .example = "128"});
    field("lowercase", lowercase,
          "Treats capital letters as small letters and leaves out accents, as vocabularies called "
          "`uncased` need it.");
    field("marks", marks, "Puts [CLS] before the pieces of a text and [SEP] after them.");
    field("into", into,
          "Name of the column to make. By default the op replaces the column itself.");
  }
  void Check(config::Problems& problems) const;
  std::unique_ptr<Op> Build(OpBuilder& builder) const;
  void TakeFiles(config::NamedFiles& files, config::Problems& problems);

  friend bool operator==(const WordPiecesSpec&, const WordPiecesSpec&) = default;
};

template <>
class GraphOpOf<WordPiecesSpec> final : public GraphOpBase<WordPiecesSpec> {
 public:
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) override {
    spec_.TakeFiles(files, problems);
  }
};

}  // namespace tidemill::transform

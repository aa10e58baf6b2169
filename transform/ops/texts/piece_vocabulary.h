// The pieces of words that a vocabulary of BERT lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace tidemill::transform {

inline constexpr size_t kMaxVocabularyBytes = size_t{4} << 20;

// A vocabulary is a text in UTF-8 with one piece on each line. The number of a piece is the place
// of its line, from 0. A piece that begins with `##` continues a word. The lines [UNK] and [PAD]
// are for words that no pieces make, and for free places. [CLS] begins a text, and [SEP] ends it.
// Thread-safe.
class PieceVocabulary {
 public:
  // Why a text is not a vocabulary.
  struct Problem {
    std::string message;
    std::string hint;
  };

  // `name` is the name of the file, for messages. With `needs_marks`, [CLS] and [SEP] must be
  // there.
  static std::variant<std::shared_ptr<const PieceVocabulary>, Problem> Create(
      std::string text, const std::string& name, bool needs_marks);

  // Appends the numbers of the pieces of a word: the longest piece that the word begins with, then
  // the longest that continues it, and so on. Appends the number of [UNK] instead when a part of
  // the word is in no piece, or the word has more than 200 characters.
  void AppendPieces(std::string_view word, std::vector<int64_t>& numbers) const;

  int64_t unknown() const { return unknown_; }
  int64_t padding() const { return padding_; }
  // The numbers of [CLS] and [SEP]; -1 where they are neither there nor needed.
  int64_t begin() const { return begin_; }
  int64_t end() const { return end_; }
  // The number of pieces.
  int64_t size() const { return size_; }

 private:
  explicit PieceVocabulary(std::string text) : text_(std::move(text)) {}

  // Reads the lines of the text.
  std::optional<Problem> TakeLines(const std::string& name);
  std::optional<Problem> FindSpecialPieces(const std::string& name, bool needs_marks);
  // Returns the place of a line, or -1.
  int64_t PlaceOf(absl::string_view line) const;
  // Adds a line that is in UTF-8. Returns the place of an equal line, or else -1.
  int64_t AddLine(std::string_view line);
  // Returns the number of the longest piece with which `rest` begins, or -1, and cuts it off.
  static int64_t CutLongest(const absl::flat_hash_map<absl::string_view, int32_t>& pieces,
                            size_t longest, std::string_view& rest);

  const std::string text_;  // The maps point into it.
  // Pieces that begin words, and, without their ##, those that continue them.
  absl::flat_hash_map<absl::string_view, int32_t> first_;
  absl::flat_hash_map<absl::string_view, int32_t> next_;
  size_t longest_first_ = 0;  // In bytes.
  size_t longest_next_ = 0;
  int32_t size_ = 0;
  int64_t unknown_ = -1;
  int64_t padding_ = -1;
  int64_t begin_ = -1;
  int64_t end_ = -1;
};

}  // namespace tidemill::transform

#include "transform/ops/texts/text_words.h"

#include "utf8proc.h"

namespace tidemill::transform {
namespace {

constexpr int32_t kSeparates = -1;
constexpr int32_t kIsInvisible = -2;

struct Letter {
  size_t num_bytes = 1;  // Read.
  int32_t code = kSeparates;
};

// Whether a word continues through an invisible character, as rule WB4 of Unicode's annex 29
// has it: soft hyphens, joiners, marks of direction. A space of no width ends a word.
bool IsInvisible(int32_t code) {
  constexpr int32_t kZeroWidthSpace = 0x200B;
  return code != kZeroWidthSpace && utf8proc_category(code) == UTF8PROC_CATEGORY_CF;
}

bool IsWordPart(int32_t code) {
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return true;
    default:
      return false;
  }
}

Letter ReadLetter(std::string_view text, bool lowercase) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) {
    const bool upper = first >= 'A' && first <= 'Z';
    if (upper) return {1, lowercase ? first + ('a' - 'A') : first};
    const bool kept = (first >= 'a' && first <= 'z') || (first >= '0' && first <= '9');
    return {1, kept ? first : kSeparates};
  }
  utf8proc_int32_t code = 0;
  const utf8proc_ssize_t size =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(text.size()), &code);
  if (size < 1) return {};
  if (IsInvisible(code)) return {static_cast<size_t>(size), kIsInvisible};
  if (!IsWordPart(code)) return {static_cast<size_t>(size), kSeparates};
  return {static_cast<size_t>(size), lowercase ? utf8proc_tolower(code) : code};
}

void Append(int32_t code, std::string& text) {
  if (code < 0x80) {
    text += static_cast<char>(code);
    return;
  }
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t size = utf8proc_encode_char(code, bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
}

}  // namespace

void TextWords::Split(std::string_view text) {
  text_.clear();
  words_.clear();
  bool in_word = false;
  for (size_t at = 0; at < text.size();) {
    const Letter letter = ReadLetter(text.substr(at), lowercase_);
    at += letter.num_bytes;
    if (letter.code == kIsInvisible) continue;
    if (letter.code == kSeparates) {
      in_word = false;
      continue;
    }
    if (!in_word) {
      if (!text_.empty()) text_ += ' ';
      words_.push_back({text_.size(), text_.size()});
      in_word = true;
    }
    Append(letter.code, text_);
    words_.back().end = text_.size();
  }
}

std::string_view TextWords::Run(int64_t first, int64_t count) const {
  const size_t begin = words_[first].begin;
  return std::string_view(text_).substr(begin, words_[first + count - 1].end - begin);
}

}  // namespace tidemill::transform

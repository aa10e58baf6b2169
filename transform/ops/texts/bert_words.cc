#include "transform/ops/texts/bert_words.h"

#include "utf8proc.h"

namespace tidemill::transform {
namespace {

constexpr int32_t kReplacement = 0xFFFD;

enum class CharacterKind { kNone, kSpace, kPunctuation, kChinese, kOther };

CharacterKind KindOfAscii(int32_t code) {
  if (code == ' ' || code == '\t' || code == '\n' || code == '\r') return CharacterKind::kSpace;
  if (code < ' ' || code == 0x7F) return CharacterKind::kNone;
  const bool is_letter = (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
  const bool is_digit = code >= '0' && code <= '9';
  return is_letter || is_digit ? CharacterKind::kOther : CharacterKind::kPunctuation;
}

// The blocks of Unicode that BERT takes for Chinese characters: no kana, no Hangul.
bool IsChinese(int32_t code) {
  struct Block {
    int32_t first;
    int32_t last;
  };
  constexpr Block kBlocks[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                               {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F},
                               {0x2B820, 0x2CEAF}, {0x2F800, 0x2FA1F}};
  for (const Block& block : kBlocks) {
    if (code >= block.first && code <= block.last) return true;
  }
  return false;
}

CharacterKind KindOf(int32_t code) {
  if (code < 0x80) return KindOfAscii(code);
  if (code == kReplacement) return CharacterKind::kNone;
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
      return CharacterKind::kNone;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return CharacterKind::kSpace;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return CharacterKind::kPunctuation;
    default:
      return IsChinese(code) ? CharacterKind::kChinese : CharacterKind::kOther;
  }
}

}  // namespace

void BertWords::Split(std::string_view text, int64_t max_words) {
  text_.clear();
  words_.clear();
  in_word_ = false;
  const auto* const bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (size_t at = 0; at < text.size();) {
    utf8proc_int32_t code = bytes[at];
    utf8proc_ssize_t size = 1;
    if (code >= 0x80) {
      size = utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(text.size() - at), &code);
    }
    if (size > 0) Take(code);
    at += static_cast<size_t>(size > 0 ? size : 1);
    // The last word may be unfinished.
    if (std::ssize(words_) > max_words) break;
  }
  if (std::ssize(words_) > max_words) words_.resize(static_cast<size_t>(max_words));
}

void BertWords::Take(int32_t code) {
  const CharacterKind kind = KindOf(code);
  if (kind == CharacterKind::kNone) return;
  if (kind == CharacterKind::kSpace) {
    in_word_ = false;
    return;
  }
  // Chinese characters are parted before anything else is done to them.
  if (kind == CharacterKind::kChinese) in_word_ = false;
  if (lowercase_) {
    TakeLowered(code);
  } else if (kind == CharacterKind::kPunctuation) {
    AddAlone(code);
  } else {
    Add(code);
  }
  if (kind == CharacterKind::kChinese) in_word_ = false;
}

void BertWords::TakeLowered(int32_t code) {
  if (code < 0x80) {
    const bool is_capital = code >= 'A' && code <= 'Z';
    if (KindOfAscii(code) == CharacterKind::kPunctuation) return AddAlone(code);
    return Add(is_capital ? code + ('a' - 'A') : code);
  }
  // No character has more canonical parts than four.
  utf8proc_int32_t parts[8];
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(utf8proc_tolower(code), parts, 8, UTF8PROC_DECOMPOSE, nullptr);
  for (utf8proc_ssize_t i = 0; i < count && i < 8; ++i) {
    if (utf8proc_category(parts[i]) == UTF8PROC_CATEGORY_MN) continue;
    if (KindOf(parts[i]) == CharacterKind::kPunctuation) {
      AddAlone(parts[i]);
    } else {
      Add(parts[i]);
    }
  }
}

void BertWords::Add(int32_t code) {
  if (!in_word_) words_.push_back({text_.size(), 0});
  in_word_ = true;
  if (code < 0x80) {
    text_ += static_cast<char>(code);
  } else {
    utf8proc_uint8_t bytes[4];
    const utf8proc_ssize_t size = utf8proc_encode_char(code, bytes);
    text_.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  }
  words_.back().size = text_.size() - words_.back().begin;
}

void BertWords::AddAlone(int32_t code) {
  in_word_ = false;
  Add(code);
  in_word_ = false;
}

}  // namespace tidemill::transform

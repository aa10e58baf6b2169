#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "re2/re2.h"
#include "utf8proc.h"
#define XXH_INLINE_ALL
#include "expressions/kernels.h"
#include "expressions/kernels/loops.h"
#include "expressions/read_values.h"
#include "xxhash.h"

namespace tidemill::expressions {

namespace {

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

template <bool kLower>
char InAscii(char c) {
  constexpr char kFirst = kLower ? 'A' : 'a';
  constexpr char kLast = kLower ? 'Z' : 'z';
  return c >= kFirst && c <= kLast ? static_cast<char>(c ^ 0x20) : c;
}

// Bytes that are not UTF-8 are kept. The result is null when there is no room for it.
template <bool kLower>
std::string_view InCase(std::string_view text, TextArena& texts) {
  if (text.empty()) return text;
  if (IsAscii(text)) {
    char* const bytes = texts.Allocate(text.size());
    if (bytes == nullptr) return {};
    std::ranges::transform(text, bytes, InAscii<kLower>);
    return {bytes, text.size()};
  }
  constexpr size_t kMaxGrowth = 2;  // A character has at most twice the bytes.
  char* const bytes = texts.AllocateRoom(text.size() * kMaxGrowth);
  if (bytes == nullptr) return {};
  size_t size = 0;
  const auto* from = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (size_t at = 0; at < text.size();) {
    utf8proc_int32_t code = 0;
    const auto read =
        utf8proc_iterate(from + at, static_cast<utf8proc_ssize_t>(text.size() - at), &code);
    if (read <= 0) {
      bytes[size++] = text[at++];
      continue;
    }
    const utf8proc_int32_t changed = kLower ? utf8proc_tolower(code) : utf8proc_toupper(code);
    size += static_cast<size_t>(
        utf8proc_encode_char(changed, reinterpret_cast<utf8proc_uint8_t*>(bytes + size)));
    at += static_cast<size_t>(read);
  }
  texts.GiveBack(text.size() * kMaxGrowth - size);
  return {bytes, size};
}

// A text that is not UTF-8 stays unchanged.
std::string_view Composed(std::string_view text, TextArena& texts) {
  if (IsAscii(text)) return text;
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &made,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(made, &std::free);
  if (size < 0) return text;
  return texts.Copy({reinterpret_cast<const char*>(made), static_cast<size_t>(size)});
}

void Compose(const Step& step, Registers& rows) {
  const auto* const in = rows.In<std::string_view>(step.from[0]);
  auto* const out = rows.Out<std::string_view>(step.into);
  for (int64_t i = 0; i < rows.num_rows(); ++i) out[i] = Composed(in[i], rows.texts());
}

template <bool kLower>
void ChangeCase(const Step& step, Registers& rows) {
  const auto* const in = rows.In<std::string_view>(step.from[0]);
  auto* const out = rows.Out<std::string_view>(step.into);
  for (int64_t i = 0; i < rows.num_rows(); ++i) out[i] = InCase<kLower>(in[i], rows.texts());
}

int64_t NumCharacters(std::string_view text) {
  if (IsNull(text)) return kNullWhole;
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

template <bool (*kHolds)(std::string_view, std::string_view)>
Truth Judge(std::string_view text, std::string_view part) {
  if (IsNull(text) || IsNull(part)) return Truth::kNull;
  return kHolds(text, part) ? Truth::kTrue : Truth::kFalse;
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
bool StartsWith(std::string_view text, std::string_view part) { return text.starts_with(part); }
bool EndsWith(std::string_view text, std::string_view part) { return text.ends_with(part); }

struct RegexSetting : Setting {
  RegexSetting(const std::string& pattern, const re2::RE2::Options& options)
      : regex(pattern, options) {}
  const re2::RE2 regex;
};

void MatchRows(const Step& step, Registers& rows) {
  const re2::RE2& regex = static_cast<const RegexSetting&>(*step.setting).regex;
  const auto* const in = rows.In<std::string_view>(step.from[0]);
  auto* const out = rows.Out<Truth>(step.into);
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    const re2::StringPiece text(in[i].data(), in[i].size());
    out[i] = IsNull(in[i])                         ? Truth::kNull
             : re2::RE2::PartialMatch(text, regex) ? Truth::kTrue
                                                   : Truth::kFalse;
  }
}

void ConcatRows(const Step& step, Registers& rows) {
  auto* const out = rows.Out<std::string_view>(step.into);
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    size_t size = 0;
    for (const int from : step.from) size += rows.In<std::string_view>(from)[i].size();
    char* const bytes = rows.texts().Allocate(size);
    if (bytes == nullptr) return;
    char* end = bytes;
    for (const int from : step.from) {
      const std::string_view part = rows.In<std::string_view>(from)[i];
      if (!part.empty()) std::memcpy(end, part.data(), part.size());
      end += part.size();
    }
    out[i] = size == 0 ? std::string_view("") : std::string_view(bytes, size);
  }
}

// The part with this number from 0; null when there are fewer.
std::string_view PartOf(std::string_view text, const std::string& separator, int64_t index) {
  for (int64_t part = 0;; ++part) {
    const size_t end = text.find(separator);
    if (part == index) return text.substr(0, end);
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + separator.size());
  }
}

// The part with this number from 1, from the end.
std::string_view PartFromEnd(std::string_view text, const std::string& separator, int64_t number) {
  for (int64_t part = 1;; ++part) {
    const size_t at = text.rfind(separator);
    const bool found = at != std::string_view::npos;
    if (part == number) return found ? text.substr(at + separator.size()) : text;
    if (!found) return {};
    text = text.substr(0, at);
  }
}

void SplitRows(const Step& step, Registers& rows) {
  const auto& split = static_cast<const SplitSetting&>(*step.setting);
  const auto* const in = rows.In<std::string_view>(step.from[0]);
  auto* const out = rows.Out<std::string_view>(step.into);
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    if (IsNull(in[i])) {
      out[i] = {};
    } else if (split.index >= 0) {
      out[i] = PartOf(in[i], split.separator, split.index);
    } else {
      out[i] = PartFromEnd(in[i], split.separator, -split.index);
    }
  }
}

// As the op hash_buckets does it.
template <typename T>
void HashRows(const Step& step, Registers& rows) {
  const auto buckets = static_cast<uint64_t>(static_cast<const WholeSetting&>(*step.setting).value);
  const T* const in = rows.In<T>(step.from[0]);
  auto* const out = rows.Out<int64_t>(step.into);
  for (int64_t i = 0; i < rows.num_rows(); ++i) {
    if (IsNull(in[i])) {
      out[i] = kNullWhole;
      continue;
    }
    uint64_t hash = 0;
    if constexpr (std::is_same_v<T, std::string_view>) {
      hash = XXH3_64bits(in[i].data(), in[i].size());
    } else {
      hash = XXH3_64bits(&in[i], sizeof(in[i]));
    }
    out[i] = static_cast<int64_t>(hash % buckets);
  }
}

}  // namespace

Step::Kernel TextFunction(std::string_view name) {
  if (name == "lower") return &ChangeCase<true>;
  if (name == "upper") return &ChangeCase<false>;
  if (name == "nfc") return &Compose;
  if (name == "trim") return &MapRows<std::string_view, std::string_view, &WithoutBlanks>;
  return nullptr;
}

Step::Kernel TextLength() { return &MapRows<std::string_view, int64_t, &NumCharacters>; }

Step::Kernel TextPredicate(std::string_view name) {
  if (name == "contains") return &MapPairs<std::string_view, Truth, &Judge<&Contains>>;
  if (name == "starts_with") return &MapPairs<std::string_view, Truth, &Judge<&StartsWith>>;
  if (name == "ends_with") return &MapPairs<std::string_view, Truth, &Judge<&EndsWith>>;
  return nullptr;
}

Step::Kernel MatchesKernel() { return &MatchRows; }
Step::Kernel ConcatKernel() { return &ConcatRows; }
Step::Kernel SplitKernel() { return &SplitRows; }
Step::Kernel HashText() { return &HashRows<std::string_view>; }
Step::Kernel HashWhole() { return &HashRows<int64_t>; }

absl::StatusOr<std::shared_ptr<const Setting>> MakeRegexSetting(const std::string& pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  constexpr int64_t kMaxBytes = 1 << 20;
  options.set_max_mem(kMaxBytes);
  auto setting = std::make_shared<RegexSetting>(pattern, options);
  if (!setting->regex.ok()) return InvalidArgument("{}", setting->regex.error());
  return setting;
}

}  // namespace tidemill::expressions

#include "config/scalars.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "fmt/format.h"

#include "base/numbers/number_text.h"
#include "base/printable.h"
#include "base/time.h"
#include "base/times/clock_time.h"
#include "config/numbers.h"

// WriteText() leaves a text plain only if every reader of YAML takes it for that text.
//
//   text        IsPlainSafe()   IsAmbiguous()   written
//   Zurich 1    yes             no              Zurich 1
//   no          yes             yes             "no"
//   1.10        no              yes             "1.10"
//   12          no              no              "12"
//   a: b        no              no              "a: b"

namespace tidemill::config::internal {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string Shortened(std::string_view text) {
  constexpr size_t kShown = 60;
  return std::string(text.substr(0, kShown)) + (text.size() > kShown ? "..." : "");
}

Mismatch Expected(std::string_view what, const Node& node, std::string_view hint = "") {
  const char* quote = node.quoted ? "\"" : "'";
  return {fmt::format("expected {}, got {}{}{}", what, quote, Shortened(node.text), quote),
          std::string(hint)};
}

// Quotes around a number are a mismatch unless a variable is in them.
bool IsQuotedNumber(const Node& node) { return node.quoted && !node.substituted; }

bool HasLeadingZero(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && IsDigit(text[1]);
}

std::optional<Mismatch> ReadBool(const Node& node, bool& value) {
  static constexpr std::array kTrue = {"yes", "on", "True", "TRUE", "Yes", "On", "YES", "ON"};
  static constexpr std::array kFalse = {"no", "off", "False", "FALSE", "No", "Off", "NO", "OFF"};
  const bool known = node.text == "true" || node.text == "false";
  if (known && !IsQuotedNumber(node)) {
    value = node.text == "true";
    return std::nullopt;
  }
  std::string hint = known ? "remove the quotes" : "";
  if (std::ranges::find(kTrue, node.text) != kTrue.end()) hint = "write true";
  if (std::ranges::find(kFalse, node.text) != kFalse.end()) hint = "write false";
  return Expected("true or false", node, hint);
}

std::optional<Mismatch> ReadInteger(const Node& node, int64_t min, int64_t max, int64_t& value) {
  const auto number = ParseCount(node.text);
  if (number.ok() && !IsQuotedNumber(node)) {
    if (*number < min || *number > max) {
      return Mismatch{fmt::format("{} is out of range", node.text),
                      fmt::format("{} to {}", min, max)};
    }
    value = *number;
    return std::nullopt;
  }
  const std::string_view hint = number.ok()                 ? "remove the quotes"
                                : HasLeadingZero(node.text) ? "remove the leading zero"
                                                            : "";
  return Expected("a whole number", node, hint);
}

template <typename Real>
bool ParseReal(std::string text, Real& value) {
  std::erase(text, '_');
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == ".inf" || rest == ".nan") {
    value = rest == ".inf" ? std::numeric_limits<Real>::infinity()
                           : std::numeric_limits<Real>::quiet_NaN();
  } else {
    if (rest.empty() || !(IsDigit(rest[0]) || rest[0] == '.')) return false;
    const auto [end, error] = ReadNumber(rest, value);
    if (error != std::errc() || end != rest.data() + rest.size()) return false;
  }
  if (negative) value = -value;
  return true;
}

template <typename Real>
std::optional<Mismatch> ReadReal(const Node& node, Real& value) {
  Real number = 0;
  const bool parsed = !HasLeadingZero(node.text) && ParseReal(node.text, number);
  if (parsed && !IsQuotedNumber(node)) {
    value = number;
    return std::nullopt;
  }
  return Expected("a number", node, parsed ? "remove the quotes" : "");
}

std::optional<Mismatch> ReadText(const Node& node, std::string& value) {
  if (!node.quoted && !node.substituted && IsAmbiguous(node.text)) {
    return Mismatch{fmt::format("'{}' can be read as something other than a text", node.text),
                    fmt::format("quote it: \"{}\"", node.text)};
  }
  value = node.text;
  return std::nullopt;
}

template <typename T>
std::optional<Mismatch> ReadParsed(const Node& node, absl::StatusOr<T> parsed,
                                   std::string_view what, T& value) {
  if (!parsed.ok()) return Expected(what, node);
  value = *parsed;
  return std::nullopt;
}

std::optional<Mismatch> ReadEnum(const Type& type, const Node& node, void* value) {
  const auto it = std::ranges::find(type.names, node.text);
  if (it == type.names.end()) {
    return Mismatch{fmt::format("unknown value '{}'", Shortened(node.text)),
                    DidYouMean(node.text, type.names)};
  }
  type.set_name(value, static_cast<size_t>(it - type.names.begin()));
  return std::nullopt;
}

template <typename Real>
std::string WriteReal(Real value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
  return fmt::format("{}", value);
}

// True for code points that must be escaped inside double quotes.
bool NeedsEscape(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF ||
         c == 0xFFFE || c == 0xFFFF;
}

// Takes one code point off the front; U+FFFD for a malformed byte.
char32_t TakeCodePoint(std::string_view& text) {
  const std::optional<Utf8Character> character = FirstCharacter(text);
  text.remove_prefix(character ? character->num_bytes : 1);
  return character ? character->code : 0xFFFD;
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    if (text.starts_with("${")) out += '$';
    const std::string_view before = text;
    const char32_t c = TakeCodePoint(text);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n' || c == '\t') {
      out += c == '\n' ? "\\n" : "\\t";
    } else if (NeedsEscape(c)) {
      out += fmt::format("\\u{:04X}", static_cast<uint32_t>(c));
    } else if (c == 0xFFFD) {
      out += "\xEF\xBF\xBD";
    } else {
      out += before.substr(0, before.size() - text.size());
    }
  }
  return out + '"';
}

bool IsPlainSafe(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || text.ends_with(' ')) return false;
  if (!letter(text[0]) && text[0] != '_' && text[0] != '/') return false;
  return std::ranges::all_of(text, [&](char c) {
    return letter(c) || IsDigit(c) || std::string_view("_/.+- ").find(c) != std::string_view::npos;
  });
}

bool IsNumberLike(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with("0x") || text.starts_with("0o") || text.starts_with("0b")) return true;
  if (text.empty() || !(IsDigit(text[0]) || (text[0] == '.' && text.size() > 1))) return false;
  const size_t end = std::min(text.find_first_not_of("0123456789_.:"), text.size());
  if (std::ranges::count(text.substr(0, end), '.') > 1) return false;
  if (std::ranges::none_of(text.substr(0, end), IsDigit)) return false;
  std::string_view exponent = text.substr(end);
  if (exponent.empty()) return true;
  if (exponent[0] != 'e' && exponent[0] != 'E') return false;
  exponent.remove_prefix(1);
  if (exponent.starts_with('-') || exponent.starts_with('+')) exponent.remove_prefix(1);
  return !exponent.empty() && std::ranges::all_of(exponent, IsDigit);
}

bool IsCanonicalInteger(std::string_view text) {
  if (text == "0") return true;
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text[0] != '0' && std::ranges::all_of(text, IsDigit);
}

}  // namespace

bool IsScalar(Kind kind) {
  return kind <= Kind::kEnum && kind != Kind::kNameList && kind != Kind::kNamePairs &&
         kind != Kind::kOpenValue;
}

bool IsAmbiguous(std::string_view text) {
  static constexpr std::array kWords = {"yes",  "no", "on",   "off",  "true",  "false",
                                        "null", "~",  ".inf", ".nan", "-.inf", "+.inf"};
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (std::ranges::find(kWords, lower) != kWords.end()) return true;
  return IsNumberLike(lower) && !IsCanonicalInteger(text);
}

std::string WriteOpen(const OpenValue::Scalar& scalar) {
  if (scalar.quoted) return Quoted(scalar.text);
  return IsPlainSafe(scalar.text) || IsAmbiguous(scalar.text) || IsCanonicalInteger(scalar.text)
             ? scalar.text
             : Quoted(scalar.text);
}

std::optional<Mismatch> ReadScalar(const Type& type, const Node& node, void* value) {
  constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();
  switch (type.kind) {
    case Kind::kBool:
      return ReadBool(node, As<bool>(value));
    case Kind::kInt32: {
      int64_t wide = As<int>(value);
      using Int = std::numeric_limits<int>;
      auto mismatch = ReadInteger(node, Int::min(), Int::max(), wide);
      As<int>(value) = static_cast<int>(wide);
      return mismatch;
    }
    case Kind::kInt64:
      return ReadInteger(node, kMin64, kMax64, As<int64_t>(value));
    case Kind::kCount:
      return ReadInteger(node, kMin64, kMax64, As<Count>(value).value);
    case Kind::kDevice:
      return ReadParsed(node, ParseDevice(node.text), "a device: auto, cpu, cuda or cuda:1",
                        As<DeviceChoice>(value));
    case Kind::kFloat:
      return ReadReal(node, As<float>(value));
    case Kind::kDouble:
      return ReadReal(node, As<double>(value));
    case Kind::kString:
      return ReadText(node, As<std::string>(value));
    case Kind::kDuration:
      return ReadParsed(node, ParseDuration(node.text), "a duration such as 90s, 5m, 2h or 7d",
                        As<Duration>(value));
    case Kind::kTimestamp:
      return ReadParsed(node, ParseTimestamp(node.text), "a time such as 2026-01-31T08:00:00Z",
                        As<Timestamp>(value));
    case Kind::kClockTime:
      return ReadParsed(node, ParseClockTime(node.text), "a time such as 2026-01-31T08:00:00Z",
                        As<ClockTime>(value));
    case Kind::kByteSize:
      return ReadParsed(node, ParseByteSize(node.text), "a size such as 64MiB or 500kB",
                        As<ByteSize>(value));
    default:
      return ReadEnum(type, node, value);
  }
}

std::string WriteScalar(const Type& type, const void* value) {
  switch (type.kind) {
    case Kind::kBool:
      return As<bool>(value) ? "true" : "false";
    case Kind::kInt32:
      return fmt::format("{}", As<int>(value));
    case Kind::kInt64:
      return fmt::format("{}", As<int64_t>(value));
    case Kind::kCount:
      return fmt::format("{}", As<Count>(value).value);
    case Kind::kFloat:
      return WriteReal(As<float>(value));
    case Kind::kDouble:
      return WriteReal(As<double>(value));
    case Kind::kString:
      return WriteText(As<std::string>(value));
    case Kind::kDuration:
      return FormatDuration(As<Duration>(value));
    case Kind::kTimestamp:
      return FormatTimestamp(As<Timestamp>(value));
    case Kind::kClockTime:
      return FormatClockTime(As<ClockTime>(value));
    case Kind::kByteSize:
      return FormatByteSize(As<ByteSize>(value));
    case Kind::kDevice:
      return FormatDevice(As<DeviceChoice>(value));
    default:
      return WriteText(type.names[type.name_index(value)]);
  }
}

std::optional<double> MeasureScalar(const Type& type, const void* value) {
  switch (type.kind) {
    case Kind::kInt32:
      return As<int>(value);
    case Kind::kInt64:
      return static_cast<double>(As<int64_t>(value));
    case Kind::kCount:
      return static_cast<double>(As<Count>(value).value);
    case Kind::kFloat:
      return As<float>(value);
    case Kind::kDouble:
      return As<double>(value);
    case Kind::kString:
      return static_cast<double>(As<std::string>(value).size());
    case Kind::kDuration:
      return static_cast<double>(As<Duration>(value).micros) / 1e6;
    case Kind::kByteSize:
      return static_cast<double>(As<ByteSize>(value).bytes);
    default:
      return std::nullopt;
  }
}

std::string WriteBound(const Type& type, double bound) {
  switch (type.kind) {
    case Kind::kDuration:
      return FormatDuration({std::llround(bound * 1e6)});
    case Kind::kByteSize:
      return FormatByteSize({std::llround(bound)});
    case Kind::kFloat:
      return fmt::format("{}", static_cast<float>(bound));
    case Kind::kInt32:
    case Kind::kInt64:
    case Kind::kCount:
      return fmt::format("{:.0f}", bound);
    case Kind::kString:
      return fmt::format("{:.0f} byte{}", bound, bound == 1 ? "" : "s");
    default:
      return fmt::format("{}", bound);
  }
}

bool SaysAll(const Node& node) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return node.kind == Node::Kind::kScalar &&
         (node.text == "*" || std::ranges::equal(node.text, std::string_view("all"), {}, lower));
}

std::string AsOneItem(const Node& node, bool is_text) {
  if (node.kind != Node::Kind::kScalar || node.text.empty()) return "";
  if (node.text.starts_with('[') && node.text.ends_with(']')) return "remove the quotes";
  // Several may be meant.
  const bool as_written = !is_text || node.text.find(',') != std::string::npos;
  return fmt::format("write [{}]", as_written ? node.text : WriteText(node.text));
}

}  // namespace tidemill::config::internal

namespace tidemill::config {

std::string WriteText(std::string_view text) {
  const bool is_plain = internal::IsPlainSafe(text) && !internal::IsAmbiguous(text);
  return is_plain ? std::string(text) : internal::Quoted(text);
}

}  // namespace tidemill::config

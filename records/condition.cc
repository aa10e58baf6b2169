#include "records/condition.h"

#include <algorithm>
#include <charconv>
#include <compare>

#include "fmt/format.h"

namespace tidemill {

namespace {

constexpr std::string_view kBlankCharacters = " \t\r\n";

std::string_view WithoutBlanks(std::string_view text) {
  const size_t from = text.find_first_not_of(kBlankCharacters);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kBlankCharacters) - from + 1);
}

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// A whole number of any length: its sign, and its digits without leading zeros.
struct WholeNumber {
  bool negative = false;
  std::string_view digits;
};

std::optional<WholeNumber> AsWhole(std::string_view text) {
  WholeNumber number;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    number.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (!IsDigits(text)) return std::nullopt;
  const size_t from = std::min(text.find_first_not_of('0'), text.size());
  number.digits = text.substr(from);
  if (number.digits.empty()) number.negative = false;
  return number;
}

std::strong_ordering Compare(const WholeNumber& a, const WholeNumber& b) {
  if (a.negative != b.negative) {
    return a.negative ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  std::strong_ordering order = a.digits.size() <=> b.digits.size();
  if (order == std::strong_ordering::equal) order = a.digits.compare(b.digits) <=> 0;
  return a.negative ? 0 <=> order : order;
}

// Not what only programs take for numbers: "nan", "inf", "0x11".
std::optional<double> AsDouble(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const size_t digit = text.find_first_of("0123456789");
  if (digit == std::string_view::npos || digit > 2) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool ReadsAsNumber(std::string_view text) { return AsWhole(text) || AsDouble(text); }

std::partial_ordering CompareField(std::string_view field, const Comparison& comparison) {
  if (comparison.is_number) {
    const std::optional<WholeNumber> whole = AsWhole(field);
    const std::optional<WholeNumber> value = AsWhole(comparison.value);
    if (whole && value) return Compare(*whole, *value);
    const std::optional<double> number = AsDouble(field);
    const std::optional<double> bound = AsDouble(comparison.value);
    if (number && bound) return *number <=> *bound;
  }
  return field.compare(comparison.value) <=> 0;
}

bool Holds(ComparisonOperator op, std::partial_ordering order) {
  switch (op) {
    case ComparisonOperator::kEqual:
      return order == 0;
    case ComparisonOperator::kUnequal:
      return order != 0;
    case ComparisonOperator::kLess:
      return order < 0;
    case ComparisonOperator::kLessEqual:
      return order <= 0;
    case ComparisonOperator::kGreater:
      return order > 0;
    case ComparisonOperator::kGreaterEqual:
      return order >= 0;
  }
  return false;
}

// Takes a condition's text apart.
class ConditionReader {
 public:
  explicit ConditionReader(std::string_view text) : text_(text) { SkipBlanks(); }

  bool at_end() const { return at_ == text_.size(); }

  struct Word {
    std::string text;
    bool quoted = false;
  };

  absl::StatusOr<Word> Take(std::string_view what) {
    if (at_end()) return Bad("{} is missing", what);
    const char quote = text_[at_];
    Word word{.text = {}, .quoted = quote == '\'' || quote == '"'};
    if (word.quoted) {
      RETURN_IF_ERROR(TakeQuoted(quote, word.text));
    } else {
      const size_t end = std::min(text_.find_first_of(" \t\r\n=!<>'\"", at_), text_.size());
      word.text = text_.substr(at_, end - at_);
      at_ = end;
      if (word.text.empty()) return Bad("{} is missing", what);
    }
    SkipBlanks();
    return word;
  }

  absl::StatusOr<ComparisonOperator> TakeOperator() {
    static constexpr std::pair<std::string_view, ComparisonOperator> kOperators[] = {
        {"!=", ComparisonOperator::kUnequal},      {"<=", ComparisonOperator::kLessEqual},
        {">=", ComparisonOperator::kGreaterEqual}, {"==", ComparisonOperator::kEqual},
        {"=", ComparisonOperator::kEqual},         {"<", ComparisonOperator::kLess},
        {">", ComparisonOperator::kGreater}};
    for (const auto& [sign, op] : kOperators) {
      if (!text_.substr(at_).starts_with(sign)) continue;
      at_ += sign.size();
      SkipBlanks();
      return op;
    }
    return Bad("one of = != < <= > >= is missing");
  }

  absl::Status TakeAnd() {
    const std::string_view word = text_.substr(at_, 3);
    const bool ends =
        at_ + 3 < text_.size() && kBlankCharacters.find(text_[at_ + 3]) != std::string_view::npos;
    if (!ends || (word != "and" && word != "AND" && word != "And")) {
      return Bad("`and` is missing: comparisons are joined with it");
    }
    at_ += 3;
    SkipBlanks();
    return absl::OkStatus();
  }

 private:
  template <typename... Args>
  absl::Status Bad(fmt::format_string<Args...> format, Args&&... args) const {
    constexpr size_t kShown = 40;
    const std::string where =
        at_end() ? "at the end" : fmt::format("before '{}'", text_.substr(at_, kShown));
    return InvalidArgument(
        "the condition '{}': {} {}; write such as: user = 17 and country != 'DE'", text_, where,
        fmt::format(format, std::forward<Args>(args)...));
  }

  absl::Status TakeQuoted(char quote, std::string& into) {
    size_t from = at_ + 1;
    while (true) {
      const size_t close = text_.find(quote, from);
      if (close == std::string_view::npos) return Bad("a closing {} is missing", quote);
      into += text_.substr(from, close - from);
      from = close + 1;
      if (from == text_.size() || text_[from] != quote) break;
      into += quote;
      ++from;
    }
    at_ = from;
    return absl::OkStatus();
  }

  void SkipBlanks() {
    at_ = std::min(text_.find_first_not_of(kBlankCharacters, at_), text_.size());
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

absl::StatusOr<Condition> Condition::Parse(std::string_view text) {
  Condition condition;
  ConditionReader reader(text);
  while (!reader.at_end()) {
    if (!condition.comparisons_.empty()) RETURN_IF_ERROR(reader.TakeAnd());
    ASSIGN_OR_RETURN(ConditionReader::Word column, reader.Take("a column"));
    Comparison comparison;
    ASSIGN_OR_RETURN(comparison.op, reader.TakeOperator());
    ASSIGN_OR_RETURN(ConditionReader::Word value, reader.Take("a value"));
    comparison.is_number = !value.quoted && ReadsAsNumber(value.text);
    comparison.value =
        value.quoted ? std::string(WithoutBlanks(value.text)) : std::move(value.text);
    const auto known = std::ranges::find(condition.columns_, column.text);
    comparison.column = static_cast<size_t>(known - condition.columns_.begin());
    if (known == condition.columns_.end()) condition.columns_.push_back(std::move(column.text));
    condition.comparisons_.push_back(std::move(comparison));
  }
  return condition;
}

bool Condition::Matches(std::span<const std::optional<std::string_view>> fields) const {
  return std::ranges::all_of(comparisons_, [&](const Comparison& comparison) {
    const std::optional<std::string_view>& field = fields[comparison.column];
    return field && Holds(comparison.op, CompareField(WithoutBlanks(*field), comparison));
  });
}

}  // namespace tidemill

#include "expressions/tokens.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/numbers/number_text.h"
#include "expressions/mistake.h"

namespace tidemill::expressions {

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Letters of other alphabets are bytes from 0x80 on.
bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<Token>> Run() {
    while (true) {
      at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
      if (at_ == text_.size()) break;
      ASSIGN_OR_RETURN(Token token, Next());
      tokens_.push_back(std::move(token));
    }
    tokens_.push_back({.kind = Token::Kind::kEnd, .at = at_});
    return std::move(tokens_);
  }

 private:
  absl::StatusOr<Token> Next() {
    const char c = text_[at_];
    if (IsDigit(c) || (c == '.' && at_ + 1 < text_.size() && IsDigit(text_[at_ + 1]))) {
      return Number();
    }
    if (c == '\'' || c == '"') return Quoted(c);
    if (IsNameStart(c)) return Name();
    return Sign();
  }

  // Whether a date begins here that a reader would take for two subtractions: 2024-01-31.
  bool IsDate() const {
    constexpr std::string_view kPattern = "dddd-dd-dd";
    const std::string_view date = text_.substr(at_, kPattern.size());
    return std::ranges::equal(date, kPattern, [](char c, char expected) {
      return expected == 'd' ? IsDigit(c) : c == expected;
    });
  }

  absl::StatusOr<Token> Number() {
    if (IsDate()) {
      const size_t end = std::min(text_.find_first_of(" ,()", at_), text_.size());
      return Mistake(text_, at_, "a time is written in single quotes: '{}'",
                     text_.substr(at_, end - at_));
    }
    Token token{.kind = Token::Kind::kLiteral, .at = at_};
    size_t end = at_;
    bool is_whole = true;
    while (end < text_.size() && (IsDigit(text_[end]) || text_[end] == '.')) {
      is_whole &= text_[end] != '.';
      ++end;
    }
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      is_whole = false;
      ++end;
      if (end < text_.size() && (text_[end] == '+' || text_[end] == '-')) ++end;
      while (end < text_.size() && IsDigit(text_[end])) ++end;
    }
    if (end < text_.size() && IsNamePart(text_[end])) {
      return Mistake(text_, at_,
                     "'{}' is neither a number nor a name; write a name that begins with a digit "
                     "in double quotes",
                     text_.substr(at_, end + 1 - at_));
    }
    const std::string_view digits = text_.substr(at_, end - at_);
    at_ = end;
    if (is_whole) {
      int64_t whole = 0;
      const auto [stop, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), whole);
      if (error != std::errc()) {
        return Mistake(
            text_, token.at,
            "{} is larger than a whole number can be; as a text it is '{}', as a number with "
            "about 16 exact digits {}.0",
            digits, digits, digits);
      }
      token.literal = whole;
      return token;
    }
    double number = 0;
    const auto [stop, error] = tidemill::ReadNumber(digits, number);
    if (error != std::errc() || stop != digits.data() + digits.size() || !std::isfinite(number)) {
      return Mistake(text_, token.at, "'{}' is not a number", digits);
    }
    token.literal = number;
    return token;
  }

  // 'a text' or "a column"; a quote in it is doubled.
  absl::StatusOr<Token> Quoted(char quote) {
    Token token{.kind = quote == '"' ? Token::Kind::kColumn : Token::Kind::kLiteral, .at = at_};
    std::string value;
    size_t from = at_ + 1;
    while (true) {
      const size_t close = text_.find(quote, from);
      if (close == std::string_view::npos) {
        return Mistake(text_, at_, "the {} is not closed; a quote within quotes is doubled{}",
                       quote == '"' ? "double quote" : "quote", quote == '"' ? "" : ": 'O''Neill'");
      }
      value += text_.substr(from, close - from);
      from = close + 1;
      if (from == text_.size() || text_[from] != quote) break;
      value += quote;
      ++from;
    }
    at_ = from;
    if (token.kind == Token::Kind::kColumn && value.empty()) {
      return Mistake(text_, token.at, "a column without a name; an empty text has single quotes");
    }
    if (token.kind == Token::Kind::kColumn) {
      token.text = std::move(value);
    } else {
      token.literal = std::move(value);
    }
    return token;
  }

  // A name may have parts, as fields of JSON objects do: a.b, topics[0], a["b c"].
  absl::StatusOr<Token> Name() {
    size_t end = at_;
    while (end < text_.size() &&
           (IsNamePart(text_[end]) ||
            (text_[end] == '.' && end + 1 < text_.size() && IsNamePart(text_[end + 1])))) {
      ++end;
    }
    while (end < text_.size() && text_[end] == '[') {
      const size_t close = text_.find(']', end);
      if (close == std::string_view::npos) return Mistake(text_, end, "the [ is not closed");
      end = close + 1;
      while (end + 1 < text_.size() && text_[end] == '.' && IsNamePart(text_[end + 1])) {
        ++end;
        while (end < text_.size() && IsNamePart(text_[end])) ++end;
      }
    }
    Token token{
        .kind = Token::Kind::kName, .at = at_, .text = std::string(text_.substr(at_, end - at_))};
    at_ = end;
    return token;
  }

  absl::StatusOr<Token> Sign() {
    constexpr std::string_view kSigns[] = {"<=", ">=", "!=", "<>", "==", "||", "&&", "<",
                                           ">",  "=",  "+",  "-",  "*",  "/",  "%",  "^",
                                           "(",  ")",  "[",  "]",  ",",  "!"};
    for (const std::string_view sign : kSigns) {
      if (!text_.substr(at_).starts_with(sign)) continue;
      Token token{.kind = Token::Kind::kSign, .at = at_, .text = std::string(sign)};
      at_ += sign.size();
      RETURN_IF_ERROR(CheckMeaning(token));
      return token;
    }
    return Mistake(text_, at_, "'{}' means nothing here{}", text_.substr(at_, 1),
                   text_[at_] == '`' ? "; write a column with blanks in double quotes" : "");
  }

  // Refuses signs of other languages, and takes some for those of this one.
  absl::Status CheckMeaning(Token& token) const {
    if (token.text == "&&") return Mistake(text_, token.at, "&& is written `and`");
    if (token.text == "||") {
      return Mistake(text_, token.at, "|| is written `or`; texts are joined with concat(a, b)");
    }
    if (token.text == "!") return Mistake(text_, token.at, "! is written `not`");
    if (token.text == "==") token.text = "=";
    if (token.text == "<>") token.text = "!=";
    return absl::OkStatus();
  }

  const std::string_view text_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

absl::StatusOr<std::vector<Token>> Tokenize(std::string_view text) { return Tokenizer(text).Run(); }

}  // namespace tidemill::expressions

#include "transform/script_rules/script_tokens.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace tidemill::models {
namespace {

constexpr std::string_view kTypeComment = "# type:";

bool StartsName(char character) { return absl::ascii_isalpha(character) || character == '_'; }
bool IsDigit(char character) { return absl::ascii_isdigit(character); }

class Lexer {
 public:
  explicit Lexer(std::string_view code) : code_(code) {}

  absl::StatusOr<std::vector<ScriptToken>> Run() {
    while (at_ < code_.size()) {
      const char next = code_[at_];
      if (next == '#') {
        SkipComment();
      } else if (next == ' ' || next == '\t' || next == '\r' || next == '\n') {
        Take(1);
      } else if (next == '\\' && At(1) == '\n') {
        Take(2);
      } else if (next == '"' || next == '\'') {
        RETURN_IF_ERROR(AddText());
      } else if (StartsName(next)) {
        Add(ScriptToken::Kind::kName, NameSize());
      } else if (IsDigit(next) || (next == '.' && IsDigit(At(1)))) {
        Add(ScriptToken::Kind::kNumber, NumberSize());
      } else if (absl::ascii_isgraph(next)) {
        Add(ScriptToken::Kind::kSign, 1);
      } else {
        return InvalidArgument("line {}: a character that is not valid in code", line_);
      }
    }
    return std::move(tokens_);
  }

 private:
  char At(size_t ahead) const { return at_ + ahead < code_.size() ? code_[at_ + ahead] : '\0'; }

  void Take(size_t size) {
    line_ += std::ranges::count(code_.substr(at_, size), '\n');
    at_ += size;
  }

  void Add(ScriptToken::Kind kind, size_t size) {
    tokens_.push_back({.kind = kind, .text = code_.substr(at_, size), .line = line_});
    Take(size);
  }

  // The types in a comment that states them are code.
  void SkipComment() {
    if (code_.substr(at_).starts_with(kTypeComment)) return Take(kTypeComment.size());
    Take(std::min(code_.find('\n', at_), code_.size()) - at_);
  }

  size_t NameSize() const {
    size_t size = 1;
    while (StartsName(At(size)) || IsDigit(At(size))) ++size;
    return size;
  }

  size_t Digits(size_t from) const {
    while (IsDigit(At(from))) ++from;
    return from;
  }

  // No longer than what strtod() takes: a longer one would hide code.
  size_t NumberSize() const {
    size_t size = Digits(0);
    if (At(size) == '.') size = Digits(size + 1);
    if (At(size) != 'e' && At(size) != 'E') return size;
    const size_t sign = At(size + 1) == '+' || At(size + 1) == '-' ? 2 : 1;
    const size_t end = Digits(size + sign);
    return end > size + sign ? end : size;
  }

  absl::Status AddText() {
    const char quote = code_[at_];
    const size_t quotes = At(1) == quote && At(2) == quote ? 3 : 1;
    size_t end = at_ + quotes;
    while (end < code_.size() && code_.substr(end, quotes) != std::string(quotes, quote)) {
      if (code_[end] == '\n' && quotes == 1) break;
      end += code_[end] == '\\' ? 2 : 1;
    }
    if (end >= code_.size() || code_[end] == '\n') {
      return InvalidArgument("line {}: a string that does not end", line_);
    }
    tokens_.push_back({.kind = ScriptToken::Kind::kText,
                       .text = code_.substr(at_ + quotes, end - at_ - quotes),
                       .line = line_});
    Take(end + quotes - at_);
    return absl::OkStatus();
  }

  const std::string_view code_;
  size_t at_ = 0;
  int64_t line_ = 1;
  std::vector<ScriptToken> tokens_;
};

}  // namespace

absl::StatusOr<std::vector<ScriptToken>> TokensOf(std::string_view code) {
  return Lexer(code).Run();
}

}  // namespace tidemill::models

#include "expressions/parser.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "expressions/mistake.h"
#include "expressions/read_values.h"
#include "expressions/tokens.h"

// The precedence of the operators is in parser.h.

namespace tidemill::expressions {

namespace {

using NodePtr = std::unique_ptr<Node>;

template <typename... Arguments>
NodePtr Call(size_t at, std::string_view name, Arguments... arguments) {
  auto node =
      std::make_unique<Node>(Node{.kind = Node::Kind::kCall, .at = at, .name = std::string(name)});
  (node->arguments.push_back(std::move(arguments)), ...);
  return node;
}

NodePtr LiteralNode(size_t at, Literal literal) {
  return std::make_unique<Node>(Node{.at = at, .literal = std::move(literal)});
}

constexpr std::array kWords = {"and",  "or",    "not",  "in",   "between", "is",   "null",
                               "true", "false", "case", "when", "then",    "else", "end"};

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  absl::StatusOr<NodePtr> Run() {
    ASSIGN_OR_RETURN(NodePtr node, Or());
    if (NextIs(",")) {
      return Mistake(text_, next().at,
                     "a comma separates arguments only; numbers are written with a point: 9.50");
    }
    if (next().kind != Token::Kind::kEnd) return Unexpected("the expression is complete before");
    return node;
  }

 private:
  const Token& next() const { return tokens_[place_]; }
  const Token& Take() { return tokens_[place_++]; }
  bool NextIs(std::string_view sign) const { return next().Is(sign); }
  bool NextIsWord(std::string_view word) const {
    return next().kind == Token::Kind::kName && SameWord(next().text, word);
  }
  bool TakeIf(std::string_view sign) {
    if (!NextIs(sign)) return false;
    ++place_;
    return true;
  }
  bool TakeWord(std::string_view word) {
    if (!NextIsWord(word)) return false;
    ++place_;
    return true;
  }

  absl::Status Unexpected(std::string_view what) const {
    const Token& token = next();
    if (token.kind == Token::Kind::kEnd) {
      return Mistake(text_, token.at, "{} the end", what);
    }
    const std::string_view rest = std::string_view(text_).substr(token.at);
    return Mistake(text_, token.at, "{} '{}'", what, rest.substr(0, rest.find_first_of(" \n")));
  }

  absl::Status Expect(std::string_view sign) {
    if (TakeIf(sign)) return absl::OkStatus();
    return Unexpected(fmt::format("a {} is missing before", sign));
  }

  absl::Status ExpectWord(std::string_view word) {
    if (TakeWord(word)) return absl::OkStatus();
    return Unexpected(fmt::format("`{}` is missing before", word));
  }

  // Counts how deep the parser is. Brackets, signs and `not` nest.
  class NestingLevel {
   public:
    explicit NestingLevel(int& depth) : depth_(depth) { ++depth_; }
    ~NestingLevel() { --depth_; }
    NestingLevel(const NestingLevel&) = delete;
    NestingLevel& operator=(const NestingLevel&) = delete;

   private:
    int& depth_;
  };
  absl::Status CheckDepth() const {
    if (depth_ <= kMaxExpressionDepth) return absl::OkStatus();
    return Mistake(text_, next().at, "the expression is nested more than {} deep",
                   kMaxExpressionDepth);
  }

  absl::StatusOr<NodePtr> Or() {
    const NestingLevel deeper(depth_);
    RETURN_IF_ERROR(CheckDepth());
    ASSIGN_OR_RETURN(NodePtr left, And());
    while (NextIsWord("or")) {
      const size_t at = Take().at;
      ASSIGN_OR_RETURN(NodePtr right, And());
      left = Call(at, "or", std::move(left), std::move(right));
    }
    return left;
  }

  absl::StatusOr<NodePtr> And() {
    ASSIGN_OR_RETURN(NodePtr left, Not());
    while (NextIsWord("and")) {
      const size_t at = Take().at;
      ASSIGN_OR_RETURN(NodePtr right, Not());
      left = Call(at, "and", std::move(left), std::move(right));
    }
    return left;
  }

  absl::StatusOr<NodePtr> Not() {
    if (!NextIsWord("not")) return Comparison();
    const NestingLevel deeper(depth_);
    RETURN_IF_ERROR(CheckDepth());
    const size_t at = Take().at;
    ASSIGN_OR_RETURN(NodePtr inner, Not());
    return Call(at, "not", std::move(inner));
  }

  absl::StatusOr<NodePtr> Comparison() {
    ASSIGN_OR_RETURN(NodePtr left, Sum());
    while (true) {
      ASSIGN_OR_RETURN(const bool more, TakeComparison(left));
      if (!more) return left;
    }
  }

  // Extends `left` by one comparison. False when none follows.
  absl::StatusOr<bool> TakeComparison(NodePtr& left) {
    const size_t at = next().at;
    for (const std::string_view sign : {"=", "!=", "<=", ">=", "<", ">"}) {
      if (!TakeIf(sign)) continue;
      ASSIGN_OR_RETURN(NodePtr right, Sum());
      left = Call(at, sign, std::move(left), std::move(right));
      if (IsOneOf({"=", "!=", "<=", ">=", "<", ">"})) {
        return Unexpected("comparisons are joined with `and`; it is missing before");
      }
      return true;
    }
    if (NextIsWord("is")) return TakeIs(left);
    const bool negated = NextIsWord("not");
    if (negated) ++place_;
    if (TakeWord("in")) {
      RETURN_IF_ERROR(TakeIn(at, left));
    } else if (TakeWord("between")) {
      RETURN_IF_ERROR(TakeBetween(at, left));
    } else if (negated) {
      return Unexpected("`in` or `between` is missing before");
    } else {
      return false;
    }
    if (negated) left = Call(at, "not", std::move(left));
    return true;
  }

  bool IsOneOf(std::initializer_list<std::string_view> signs) const {
    return std::ranges::any_of(signs, [this](std::string_view sign) { return NextIs(sign); });
  }

  absl::StatusOr<bool> TakeIs(NodePtr& left) {
    const size_t at = Take().at;
    const bool negated = TakeWord("not");
    RETURN_IF_ERROR(ExpectWord("null"));
    left = Call(at, "is null", std::move(left));
    if (negated) left = Call(at, "not", std::move(left));
    return true;
  }

  absl::Status TakeIn(size_t at, NodePtr& left) {
    RETURN_IF_ERROR(Expect("("));
    left = Call(at, "in", std::move(left));
    return TakeArguments(*left);
  }

  absl::Status TakeBetween(size_t at, NodePtr& left) {
    ASSIGN_OR_RETURN(NodePtr low, Sum());
    RETURN_IF_ERROR(ExpectWord("and"));
    ASSIGN_OR_RETURN(NodePtr high, Sum());
    left = Call(at, "between", std::move(left), std::move(low), std::move(high));
    return absl::OkStatus();
  }

  absl::StatusOr<NodePtr> Sum() {
    ASSIGN_OR_RETURN(NodePtr left, Product());
    while (NextIs("+") || NextIs("-")) {
      const Token& sign = Take();
      ASSIGN_OR_RETURN(NodePtr right, Product());
      left = Call(sign.at, sign.text, std::move(left), std::move(right));
    }
    return left;
  }

  absl::StatusOr<NodePtr> Product() {
    ASSIGN_OR_RETURN(NodePtr left, Signed());
    while (NextIs("*") || NextIs("/") || NextIs("%")) {
      const Token& sign = Take();
      ASSIGN_OR_RETURN(NodePtr right, Signed());
      left = Call(sign.at, sign.text, std::move(left), std::move(right));
    }
    return left;
  }

  absl::StatusOr<NodePtr> Signed() {
    if (!NextIs("-") && !NextIs("+")) return Power();
    const NestingLevel deeper(depth_);
    RETURN_IF_ERROR(CheckDepth());
    const Token& sign = Take();
    ASSIGN_OR_RETURN(NodePtr inner, Signed());
    if (sign.text == "+") return inner;
    // A negative literal, so that it can be used where a literal is needed.
    if (const double* number = LiteralOf<double>(*inner)) return LiteralNode(sign.at, -*number);
    if (const int64_t* whole = LiteralOf<int64_t>(*inner)) return LiteralNode(sign.at, -*whole);
    return Call(sign.at, "negate", std::move(inner));
  }

  absl::StatusOr<NodePtr> Power() {
    ASSIGN_OR_RETURN(NodePtr base, Primary());
    if (!NextIs("^")) return base;
    const NestingLevel deeper(depth_);
    RETURN_IF_ERROR(CheckDepth());
    const size_t at = Take().at;
    ASSIGN_OR_RETURN(NodePtr exponent, Signed());
    return Call(at, "^", std::move(base), std::move(exponent));
  }

  absl::StatusOr<NodePtr> Primary() {
    const Token& token = next();
    switch (token.kind) {
      case Token::Kind::kLiteral:
        return LiteralNode(token.at, Take().literal);
      case Token::Kind::kColumn:
        return Column(Take());
      case Token::Kind::kName:
        return Name();
      case Token::Kind::kSign:
      case Token::Kind::kEnd:
        break;
    }
    if (!TakeIf("(")) return Unexpected("a value is expected before");
    ASSIGN_OR_RETURN(NodePtr inner, Or());
    RETURN_IF_ERROR(Expect(")"));
    return inner;
  }

  static NodePtr Column(const Token& token) {
    return std::make_unique<Node>(
        Node{.kind = Node::Kind::kColumn, .at = token.at, .name = token.text});
  }

  absl::StatusOr<NodePtr> Name() {
    if (NextIsWord("case")) return Case();
    const bool is_call = tokens_[place_ + 1].Is("(");
    if (!is_call) {
      if (NextIsWord("null")) return LiteralNode(Take().at, NullLiteral{});
      if (NextIsWord("true")) return LiteralNode(Take().at, true);
      if (NextIsWord("false")) return LiteralNode(Take().at, false);
    }
    if (std::ranges::any_of(kWords, [this](const char* word) { return NextIsWord(word); })) {
      return Unexpected("a value is expected before");
    }
    if (!is_call) return Column(Take());
    const Token& function = Take();
    ++place_;
    NodePtr call = Call(function.at, Lower(function.text));
    if (!TakeIf(")")) RETURN_IF_ERROR(TakeArguments(*call));
    if (call->name == "split") RETURN_IF_ERROR(TakeIndex(*call));
    return call;
  }

  static std::string Lower(std::string name) {
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return name;
  }

  // Takes what follows an opening bracket, up to the closing one.
  absl::Status TakeArguments(Node& call) {
    do {
      ASSIGN_OR_RETURN(NodePtr argument, Or());
      call.arguments.push_back(std::move(argument));
    } while (TakeIf(","));
    return Expect(")");
  }

  absl::Status TakeIndex(Node& call) {
    if (!NextIs("[")) {
      return Unexpected("the number of a part, such as split(x, ' ')[0], is missing before");
    }
    ++place_;
    ASSIGN_OR_RETURN(NodePtr index, Signed());
    call.arguments.push_back(std::move(index));
    return Expect("]");
  }

  // `case when c then a else b end` is if(c, a, b); `case x when v ...` compares x with v.
  absl::StatusOr<NodePtr> Case() {
    const NestingLevel deeper(depth_);
    RETURN_IF_ERROR(CheckDepth());
    const size_t at = Take().at;
    if (!NextIsWord("when")) {
      return Unexpected(
          "`case when condition then value ... end` is written so; `when` is missing before");
    }
    std::vector<std::pair<NodePtr, NodePtr>> branches;
    while (TakeWord("when")) {
      ASSIGN_OR_RETURN(NodePtr condition, Or());
      RETURN_IF_ERROR(ExpectWord("then"));
      ASSIGN_OR_RETURN(NodePtr value, Or());
      branches.emplace_back(std::move(condition), std::move(value));
    }
    NodePtr otherwise = LiteralNode(next().at, NullLiteral{});
    if (TakeWord("else")) {
      ASSIGN_OR_RETURN(otherwise, Or());
    }
    RETURN_IF_ERROR(ExpectWord("end"));
    for (auto branch = branches.rbegin(); branch != branches.rend(); ++branch) {
      otherwise =
          Call(at, "if", std::move(branch->first), std::move(branch->second), std::move(otherwise));
    }
    return otherwise;
  }

  const std::string_view text_;
  const std::vector<Token> tokens_;
  size_t place_ = 0;
  int depth_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Node>> Parse(std::string_view text) {
  if (text.size() > kMaxExpressionBytes) {
    return InvalidArgument("the expression has {} bytes; at most {} are allowed", text.size(),
                           kMaxExpressionBytes);
  }
  ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(text));
  if (tokens.size() == 1) return InvalidArgument("the expression is empty");
  return Parser(text, std::move(tokens)).Run();
}

bool IsPlainName(std::string_view name) {
  const auto tokens = Tokenize(name);
  const bool is_word =
      std::ranges::any_of(kWords, [&](std::string_view word) { return SameWord(word, name); });
  return tokens.ok() && tokens->front().kind == Token::Kind::kName &&
         tokens->front().text == name && !is_word;
}

}  // namespace tidemill::expressions

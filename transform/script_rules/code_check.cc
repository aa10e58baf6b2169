#include "transform/script_rules/code_check.h"

#include <algorithm>
#include <array>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_split.h"

#include "base/printable.h"
#include "transform/script_rules/allowed_operators.h"
#include "transform/script_rules/script_tokens.h"

namespace tidemill::models {
namespace {

using Kind = ScriptToken::Kind;
using OwnNames = absl::flat_hash_set<std::string>;

// After these, an opening parenthesis does not begin a call, or begins the call of a type.
constexpr auto kNoFunctions = std::to_array<std::string_view>(
    {"if",   "elif",   "else",     "while", "for",   "in",         "is",    "not",   "and",
     "or",   "return", "assert",   "raise", "del",   "with",       "as",    "yield", "lambda",
     "Dict", "List",   "Optional", "Tuple", "Union", "NamedTuple", "Future"});

// Never taken for attributes of the script: that mistake would cost too much.
constexpr auto kNeverOwn = std::to_array<std::string_view>(
    {"from_file", "from_blob", "save", "set_", "set_data", "to_here", "wait", "classes", "fork"});

constexpr auto kRunWhenRead =
    std::to_array<std::string_view>({"__setstate__", "__getstate__", "__reduce__"});

constexpr auto kNoArithmetic = std::to_array<std::string_view>({"print", "fork", "awaitable"});

template <size_t size>
bool IsIn(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool IsOwn(const OwnNames& names, std::string_view name) {
  return names.contains(absl::string_view(name.data(), name.size()));
}

absl::Status Refuse(const ScriptToken& where, std::string_view what) {
  const std::string_view instead = InsteadOf(what);
  return InvalidArgument("line {}: {} is not among the operators that a script may use{}{}",
                         where.line, Printable(what), instead.empty() ? "" : ": ", instead);
}

// The names that a script gives to its attributes, methods, classes and variables.
void AddOwnNames(const std::vector<ScriptToken>& tokens, OwnNames& own) {
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    const ScriptToken& token = tokens[i];
    const ScriptToken& next = tokens[i + 1];
    if (token.IsName("def") || token.IsName("class")) own.emplace(next.text);
    const bool is_assigned =
        next.IsSign('=') && (i + 2 == tokens.size() || !tokens[i + 2].IsSign('='));
    if (token.kind == Kind::kName && (next.IsSign(':') || is_assigned)) own.emplace(token.text);
    // __annotations__["a name"] = Tensor
    if (i >= 2 && token.kind == Kind::kText && tokens[i - 2].IsName("__annotations__")) {
      own.emplace(token.text);
    }
  }
}

class FileCheck {
 public:
  FileCheck(const std::vector<ScriptToken>& tokens, const OwnNames& own)
      : tokens_(tokens), own_(own) {}

  absl::Status Run() const {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == Kind::kName) RETURN_IF_ERROR(CheckName(i));
    }
    return absl::OkStatus();
  }

 private:
  bool IsSign(size_t i, char sign) const { return i < tokens_.size() && tokens_[i].IsSign(sign); }

  absl::Status CheckName(size_t i) const {
    const ScriptToken& token = tokens_[i];
    if (IsIn(kRunWhenRead, token.text)) {
      return InvalidArgument("line {}: a method {} would run when the file is read", token.line,
                             token.text);
    }
    if (i > 0 && IsSign(i - 1, '.')) return CheckBehindDot(i);
    if (i > 0 && (tokens_[i - 1].IsName("def") || tokens_[i - 1].IsName("class"))) {
      return absl::OkStatus();
    }
    // torch.add(x, y, out=z): libtorch writes such keywords for its own operators only.
    const bool is_keyword = i > 0 && (IsSign(i - 1, ',') || IsSign(i - 1, '(')) &&
                            IsSign(i + 1, '=') && !IsSign(i + 2, '=');
    if (is_keyword && token.text == "out") return Refuse(token, "out=");
    if (IsIn(kNoArithmetic, token.text)) return Refuse(token, token.text);
    // By another name, or from a variable, its operators would not be seen.
    if (token.text == "torch" || token.text == "ops") {
      if (!IsSign(i + 1, '.')) return Refuse(token, fmt::format("{} alone", token.text));
      return absl::OkStatus();
    }
    if (token.text == "getattr") return CheckGetattr(i);
    const bool is_called = IsSign(i + 1, '(') && !IsIn(kNoFunctions, token.text) &&
                           !(i > 0 && tokens_[i - 1].IsName("raise"));
    if (!is_called || IsFunction(token.text) || IsOwn(own_, token.text)) return absl::OkStatus();
    return Refuse(token, token.text);
  }

  // The place of the first name of `a.b.c`, where `i` is the place of a name after a dot; `i` where
  // the chain begins with something else, as in `f(x).c`.
  size_t RootOf(size_t i) const {
    size_t root = i;
    while (root >= 2 && tokens_[root - 1].IsSign('.') && tokens_[root - 2].kind == Kind::kName) {
      root -= 2;
    }
    return root > 0 && tokens_[root - 1].IsSign('.') ? i : root;
  }

  absl::Status CheckBehindDot(size_t i) const {
    const std::string_view name = tokens_[i].text;
    const size_t root = RootOf(i);
    const std::string_view first = root < i ? tokens_[root].text : std::string_view();
    const size_t depth = (i - root) / 2;
    if (first == "torch" && !IsTensorOperator(name)) return RefuseChain(root, i);
    if (first == "ops") return CheckOps(root, i);
    if (first == "torch" || (first == "CONSTANTS" && depth == 1)) return absl::OkStatus();
    if (first == "__torch__") {
      // Classes of C++ code.
      const bool is_foreign = depth == 2 && name == "classes" && tokens_[i - 2].text == "torch";
      return is_foreign ? RefuseChain(root, i) : absl::OkStatus();
    }
    if (IsAttribute(name) || (IsOwn(own_, name) && !IsIn(kNeverOwn, name))) return absl::OkStatus();
    return Refuse(tokens_[i], fmt::format(".{}", name));
  }

  // ops.prim.NumToTensor, ops.aten.relu.
  absl::Status CheckOps(size_t root, size_t i) const {
    const std::string_view space = tokens_[root + 2].text;
    const std::string_view name = tokens_[i].text;
    const size_t depth = (i - root) / 2;
    const bool is_allowed = depth == 1   ? space == "prim" || space == "aten"
                            : depth == 2 ? IsGraphNode(fmt::format("{}::{}", space, name))
                                         : IsAttribute(name);
    return is_allowed ? absl::OkStatus() : RefuseChain(root, i);
  }

  absl::Status RefuseChain(size_t root, size_t i) const {
    const bool goes_on =
        tokens_[root].text == "ops" && IsSign(i + 1, '.') && i + 2 < tokens_.size();
    std::string chain(tokens_[root].text);
    for (size_t k = root + 2; k <= (goes_on ? i + 2 : i); k += 2) {
      chain += fmt::format(".{}", tokens_[k].text);
    }
    return Refuse(tokens_[i], chain);
  }

  // getattr(module, "name"): the name is an attribute like one after a dot.
  absl::Status CheckGetattr(size_t i) const {
    size_t at = i + 1;
    int depth = 0;
    for (; at < tokens_.size(); ++at) {
      if (IsSign(at, '(') || IsSign(at, '[') || IsSign(at, '{')) ++depth;
      if (IsSign(at, ')') || IsSign(at, ']') || IsSign(at, '}')) --depth;
      if (depth == 0 || (depth == 1 && IsSign(at, ','))) break;
    }
    const size_t named = at + 1;
    const bool is_plain = IsSign(at, ',') && named + 1 < tokens_.size() &&
                          tokens_[named].kind == Kind::kText &&
                          (IsSign(named + 1, ')') || IsSign(named + 1, ',')) &&
                          tokens_[named].text.find('\\') == std::string_view::npos;
    if (!is_plain) return Refuse(tokens_[i], "getattr without a plain name");
    const std::string_view name = tokens_[named].text;
    if (IsAttribute(name) || (IsOwn(own_, name) && !IsIn(kNeverOwn, name))) return absl::OkStatus();
    return Refuse(tokens_[named], fmt::format("getattr of {}", name));
  }

  const std::vector<ScriptToken>& tokens_;
  const OwnNames& own_;
};

}  // namespace

absl::Status CheckCode(const std::vector<CodeFile>& files) {
  std::vector<std::vector<ScriptToken>> tokens;
  OwnNames own;
  for (const CodeFile& file : files) {
    auto made = TokensOf(file.text);
    if (!made.ok()) return Annotate(made.status(), Printable(file.name));
    AddOwnNames(*made, own);
    tokens.push_back(*std::move(made));
  }
  for (size_t i = 0; i < files.size(); ++i) {
    const absl::Status checked = FileCheck(tokens[i], own).Run();
    if (!checked.ok()) return Annotate(checked, Printable(files[i].name));
  }
  return absl::OkStatus();
}

}  // namespace tidemill::models

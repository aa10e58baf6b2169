// The code of a TorchScript as tokens, cut in the same places as by libtorch's lexer
// (torch/csrc/jit/frontend/lexer.h), so that both find the same strings.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace tidemill::models {

struct ScriptToken {
  enum class Kind { kName, kNumber, kText, kSign };
  Kind kind = Kind::kSign;
  // For a text: the part between its quotes. A sign has one character.
  std::string_view text = {};
  // From 1.
  int64_t line = 0;

  bool IsName(std::string_view name) const { return kind == Kind::kName && text == name; }
  bool IsSign(char sign) const { return kind == Kind::kSign && text[0] == sign; }
};

// The tokens refer to `code`. Comments are left out, except comments with types. INVALID_ARGUMENT,
// with the line, for a string that is not closed, or a character of no token.
absl::StatusOr<std::vector<ScriptToken>> TokensOf(std::string_view code);

}  // namespace tidemill::models

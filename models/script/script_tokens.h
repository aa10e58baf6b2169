// The code of a TorchScript as tokens, cut where libtorch's own lexer cuts it
// (torch/csrc/jit/frontend/lexer.h): what is a string here is a string there.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace tidemill::models {

struct ScriptToken {
  enum class Kind { kName, kNumber, kText, kSign };
  Kind kind = Kind::kSign;
  // Of a text: what stands between its quotes. A sign has one character.
  std::string_view text = {};
  // From 1.
  int64_t line = 0;

  bool IsName(std::string_view name) const { return kind == Kind::kName && text == name; }
  bool IsSign(char sign) const { return kind == Kind::kSign && text[0] == sign; }
};

// The tokens refer to `code`. Comments are left out, but not those that state types.
// INVALID_ARGUMENT, with the line, for what is no code: an open string, a character of no token.
absl::StatusOr<std::vector<ScriptToken>> TokensOf(std::string_view code);

}  // namespace tidemill::models

#include "base/paths/shell_word.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace tidemill {

std::string ShellWord(std::string_view text) {
  const auto is_plain = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_-./,:@%+").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
  return quoted + "'";
}

}  // namespace tidemill

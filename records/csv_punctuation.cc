#include "records/csv_punctuation.h"

#include <algorithm>

namespace tidemill {

size_t NextLine(std::string_view text, size_t at) {
  // Neither of the two ends may be far away where the other one is near.
  constexpr size_t kStep = 256;
  for (; at < text.size(); at += kStep) {
    const std::string_view step = text.substr(at, kStep);
    const size_t line_end = std::min(step.find('\n'), step.find('\r'));
    if (line_end == std::string_view::npos) continue;
    const bool two = step[line_end] == '\r' && text.substr(at + line_end + 1).starts_with('\n');
    return at + line_end + (two ? 2 : 1);
  }
  return std::string_view::npos;
}

}  // namespace tidemill

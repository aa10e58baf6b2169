#include "cli/terminal/matrix_layout.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "fmt/format.h"

namespace tidemill::cli {
namespace {

constexpr int kBlack = 16;
constexpr int kWhite = 231;
constexpr CellColour kScale[] = {{230, kBlack}, {193, kBlack}, {151, kBlack},
                                 {116, kBlack}, {74, kBlack},  {67, kBlack},
                                 {25, kWhite},  {19, kWhite},  {17, kWhite}};

}  // namespace

std::vector<size_t> Spread(size_t size, size_t most) {
  std::vector<size_t> shown;
  const size_t count = std::min(size, most);
  for (size_t i = 0; i < count; ++i) {
    shown.push_back(count == 1 ? size - 1 : (i * (size - 1) + (count - 1) / 2) / (count - 1));
  }
  return shown;
}

std::vector<size_t> SpreadTo(size_t size, size_t most,
                             const std::function<bool(size_t)>& preferred) {
  std::vector<size_t> shown = Spread(size, most);
  const std::vector<size_t> even = shown;
  for (size_t i = 1; i + 1 < shown.size(); ++i) {
    const size_t least = (even[i - 1] + even[i]) / 2 + 1;
    const size_t end = (even[i] + even[i + 1]) / 2 + 1;
    for (size_t away = 0; away < end - least; ++away) {
      const bool below = even[i] >= least + away && preferred(even[i] - away);
      const bool above = even[i] + away < end && preferred(even[i] + away);
      if (!below && !above) continue;
      shown[i] = below ? even[i] - away : even[i] + away;
      break;
    }
  }
  return shown;
}

CellColour ColourOf(double share) {
  const double place = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0;
  const auto last = static_cast<double>(std::size(kScale) - 1);
  return kScale[static_cast<size_t>(std::lround(place * last))];
}

std::string Painted(const std::string& text, const CellColour& colour) {
  return fmt::format("\x1b[48;5;{}m\x1b[38;5;{}m{}\x1b[0m", colour.background, colour.ink, text);
}

}  // namespace tidemill::cli

// Which rows and columns of a large matrix are shown, and in which colours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tidemill::cli {

// At most `most` of `size` indices, ascending: the first, the last, and the rest evenly between.
std::vector<size_t> Spread(size_t size, size_t most);

// The same, with each index between the ends moved to the nearest one that is `preferred`, as far
// as the middle between it and its neighbours.
std::vector<size_t> SpreadTo(size_t size, size_t most,
                             const std::function<bool(size_t)>& preferred);

// A background of the terminal's 256 colours with the ink that is read best on it.
struct CellColour {
  int background = 0;
  int ink = 0;
};

// From the worst value (0) to the best (1): light yellow over green to dark blue, as in reports.
// People with any kind of colour vision order it in the same way, and the ink has a contrast of at
// least 4.5 : 1 everywhere.
CellColour ColourOf(double share);

// Every colour of the scale.
std::vector<CellColour> Scale();

// Red, green and blue of one of the colours 16 to 255, from 0 to 255.
std::array<int, 3> RgbOf(int colour);

// "\x1b[48;5;...m" for the colour, the text, and back to normal.
std::string Painted(const std::string& text, const CellColour& colour);

}  // namespace tidemill::cli

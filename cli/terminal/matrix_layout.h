// Chooses the rows and columns of a large matrix that are shown, and their colours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tidemill::cli {

// Returns at most `most` of `size` indices, ascending: the first, the last, and others evenly
// between.
std::vector<size_t> Spread(size_t size, size_t most);

// Does the same, but moves each index between the ends to the nearest `preferred` one. It moves at
// most to the middle between it and its neighbour.
std::vector<size_t> SpreadTo(size_t size, size_t most,
                             const std::function<bool(size_t)>& preferred);

// A background from the terminal's 256 colours, with the most readable ink on it.
struct CellColour {
  int background = 0;
  int ink = 0;
};

// Returns a colour from the worst value (0) to the best (1): light yellow over green to dark blue,
// as in reports. People with any kind of colour vision order it in the same way. The ink has a
// contrast of at least 4.5 : 1 everywhere.
CellColour ColourOf(double share);

// Returns "\x1b[48;5;...m" for the colour, the text, and the code for normal text.
std::string Painted(const std::string& text, const CellColour& colour);

}  // namespace tidemill::cli

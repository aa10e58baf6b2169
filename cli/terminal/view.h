// What a stream can show: how wide and high it is, and whether it takes colours.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::cli {

// How much room a result has. The default is that of a file: as wide and as long as is still read.
struct View {
  bool paint = false;
  bool is_terminal = false;
  int width = 120;
  int height = 48;    // Lines.
  bool full = false;  // All of it, however large.
};

// The room of a stream; `full` as given.
View ViewOf(int descriptor, bool full);

// Whether a stream may be coloured: a terminal that can move its cursor, unless NO_COLOR says no.
bool TakesColour(int descriptor);

// The text with lines of at most `width` columns, broken between words only; every line begins with
// `indent` blanks. A word that is longer stands alone on its line.
std::string Wrapped(std::string_view text, int width, int indent);

// The same where the view is a terminal; else one line.
std::string Wrapped(std::string_view text, const View& view, int indent);

// Each line of a text by itself, as far in as it stands.
std::string WrappedLines(const std::string& text, const View& view);

// Writes on stderr, behind what was written on stdout: both may go to one file.
void SayAside(std::string_view text);

}  // namespace tidemill::cli

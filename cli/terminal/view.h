// The properties of an output stream: its width, its height, and whether it takes colours.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::cli {

// The space for a result. The default is for a file, with a width and a length that people can
// read.
struct View {
  bool paint = false;
  bool is_terminal = false;
  int width = 120;
  int height = 48;    // Lines.
  bool full = false;  // Show everything, however large.
};

// Returns the view of a stream. `full` is copied.
View ViewOf(int descriptor, bool full);

// Whether a stream may be coloured: it is a terminal that can move its cursor, and NO_COLOR is not
// set.
bool TakesColour(int descriptor);

// Returns the text in lines of at most `width` columns, broken only between words. Every line
// begins with `indent` blanks. A longer word has its own line.
std::string Wrapped(std::string_view text, int width, int indent);

// Does the same when the view is a terminal. Otherwise returns one line.
std::string Wrapped(std::string_view text, const View& view, int indent);

// Wraps each line of a text separately, and keeps its indentation.
std::string WrappedLines(const std::string& text, const View& view);

// Writes to stderr after everything written to stdout, because both may go to one file.
void PrintToStderr(std::string_view text);

}  // namespace tidemill::cli

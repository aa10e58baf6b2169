#include "cli/terminal/view.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "cli/terminal/text.h"

namespace tidemill::cli {
namespace {

size_t ColumnsOf(std::string_view text) {
  size_t columns = 0;
  for (const char c : text) columns += (c & 0xC0) != 0x80 ? 1 : 0;
  return columns;
}

}  // namespace

View ViewOf(int descriptor, bool full) {
  View view{.paint = TakesColour(descriptor), .full = full};
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return view;
  view.is_terminal = true;
  view.width = size.ws_col;
  if (size.ws_row > 0) view.height = size.ws_row;
  return view;
}

bool TakesColour(int descriptor) {
  const char* refused = std::getenv("NO_COLOR");
  return IsTerminal(descriptor) && (refused == nullptr || *refused == '\0');
}

std::string Wrapped(std::string_view text, int width, int indent) {
  std::istringstream words{std::string(text)};
  const std::string margin(static_cast<size_t>(indent), ' ');
  std::string wrapped;
  size_t column = 0;  // The column in the current line; 0 before its first word.
  for (std::string word; words >> word;) {
    if (column > 0 && column + 1 + ColumnsOf(word) > static_cast<size_t>(width)) {
      wrapped += '\n';
      column = 0;
    }
    if (column == 0) {
      wrapped += margin + word;
      column = margin.size() + ColumnsOf(word);
    } else {
      wrapped += " " + word;
      column += 1 + ColumnsOf(word);
    }
  }
  return wrapped + "\n";
}

std::string Wrapped(std::string_view text, const View& view, int indent) {
  if (view.is_terminal) return Wrapped(text, view.width, indent);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return std::string(static_cast<size_t>(indent), ' ') + std::string(text) + "\n";
}

std::string WrappedLines(const std::string& text, const View& view) {
  std::istringstream lines(text);
  std::string wrapped;
  for (std::string line; std::getline(lines, line);) {
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    wrapped += Wrapped(line, view, static_cast<int>(indent));
  }
  return wrapped;
}

void PrintToStderr(std::string_view text) {
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace tidemill::cli

#include "config/printed/abridged.h"

#include <algorithm>
#include <iterator>

#include "fmt/format.h"

#include "base/digest.h"
#include "base/numbers/thousands.h"

namespace tidemill::config {
namespace {

constexpr size_t kLongestShown = 1024;
constexpr size_t kDigitsShown = 12;

// Where the value of a canonical line begins, after its key or the mark of a list's item. Long
// lines hold one value: lists of several are broken into lines before.
size_t BeginOfValue(std::string_view line) {
  size_t at = std::min(line.find_first_not_of(' '), line.size());
  while (line.substr(at).starts_with("- ")) at += 2;
  if (line.substr(at).starts_with('"')) return at;
  const size_t colon = line.find(": ", at);
  return colon == std::string_view::npos ? at : colon + 2;
}

}  // namespace

std::string Abridged(std::string_view value) {
  if (value.size() <= kLongestShown) return std::string(value);
  return fmt::format("<{} bytes, SHA-256 {}...>", WithThousands(std::ssize(value)),
                     Sha256(value).substr(0, kDigitsShown));
}

std::string AbridgedDocument(std::string_view document) {
  std::string text;
  while (!document.empty()) {
    const size_t end = std::min(document.find('\n'), document.size());
    const std::string_view line = document.substr(0, end);
    document.remove_prefix(std::min(end + 1, document.size()));
    if (line.size() <= kLongestShown) {
      text += line;
    } else {
      const size_t begin = BeginOfValue(line);
      text += line.substr(0, begin);
      text += Abridged(line.substr(begin));
    }
    text += '\n';
  }
  return text;
}

}  // namespace tidemill::config

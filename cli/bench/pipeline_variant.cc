#include "cli/bench/pipeline_variant.h"

#include <cctype>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tidemill::cli {
namespace {

std::vector<std::string> LinesOf(std::string_view text) {
  return absl::StrSplit(absl::string_view(text.data(), text.size()), '\n');
}

bool BeginsSection(const std::string& line, std::string_view key) {
  return line.size() > key.size() && line.starts_with(key) && line[key.size()] == ':';
}

// A line that belongs to the section above it.
bool Continues(const std::string& line) {
  return line.empty() || std::string_view(" \t#-}]").find(line[0]) != std::string_view::npos;
}

bool IsWord(char byte) { return std::isalnum(static_cast<unsigned char>(byte)) || byte == '_'; }

// Whether a line is `seed: <number>`; then `line` gets the other number.
bool ReplaceSeed(std::string& line, int64_t seed) {
  const size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos || begin == 0 || line.compare(begin, 6, "seed: ") != 0) {
    return false;
  }
  size_t end = begin + 6;
  while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end]))) ++end;
  if (end == begin + 6) return false;
  line.replace(begin + 6, end - begin - 6, std::to_string(seed));
  return true;
}

}  // namespace

std::string WithSection(std::string_view pipeline, std::string_view key, std::string_view value) {
  std::vector<std::string> kept;
  bool inside = false;
  bool found = false;
  for (std::string& line : LinesOf(pipeline)) {
    if (BeginsSection(line, key)) {
      inside = found = true;
      kept.push_back(fmt::format("{}: {}", key, value));
      kept.emplace_back();
    } else if (!(inside && Continues(line))) {
      inside = false;
      kept.push_back(std::move(line));
    }
  }
  if (!found) kept.push_back(fmt::format("{}: {}\n", key, value));
  return absl::StrJoin(kept, "\n");
}

std::string WithSections(std::string pipeline, const Sections& sections) {
  for (const auto& [key, value] : sections) pipeline = WithSection(pipeline, key, value);
  return pipeline;
}

std::string WithWord(std::string_view text, std::string_view word, std::string_view value) {
  std::string result;
  size_t from = 0;
  for (size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + word.size())) {
    const bool begins = at == 0 || !IsWord(text[at - 1]);
    const size_t behind = at + word.size();
    if (!begins || (behind < text.size() && IsWord(text[behind]))) continue;
    result.append(text.substr(from, at - from)).append(value);
    from = behind;
  }
  return result.append(text.substr(from));
}

std::string WithWords(std::string text, const Words& words) {
  for (const auto& [word, value] : words) text = WithWord(text, word, value);
  return text;
}

absl::StatusOr<std::string> WithSeed(std::string_view pipeline, int64_t seed) {
  std::string by_word = WithWord(pipeline, "SEED", std::to_string(seed));
  if (by_word != pipeline) return by_word;
  std::vector<std::string> lines = LinesOf(pipeline);
  int num_found = 0;
  for (std::string& line : lines) num_found += ReplaceSeed(line, seed) ? 1 : 0;
  if (num_found == 1) return absl::StrJoin(lines, "\n");
  return InvalidArgument(
      "{} lines are `seed: <number>`, but a benchmark replaces exactly one; write SEED in its "
      "place",
      num_found);
}

}  // namespace tidemill::cli

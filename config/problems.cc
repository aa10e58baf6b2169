#include "config/problems.h"

#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/status.h"
#include "config/document.h"

namespace tidemill::config {
namespace {

constexpr size_t kMaxShown = 20;
constexpr size_t kMaxLine = 120;

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> two_back(b.size() + 1), back(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) back[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitution = back[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({row[j - 1] + 1, back[j] + 1, substitution});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
    std::swap(two_back, back);
    std::swap(back, row);
  }
  return back[b.size()];
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The bytes of the first `count` characters of `text`.
std::string_view FirstCharacters(std::string_view text, int count) {
  size_t at = 0;
  while (at < text.size() && count > 0) {
    ++at;
    while (at < text.size() && IsContinuation(text[at])) ++at;
    --count;
  }
  return text.substr(0, at);
}

// The source line with carets below the problem.
std::string RenderSource(const Problem& problem, const std::string& source) {
  std::string_view line = source;
  std::string shown;
  int skipped = 0;
  if (problem.position.column > static_cast<int>(kMaxLine) - 20) {
    skipped = problem.position.column - 20;
    line.remove_prefix(FirstCharacters(line, skipped).size());
    shown = "...";
  }
  const std::string_view visible = FirstCharacters(line, static_cast<int>(kMaxLine));
  shown += visible;
  const std::string_view indented =
      FirstCharacters(line, std::max(problem.position.column - 1 - skipped, 0));
  std::string below = skipped > 0 ? "   " : "";
  for (const char c : indented) {
    if (!IsContinuation(c)) below += c == '\t' ? '\t' : ' ';
  }
  const auto room = static_cast<int>(kMaxLine) - static_cast<int>(indented.size());
  below.append(static_cast<size_t>(std::clamp(problem.width, 1, std::max(room, 1))), '^');
  if (!problem.hint.empty()) below += " " + problem.hint;
  return fmt::format("{:>5} | {}{}\n      | {}\n", problem.position.line, shown,
                     visible.size() < line.size() ? "..." : "", below);
}

std::string RenderProblem(const Problem& problem, const std::string* source) {
  std::string text = problem.file.empty() ? "" : problem.file + ":";
  if (problem.position.line > 0) {
    text += fmt::format("{}:{}:", problem.position.line, problem.position.column);
  }
  text += fmt::format("{}error: {}\n", text.empty() ? "" : " ", problem.message);
  if (source != nullptr) {
    text += RenderSource(problem, *source);
  } else if (!problem.hint.empty()) {
    text += fmt::format("   hint: {}\n", problem.hint);
  }
  if (!problem.note.empty()) text += fmt::format("   note: {}\n", problem.note);
  return text;
}

}  // namespace

Problems::Problems(std::shared_ptr<const internal::Document> document)
    : document_(std::move(document)), items_(document_->problems) {}

void Problems::Add(std::string_view path, std::string_view message, std::string_view hint) {
  Problem problem;
  problem.path = JoinPath(prefix_, path);
  problem.message =
      problem.path.empty() ? std::string(message) : fmt::format("{}: {}", problem.path, message);
  problem.hint = hint;
  if (document_) {
    const internal::Node& mark = FindPlace(*document_, problem.path).mark();
    problem.position = mark.position;
    problem.width = mark.width;
  }
  Add(std::move(problem));
}

void Problems::Add(Problem problem) {
  if (problem.file.empty() && document_) problem.file = document_->name;
  items_.push_back(std::move(problem));
}

Position Problems::Locate(std::string_view path) const {
  if (!document_) return {};
  return FindPlace(*document_, JoinPath(prefix_, path)).mark().position;
}

std::vector<Problem> Problems::InOrder() const {
  std::vector<Problem> sorted = items_;
  std::ranges::stable_sort(sorted, {}, [](const Problem& problem) {
    return std::tuple(problem.position.line, problem.position.column);
  });
  return sorted;
}

std::string Problems::ToString() const {
  std::string text;
  const std::vector<Problem> sorted = InOrder();
  for (size_t i = 0; i < std::min(sorted.size(), kMaxShown); ++i) {
    const auto line = static_cast<size_t>(sorted[i].position.line);
    const bool has_source = document_ && line >= 1 && line <= document_->lines.size() &&
                            !IsHidden(sorted[i].position.line);
    text += RenderProblem(sorted[i], has_source ? &document_->lines[line - 1] : nullptr);
  }
  if (sorted.size() > kMaxShown) {
    text += fmt::format("... and {} more problems\n", sorted.size() - kMaxShown);
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

nlohmann::ordered_json Problems::ToJson() const {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Problem& problem : InOrder()) {
    list.push_back({{"file", problem.file},
                    {"line", problem.position.line},
                    {"column", problem.position.column},
                    {"path", problem.path},
                    {"message", problem.message},
                    {"hint", problem.hint},
                    {"note", problem.note}});
  }
  return list;
}

absl::Status Problems::ToStatus() const {
  return items_.empty() ? absl::OkStatus() : InvalidArgument("{}", ToString());
}

Problems::Scope::Scope(Problems& problems, std::string_view path)
    : problems_(problems), outer_(problems.prefix_) {
  problems_.prefix_ = JoinPath(outer_, path);
}

std::optional<std::string> ClosestTo(std::string_view word,
                                     const std::vector<std::string>& candidates) {
  if (word.size() > 100) return std::nullopt;
  const std::string wanted = Lower(word);
  std::optional<std::string> closest;
  size_t closest_distance = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > word.size() + closest_distance) continue;
    const size_t distance = Distance(wanted, Lower(candidate));
    const bool nothing_in_common = distance >= std::max(word.size(), candidate.size());
    if (distance < closest_distance && !nothing_in_common) {
      closest = candidate;
      closest_distance = distance;
    }
  }
  return closest;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto closest = ClosestTo(word, candidates);
  return closest ? fmt::format("did you mean '{}'?", *closest) : "";
}

std::string JoinPath(std::string_view path, std::string_view below) {
  const bool needs_dot = !path.empty() && !below.empty() && !below.starts_with('[');
  return fmt::format("{}{}{}", path, needs_dot ? "." : "", below);
}

}  // namespace tidemill::config

#include "config/documents/problems.h"

#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/status.h"
#include "config/documents/document.h"

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

Position MarkOf(const Problem& problem) {
  return problem.override_mark.line > 0 ? problem.override_mark : problem.position;
}

// The source line with carets below the problem.
std::string RenderSource(const Problem& problem, const std::string& source) {
  const int column = MarkOf(problem).column;
  const std::string number =
      problem.position.line > 0 ? std::to_string(problem.position.line) : std::string();
  std::string_view line = source;
  std::string shown;
  int skipped = 0;
  if (column > static_cast<int>(kMaxLine) - 20) {
    skipped = column - 20;
    line.remove_prefix(FirstCharacters(line, skipped).size());
    shown = "...";
  }
  const std::string_view visible = FirstCharacters(line, static_cast<int>(kMaxLine));
  shown += visible;
  const std::string_view indented = FirstCharacters(line, std::max(column - 1 - skipped, 0));
  std::string below = skipped > 0 ? "   " : "";
  for (const char c : indented) {
    if (!IsContinuation(c)) below += c == '\t' ? '\t' : ' ';
  }
  const auto room = static_cast<int>(kMaxLine) - static_cast<int>(indented.size());
  below.append(static_cast<size_t>(std::clamp(problem.width, 1, std::max(room, 1))), '^');
  if (!problem.hint.empty()) below += " " + problem.hint;
  return fmt::format("{:>5} | {}{}\n      | {}\n", number, shown,
                     visible.size() < line.size() ? "..." : "", below);
}

std::string RenderProblem(const Problem& problem, const std::string* source) {
  const std::string place = problem.Place();
  std::string text =
      fmt::format("{}{}error: {}\n", place, place.empty() ? "" : ": ", problem.message);
  if (source != nullptr) {
    text += RenderSource(problem, *source);
  } else if (!problem.hint.empty()) {
    text += fmt::format("   hint: {}\n", problem.hint);
  }
  if (!problem.note.empty()) text += fmt::format("   note: {}\n", problem.note);
  return text;
}

nlohmann::ordered_json ListToJson(const std::vector<Problem>& problems) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Problem& problem : problems) {
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

void Attach(const std::vector<Problem>& problems, absl::Status& status) {
  using Json = nlohmann::ordered_json;
  // Bytes of a file that are not UTF-8 do not make the list unreadable.
  status.SetPayload(kFindings, absl::Cord(ListToJson(problems).dump(
                                   -1, ' ', false, Json::error_handler_t::replace)));
}

}  // namespace

std::string Problem::Place() const {
  if (position.line == 0) return file;
  return fmt::format("{}{}{}:{}", file, file.empty() ? "" : ":", position.line, position.column);
}

Problems::Problems(std::shared_ptr<const Document> document) : document_(std::move(document)) {
  for (const Problem& problem : document_->problems) Add(problem);
}

void Problems::Add(std::string_view path, std::string_view message, std::string_view hint) {
  Problem problem;
  problem.path = JoinPath(prefix_, path);
  problem.message =
      problem.path.empty() ? std::string(message) : fmt::format("{}: {}", problem.path, message);
  problem.hint = hint;
  if (document_) {
    const Node& mark = FindPlace(*document_, problem.path).mark();
    problem.position = mark.position;
    problem.width = mark.width;
  }
  Add(std::move(problem));
}

void Problems::Add(Problem problem) {
  if (problem.file.empty() && document_) problem.file = document_->name;
  const auto line = static_cast<size_t>(problem.position.line);
  if (document_ && line > document_->num_own_lines && !document_->overrides.empty()) {
    problem.file = document_->overrides[line - document_->num_own_lines - 1];
    problem.override_mark = std::exchange(problem.position, {});
  }
  items_.push_back(std::move(problem));
}

std::vector<Problem> Problems::InOrder() const {
  std::vector<Problem> sorted = items_;
  std::ranges::stable_sort(sorted, {}, [](const Problem& problem) {
    return std::tuple(problem.override_mark.line, problem.position.line, problem.position.column);
  });
  return sorted;
}

std::string Problems::ToString() const {
  std::string text;
  const std::vector<Problem> sorted = InOrder();
  for (size_t i = 0; i < std::min(sorted.size(), kMaxShown); ++i) {
    const Position mark = MarkOf(sorted[i]);
    const auto line = static_cast<size_t>(mark.line);
    const bool has_source =
        document_ && line >= 1 && line <= document_->lines.size() && !IsHidden(mark.line);
    text += RenderProblem(sorted[i], has_source ? &document_->lines[line - 1] : nullptr);
  }
  if (sorted.size() > kMaxShown) {
    text += fmt::format("... and {} more problems\n", sorted.size() - kMaxShown);
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

nlohmann::ordered_json Problems::ToJson() const { return ListToJson(InOrder()); }

absl::Status Problems::ToStatus() const {
  if (items_.empty()) return absl::OkStatus();
  absl::Status status = InvalidArgument("{}", ToString());
  Attach(InOrder(), status);
  return status;
}

std::vector<Problem> FindingsOf(const absl::Status& status) {
  std::vector<Problem> findings;
  const auto payload = status.GetPayload(kFindings);
  if (!payload) return findings;
  const auto list = nlohmann::json::parse(std::string(*payload), nullptr, false);
  for (const auto& item : list.is_array() ? list : nlohmann::json::array()) {
    // Another process may have written it.
    if (!item.is_object()) continue;
    const auto text = [&](const char* key) {
      const auto found = item.find(key);
      return found != item.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const auto number = [&](const char* key) {
      const auto found = item.find(key);
      return found != item.end() && found->is_number_integer() ? found->get<int>() : 0;
    };
    findings.push_back({.file = text("file"),
                        .position = {number("line"), number("column")},
                        .path = text("path"),
                        .message = text("message"),
                        .hint = text("hint"),
                        .note = text("note")});
  }
  return findings;
}

absl::Status InFile(absl::Status status, std::string_view file) {
  Problem problem{.file = std::string(file)};
  problem.message = std::string(status.message());
  if (!status.ok()) Attach({std::move(problem)}, status);
  return status;
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

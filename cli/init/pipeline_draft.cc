#include "cli/init/pipeline_draft.h"

#include <algorithm>

#include "fmt/format.h"

#include "base/printable.h"

namespace tidemill::cli {
namespace {

constexpr size_t kWidth = 100;

// Breaks a line of YAML at kBreak if it is too long.
std::string Broken(const std::string& line, size_t indent) {
  std::string text;
  size_t begin = 0;  // Where the last line of `text` begins.
  size_t from = 0;
  while (from < line.size()) {
    const size_t end = std::min(line.find(kBreak, from), line.size());
    const bool first = from == 0;
    if (!first) {
      if (text.size() - begin + 1 + (end - from) > kWidth) {
        text += '\n';
        begin = text.size();
        text.append(indent, ' ');
      } else {
        text += ' ';
      }
    }
    text.append(line, from, end - from);
    from = end + 1;
  }
  return text;
}

// Lines of a comment, broken between words.
std::string Comment(const std::string& words, size_t indent, const std::string& lead = "# ") {
  const std::string begin = std::string(indent, ' ') + lead;
  std::string text, line = begin;
  size_t from = 0;
  const std::string shown = Printable(words);
  while (from <= shown.size()) {
    const size_t end = std::min(shown.find(' ', from), shown.size());
    const std::string word = shown.substr(from, end - from);
    if (line.size() > begin.size() && line.size() + 1 + word.size() > kWidth) {
      text += line + '\n';
      line = std::string(indent, ' ') + "#" + std::string(lead.size() - 1, ' ');
    } else if (line.size() > begin.size()) {
      line += ' ';
    }
    line += word;
    from = end + 1;
  }
  return text + line + '\n';
}

std::string Flat(std::string text) {
  std::ranges::replace(text, kBreak, ' ');
  return text;
}

// A guess as a line of YAML, with its comments. `lead`: "- " in a list.
std::string Lines(const Guess& guess, size_t indent, const std::string& lead = "") {
  std::string text;
  if (!guess.reason.empty())
    text += Comment(fmt::format("{}: {}.", guess.key, guess.reason), indent);
  if (!guess.unknown.empty()) text += Comment("not known: " + guess.unknown + ".", indent);
  const std::string line =
      fmt::format("{}{}{}: {}", std::string(indent, ' '), lead, guess.key, guess.value);
  text += Broken(line, indent + lead.size() + 2) + '\n';
  for (const OtherChoice& other : guess.others) {
    text += fmt::format("{}# {}  # {}\n", std::string(indent, ' '), Flat(other.line),
                        Printable(other.reason));
  }
  return text;
}

std::string Head(const PipelineDraft& draft) {
  std::string text =
      Comment(fmt::format("Guessed by `{}` from {}.", draft.command, draft.looked_at), 0);
  text += Comment(
      "The comment before a line says why; a line that is a comment could be written instead.", 0);
  for (const std::string& line : draft.tried) text += Comment(line, 0);
  const std::vector<std::string> unknown = draft.Unknown();
  if (unknown.empty()) return text;
  text += "# Not known:\n";
  for (const std::string& what : unknown) text += Comment(what + ".", 0, "# - ");
  return text;
}

}  // namespace

std::vector<std::string> PipelineDraft::Unknown() const {
  std::vector<std::string> all;
  for (const std::vector<Guess>* part : {&dataset, &graph, &sections}) {
    for (const Guess& guess : *part) {
      if (!guess.unknown.empty()) all.push_back(guess.unknown);
    }
  }
  all.insert(all.end(), more_unknown.begin(), more_unknown.end());
  return all;
}

std::string PipelineText(const PipelineDraft& draft) {
  std::string text = Head(draft);
  const std::string name = YamlText(draft.name);
  text += fmt::format("version: 1\nname: {}\n\ndatasets:\n  {}:\n", name, name);
  for (const Guess& guess : draft.dataset) text += Lines(guess, 4);
  text += fmt::format("\npreprocess:\n  dataset: {}\n  graph:\n", name);
  if (!draft.left_out.empty()) text += Comment("Left out:", 4);
  for (const std::string& column : draft.left_out) text += Comment(column + ".", 4, "# - ");
  for (const Guess& guess : draft.graph) text += Lines(guess, 4, "- ");
  for (const Guess& guess : draft.sections) text += "\n" + Lines(guess, 0);
  return text;
}

}  // namespace tidemill::cli

#include "cli/init/label_choice.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "fmt/format.h"

#include "base/numbers/number_text.h"
#include "base/numbers/thousands.h"
#include "base/paths/shell_word.h"
#include "base/printable.h"

namespace tidemill::cli {
namespace {

constexpr int64_t kMostClasses = 1000;
// Whole numbers of this many different values or fewer are numbers of classes.
constexpr int64_t kMostNumberedClasses = 10;

constexpr std::array<std::string_view, 10> kLabels = {"label",   "labels",      "target",  "class",
                                                      "classes", "y",           "outcome", "output",
                                                      "truth",   "ground_truth"};
constexpr std::array<std::string_view, 33> kLikely = {
    "churn",     "default", "survived", "fraud",       "spam",     "species",   "category",
    "sentiment", "quality", "price",    "rating",      "score",    "diagnosis", "result",
    "income",    "sold",    "click",    "convert",     "approved", "cancel",    "purchase",
    "grade",     "demand",  "sales",    "consumption", "weather",  "failure",   "anomaly",
    "is_",       "has_",    "response", "risk",        "_label"};

// The last part of the path of a field: "label" of "outcome.label".
std::string LastPart(const std::string& name) {
  return absl::AsciiStrToLower(name.substr(name.rfind('.') + 1));
}

bool IsNamedLabel(const std::string& name) {
  return std::ranges::find(kLabels, LastPart(name)) != kLabels.end();
}

bool IsLikelyName(const std::string& name) {
  const std::string lower = LastPart(name);
  return std::ranges::any_of(
      kLikely, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

bool IsNumeric(const ColumnFacts& facts) {
  return facts.num_values() > 0 && facts.num_numbers * 100 >= facts.num_values() * 95;
}

bool CanBeLabel(const ColumnFacts& facts) {
  // The name of the file is known before its records are.
  if (facts.names_files() && !IsNamedLabel(facts.name)) return false;
  if (facts.kind == ColumnKind::kNumber) return true;
  const bool few = !facts.more_distinct && facts.num_distinct() <= kMostClasses &&
                   facts.num_distinct() * 2 <= facts.num_values();
  return (facts.kind == ColumnKind::kCategory || facts.kind == ColumnKind::kManyValues ||
          facts.kind == ColumnKind::kWords) &&
         few;
}

bool HasFewNumbers(const ColumnFacts& facts) {
  return facts.all_whole() && !facts.more_distinct && facts.num_distinct() <= kMostNumberedClasses;
}

Task TaskOf(const ColumnFacts& facts) {
  if (facts.kind != ColumnKind::kNumber) return Task::kClassification;
  const bool two = facts.num_distinct() == 2 && !facts.more_distinct && facts.all_whole();
  return two || HasFewNumbers(facts) ? Task::kClassification : Task::kRegression;
}

double NumberOf(const std::string& text) {
  double number = 0;
  ReadNumber(text, number);
  return number;
}

// The classes in the order of their numbers or texts.
std::vector<std::string> ClassesOf(const ColumnFacts& facts) {
  std::vector<std::string> classes;
  for (const auto& [name, count] : facts.counts) classes.push_back(name);
  if (facts.num_numbers == facts.num_values()) std::ranges::stable_sort(classes, {}, NumberOf);
  return classes;
}

// "missing: [...]" where words occur that storage does not take for a missing label.
std::string MissingPart(const ColumnFacts& facts) {
  constexpr std::array<std::string_view, 5> kKnown = {"", "na", "n/a", "nan", "null"};
  std::vector<std::string> words;
  bool unknown = false;
  for (const auto& [word, count] : facts.missing_words) {
    unknown |= std::ranges::find(kKnown, absl::AsciiStrToLower(word)) == kKnown.end();
    words.push_back(word);
  }
  return unknown ? "missing: " + YamlList(words) : "";
}

std::string ValueOf(const ColumnFacts& facts, Task task) {
  const std::string column = "column: " + YamlText(facts.name);
  if (task == Task::kRegression) return YamlMap({column, "kind: real", MissingPart(facts)});
  return YamlMap({column, "classes: " + YamlList(ClassesOf(facts)), MissingPart(facts)});
}

std::string TaskReason(const ColumnFacts& facts, Task task) {
  const std::string many =
      (facts.more_distinct ? "about " : "") + WithThousands(facts.num_different);
  if (task == Task::kRegression) {
    return fmt::format("it holds {} different numbers from {} to {}, so the task is regression",
                       many, facts.least, facts.greatest);
  }
  return fmt::format("it has {} different {}, so the task is classification", many,
                     facts.kind == ColumnKind::kNumber ? "whole numbers" : "texts");
}

absl::Status CheckTask(const ColumnFacts& facts, Task task) {
  if (task == Task::kRegression && !IsNumeric(facts)) {
    return InvalidArgument(
        "column {} holds texts such as {}, so it cannot be the label of a regression; "
        "write --task classification or name another --label",
        Quoted(facts.name), Quoted(facts.counts.empty() ? "" : facts.counts.begin()->first));
  }
  if (task == Task::kClassification &&
      (facts.more_distinct || facts.num_distinct() > kMostClasses)) {
    return InvalidArgument(
        "column {} has more than {} different values, which are too many classes; write "
        "--task regression or name another --label",
        Quoted(facts.name), kMostClasses);
  }
  if (facts.num_values() == 0) return InvalidArgument("column {} has no value", Quoted(facts.name));
  return absl::OkStatus();
}

void TakeClasses(const ColumnFacts& facts, LabelChoice& choice) {
  choice.classes = ClassesOf(facts);
  for (const auto& [name, count] : facts.counts) {
    choice.rarest = choice.rarest == 0 ? count : std::min(choice.rarest, count);
    choice.most_frequent = std::max(choice.most_frequent, count);
  }
}

// The comment beside a label of whole numbers, which may be classes or amounts.
void OfferOtherTask(const ColumnFacts& facts, const LabelChoice& choice, Guess& guess) {
  if (facts.kind != ColumnKind::kNumber) return;
  if (choice.task == Task::kClassification && facts.num_distinct() > 2) {
    guess.others.push_back(
        {"label: " + ValueOf(facts, Task::kRegression), "for regression, with --task regression"});
    if (guess.unknown.empty()) {
      guess.unknown = fmt::format(
          "whether the {} whole numbers of {} are classes or amounts: they were taken for "
          "classes; --task regression says otherwise",
          facts.num_distinct(), Quoted(facts.name));
    }
  }
}

absl::StatusOr<LabelChoice> ChoiceOf(const std::vector<ColumnFacts>& facts, size_t column,
                                     const LabelWishes& wishes) {
  LabelChoice choice{.column = column, .task = wishes.task.value_or(TaskOf(facts[column]))};
  RETURN_IF_ERROR(CheckTask(facts[column], choice.task));
  if (choice.task == Task::kClassification) TakeClasses(facts[column], choice);
  choice.guess = {.key = "label", .value = ValueOf(facts[column], choice.task)};
  return choice;
}

// The evidence that a column is the label.
std::string SpeaksFor(const std::vector<ColumnFacts>& facts, size_t column, Task task) {
  const ColumnFacts& seen = facts[column];
  std::string why = IsNamedLabel(seen.name)   ? "its name says so"
                    : IsLikelyName(seen.name) ? "a usual name of a label"
                                              : "";
  if (column + 1 == facts.size()) why += why.empty() ? "the last column" : ", the last column";
  if (!why.empty()) why += "; ";
  if (task == Task::kRegression) {
    return why + fmt::format("numbers from {} to {}", seen.least, seen.greatest);
  }
  return why + fmt::format("{} classes", seen.num_distinct());
}

// The lines of other columns, with what speaks for them.
void OfferOthers(const std::vector<ColumnFacts>& facts, const std::vector<size_t>& candidates,
                 size_t chosen, Guess& guess) {
  constexpr size_t kMostOthers = 40;
  constexpr int64_t kMostClassesInLine = 50;
  std::vector<std::string> rest;
  for (const size_t column : candidates) {
    const ColumnFacts& seen = facts[column];
    if (column == chosen) continue;
    const Task task = TaskOf(seen);
    const bool long_line =
        task == Task::kClassification && seen.num_distinct() > kMostClassesInLine;
    if (long_line || guess.others.size() >= kMostOthers) {
      rest.push_back(seen.name);
      continue;
    }
    guess.others.push_back(
        {"label: " + ValueOf(seen, task),
         fmt::format("with --label {}: {}", ShellWord(seen.name), SpeaksFor(facts, column, task))});
  }
  if (!rest.empty() && !guess.unknown.empty()) {
    guess.unknown += fmt::format("; {} may be the label, too", NamesForPeople(rest, 20));
  }
}

}  // namespace

std::vector<size_t> LabelCandidates(const std::vector<ColumnFacts>& facts,
                                    const std::set<size_t>& taken) {
  std::vector<size_t> candidates;
  for (size_t column = facts.size(); column-- > 0;) {
    if (!taken.contains(column) && CanBeLabel(facts[column])) candidates.push_back(column);
  }
  std::ranges::stable_sort(candidates, std::greater<>(), [&](size_t column) {
    if (IsNamedLabel(facts[column].name)) return 2;
    if (IsLikelyName(facts[column].name)) return 1;
    return facts[column].because.empty() ? 0 : -1;  // Codes are seldom what is learned.
  });
  return candidates;
}

absl::StatusOr<LabelChoice> ChooseLabel(const SampledTable& table,
                                        const std::vector<ColumnFacts>& facts,
                                        const std::set<size_t>& taken, const LabelWishes& wishes) {
  const std::vector<size_t> candidates = LabelCandidates(facts, taken);
  std::optional<size_t> column;
  if (wishes.column) {
    column = table.Find(*wishes.column);
    if (!column) {
      return InvalidArgument("there is no column {} for --label; the columns are {}",
                             Quoted(*wishes.column), NamesForPeople(table.Names(), 100));
    }
  } else if (candidates.empty()) {
    return InvalidArgument(
        "no column can be the label: each is a time, an identifier, or has another text in each "
        "record; name one with --label; the columns are {}",
        NamesForPeople(table.Names(), 100));
  }
  ASSIGN_OR_RETURN(
      LabelChoice choice,
      ChoiceOf(facts, column.value_or(candidates.empty() ? 0 : candidates.front()), wishes));
  const ColumnFacts& chosen = facts[choice.column];
  const bool is_last = choice.column + 1 == facts.size();
  std::string why = "as given by --label";
  if (!wishes.column && IsNamedLabel(chosen.name)) {
    why = fmt::format("the name {} says that it is the label", Quoted(chosen.name));
  } else if (!wishes.column) {
    why = IsLikelyName(chosen.name)
              ? fmt::format("{} is a usual name of a label", Quoted(chosen.name))
              : fmt::format("{} is the last column that may be one", Quoted(chosen.name));
    if (!(IsLikelyName(chosen.name) && is_last)) {
      choice.guess.unknown = fmt::format(
          "which column is the label: {} was taken, because {}; --label COLUMN names "
          "another",
          Quoted(chosen.name), why);
    }
  }
  if (chosen.names_files() && choice.guess.unknown.empty()) {
    choice.guess.unknown = fmt::format(
        "whether {} is a label: it is the same in all records of a file, as the name of the file "
        "would be",
        Quoted(chosen.name));
  }
  choice.guess.reason = why + "; " + TaskReason(chosen, choice.task);
  if (!wishes.task) OfferOtherTask(chosen, choice, choice.guess);
  if (!wishes.column) OfferOthers(facts, candidates, choice.column, choice.guess);
  return choice;
}

}  // namespace tidemill::cli

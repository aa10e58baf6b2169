#include "cli/init/graph_choice.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "base/numbers/thousands.h"
#include "base/printable.h"
#include "cli/init/recommender.h"
#include "cli/init/training_choice.h"
#include "records/columns/column_kind.h"

// Which ops a column leads to, by its kind. Ops are added in this order.
//
//   numbers       parse --> fill_missing, if any may be missing --> standardize --.
//   time          time_features, if the data cover enough of a period ------------+--> stack
//   categories    parse --> one_hot ----------------------------------------------+
//   many values   parse --> hash_buckets --> one_hot, at most kMostBucketed ------'
//   ids           parse --> hash_buckets --> stack --> cast
//   words         parse --> hash_tokens, of the longest text: only if no column is of a kind above
//
// The other columns are left out, each with a reason: other kinds, further times, and numbers that
// only rise or fall unless there is nothing else.

namespace tidemill::cli {
namespace {

constexpr int64_t kBuckets = 256;
constexpr size_t kMostBucketed = 4;
constexpr int64_t kTokenBuckets = 16384;
constexpr int64_t kTokens = 64;

class GraphMaker {
 public:
  explicit GraphMaker(const GraphSource& source) : source_(source) {}

  absl::StatusOr<GraphChoice> Make() {
    Sort();
    if (numbers_.empty() && categories_.empty() && many_.empty() && ids_.empty()) {
      return MakeOfText();
    }
    for (const ColumnFacts* words : words_)
      LeaveOut(*words, "a text of several words; a model of texts reads it alone");
    AddNumbers();
    AddTime();
    AddCategories();
    choice_.has_numbers = choice_.num_columns > 0;
    if (choice_.has_numbers) Add("stack", "{columns: all, into: input}", "");
    if (!ids_.empty()) AddIds();
    Add("label", "{into: target}", "");
    return std::move(choice_);
  }

 private:
  void Sort();
  void SortByKind(const ColumnFacts& facts);
  bool OnlyRises(const ColumnFacts& facts) const;
  void LeaveOutRising();
  void LeaveOut(const ColumnFacts& facts, const std::string& why) {
    choice_.left_out.push_back(fmt::format("{}: {}", Quoted(facts.name), why));
  }
  Guess& Add(std::string op, std::string value, std::string reason) {
    return choice_.ops.emplace_back(
        Guess{.key = std::move(op), .value = std::move(value), .reason = std::move(reason)});
  }
  // parse_csv or parse_json of these columns.
  void AddParse(const std::vector<std::string>& names, const std::string& more,
                const std::string& reason) {
    Add(source_.json ? "parse_json" : "parse_csv",
        YamlMap({(source_.json ? "fields: " : "columns: ") + YamlList(names), more}), reason);
    choice_.num_columns += static_cast<int64_t>(names.size());
  }
  void AddNumbers();
  void AddTime();
  void AddCategories();
  void AddIds();
  void AddOneHot(const ColumnFacts& facts);
  absl::StatusOr<GraphChoice> MakeOfText();
  std::string MissingTexts() const { return source_.json ? "missing: [\"null\"]" : ""; }

  const GraphSource& source_;
  GraphChoice choice_;
  std::vector<IdColumn> ids_;  // The ids of users and items.
  std::vector<const ColumnFacts*> numbers_, rising_, categories_, many_, words_;
};

// Whether a number only rises, or falls, over all records, as a count of days does: a model that
// was trained on a part of them has not seen the numbers of the next part.
bool GraphMaker::OnlyRises(const ColumnFacts& facts) const {
  if (facts.num_numbers < 20) return false;
  if (facts.rises || facts.falls) return facts.num_different >= (source_.time.rises ? 3 : 20);
  // A few steps back do not change that, unless they lead to the beginning, as those of a clock do.
  const double range = facts.greatest - facts.least;
  const NumberSteps& steps = facts.steps;
  const auto is_trend = [&](int64_t along, int64_t back, double moved_back) {
    constexpr int64_t kForEachBack = 100;
    constexpr double kMostOfRange = 0.5;
    return along >= kForEachBack * back && moved_back <= kMostOfRange * range;
  };
  return source_.time.rises && facts.num_different >= 100 &&
         (is_trend(steps.num_rising, steps.num_falling, steps.fallen) ||
          is_trend(steps.num_falling, steps.num_rising, steps.risen));
}

void GraphMaker::SortByKind(const ColumnFacts& facts) {
  switch (facts.kind) {
    case ColumnKind::kEmpty:
      return LeaveOut(facts, "it has no value");
    case ColumnKind::kConstant:
      return LeaveOut(facts, "it always has the same value");
    case ColumnKind::kIdentifier:
      return LeaveOut(facts, "it names or counts the records: almost each has another value" +
                                 (facts.because.empty() ? "" : "; it holds " + facts.because));
    case ColumnKind::kCounter:
      return LeaveOut(facts, "it names or counts the records");
    case ColumnKind::kNumber:
      (OnlyRises(facts) ? rising_ : numbers_).push_back(&facts);
      return;
    case ColumnKind::kCategory:
      categories_.push_back(&facts);
      return;
    case ColumnKind::kManyValues:
      many_.push_back(&facts);
      return;
    case ColumnKind::kWords:
      words_.push_back(&facts);
      return;
  }
}

void GraphMaker::LeaveOutRising() {
  std::vector<std::string> names;
  for (const ColumnFacts* facts : rising_) {
    names.push_back(facts->name);
    LeaveOut(*facts, fmt::format("it only {} from record to record, so the numbers of each "
                                 "training are others than those that come after it",
                                 facts->rises ? "rises" : "falls"));
  }
  if (names.empty()) return;
  choice_.unknown.push_back(fmt::format(
      "whether {} say{} anything but the order of the records: what only rises was left out; if "
      "so, "
      "read {} with the columns of numbers",
      NamesForPeople(names, 10), names.size() == 1 ? "s" : "", names.size() == 1 ? "it" : "them"));
}

void GraphMaker::Sort() {
  std::vector<size_t> others(source_.taken.begin(), source_.taken.end());
  others.insert(others.end(), source_.time.other_times.begin(), source_.time.other_times.end());
  if (!source_.json) ids_ = FindUsersAndItems(source_.facts, others);
  for (size_t column = 0; column < source_.facts.size(); ++column) {
    const ColumnFacts& facts = source_.facts[column];
    if (source_.taken.contains(column)) continue;
    if (std::ranges::find(ids_, column, &IdColumn::column) != ids_.end()) continue;
    if (source_.time.other_times.contains(column)) {
      LeaveOut(facts, "another time");
      continue;
    }
    if (!facts.question.empty()) choice_.unknown.push_back(facts.question);
    SortByKind(facts);
  }
  if (numbers_.empty() && categories_.empty() && many_.empty() && words_.empty()) {
    numbers_ = std::exchange(rising_, {});
  }
  LeaveOutRising();
  std::ranges::stable_sort(many_, {}, &ColumnFacts::num_distinct);
  for (size_t place = kMostBucketed; place < many_.size(); ++place) {
    LeaveOut(*many_[place], "a text with many different values");
  }
  if (many_.size() > kMostBucketed) many_.resize(kMostBucketed);
}

// Numbers that writers of files use for a missing one.
std::optional<std::string> MarkOfMissing(const ColumnFacts& facts) {
  for (const char* const mark : {"-999", "-9999", "-99", "-200", "-99999", "-999.0", "-9999.0"}) {
    const auto found = facts.counts.find(mark);
    if (found != facts.counts.end() && found->second >= 3 && std::stod(mark) == facts.least)
      return mark;
  }
  return std::nullopt;
}

// The reason of a column of codes, with what speaks for them.
std::string WhatTheyAre(const ColumnFacts& facts, const std::string& reason) {
  return facts.because.empty() ? reason : fmt::format("{}: {}", facts.because, reason);
}

void GraphMaker::AddNumbers() {
  if (numbers_.empty()) return;
  std::vector<std::string> names, with_missing, words;
  int64_t num_odd = 0;
  for (const ColumnFacts* facts : numbers_) {
    names.push_back(facts->name);
    num_odd += facts->num_odd;
    if (facts->num_missing > 0) with_missing.push_back(facts->name);
    for (const auto& [word, count] : facts->missing_words) {
      const std::string text = source_.json && word.empty() ? "null" : word;
      if (std::ranges::find(words, text) == words.end()) words.push_back(text);
    }
    if (const auto mark = MarkOfMissing(*facts)) {
      choice_.unknown.push_back(
          fmt::format("whether {} in {} means a missing number: it was taken for a number; if so, "
                      "add it to `missing` of {}",
                      *mark, Quoted(facts->name), source_.json ? "parse_json" : "parse_csv"));
    }
  }
  // Records that were not looked at may lack fields.
  if (words.empty() && !source_.whole) words.emplace_back(source_.json ? "null" : "");
  std::string reason = names.size() == 1 ? "a column of numbers"
                                         : fmt::format("{} columns of numbers", names.size());
  if (num_odd > 0) {
    reason += fmt::format("; {} fields are neither numbers nor missing, and make bad samples",
                          WithThousands(num_odd));
  }
  AddParse(names, words.empty() ? "" : "missing: " + YamlList(words), reason);
  if (!words.empty()) {
    Guess& fill =
        Add("fill_missing", "{with: mean}",
            with_missing.empty() ? "no value is missing in the part that was read"
                                 : "values are missing in " + NamesForPeople(with_missing));
    fill.others.push_back({"- fill_missing: {with: median, indicator: true}",
                           "also tells the model where a value was missing"});
  }
  Add("standardize", "{columns: all}", "");
}

void GraphMaker::AddTime() {
  if (!source_.time.is_known) return;
  const int64_t days = WholeDays({source_.time.last.micros - source_.time.first.micros});
  std::vector<std::string> parts;
  if (source_.time.has_clock && days >= 2) parts.emplace_back("hour");
  // A training over a part of a week, or of a year, has not seen the other parts.
  if (days / kTrainings >= 14) parts.emplace_back("weekday");
  if (days / kTrainings >= 365) parts.emplace_back("year_fraction");
  if (parts.empty()) return;
  Guess& features = Add("time_features", YamlMap({"parts: " + YamlList(parts), "cyclic: true"}),
                        fmt::format("the times cover {} days", WithThousands(days)));
  if (days >= 2 * 365 && days / kTrainings < 365) {
    parts.emplace_back("year_fraction");
    features.others.push_back(
        {"- time_features: " + YamlMap({"parts: " + YamlList(parts), "cyclic: true"}),
         "where each training covers whole years, as with selection: {type: all_data}"});
  }
  ++choice_.num_columns;
}

void GraphMaker::AddCategories() {
  std::vector<std::string> names;
  for (const auto& group : {categories_, many_}) {
    for (const ColumnFacts* facts : group) names.push_back(facts->name);
  }
  if (names.empty()) return;
  const std::string missing = MissingTexts();
  AddParse(
      names, missing.empty() ? "dtype: string" : "dtype: string, " + missing,
      names.size() == 1 ? "a column of texts" : fmt::format("{} columns of texts", names.size()));
  for (const ColumnFacts* facts : categories_) AddOneHot(*facts);
  for (const ColumnFacts* facts : many_) {
    Add("hash_buckets",
        YamlMap({"column: " + YamlText(facts->name), fmt::format("buckets: {}", kBuckets)}),
        WhatTheyAre(*facts, fmt::format("{}{} different texts share {} places",
                                        facts->more_distinct ? "about " : "",
                                        WithThousands(facts->num_different), kBuckets)));
    Add("one_hot",
        YamlMap({"column: " + YamlText(facts->name), fmt::format("classes: {}", kBuckets)}), "");
  }
}

// An embedding for each user and each item, beside the numbers if there are any.
void GraphMaker::AddIds() {
  std::vector<std::string> names;
  for (const IdColumn& id : ids_) names.push_back(source_.facts[id.column].name);
  AddParse(names, "dtype: string", "ids of users and items, each of which gets an embedding");
  for (const IdColumn& id : ids_) {
    const ColumnFacts& facts = source_.facts[id.column];
    Add("hash_buckets",
        YamlMap({"column: " + YamlText(facts.name), fmt::format("buckets: {}", id.buckets)}),
        fmt::format("{}{} different ids{}", facts.more_distinct ? "about " : "",
                    WithThousands(facts.num_different),
                    source_.whole ? "" : " in the part that was read"));
    choice_.categories.push_back(id.buckets);
  }
  const std::string into = choice_.has_numbers ? "input_categories" : "input";
  Add("stack", YamlMap({"columns: " + YamlList(names), "into: " + into}), "");
  Add("cast", YamlMap({fmt::format("columns: [{}]", into), "dtype: int64"}), "");
}

// Learns all texts that were seen. If only a part was read, leaves room for some more.
void GraphMaker::AddOneHot(const ColumnFacts& facts) {
  // Marks of a missing value are texts, except for the empty one and parse_json's null.
  int64_t num_texts = facts.num_distinct();
  for (const auto& [word, count] : facts.missing_words) {
    num_texts += !word.empty() && !(source_.json && word == "null");
  }
  int64_t learn = std::max<int64_t>(1, num_texts);
  std::string reason = fmt::format("{} different texts, all of which have a place", num_texts);
  if (!source_.whole) {
    learn = std::min(kMostCategories, learn + std::max<int64_t>(2, learn / 4));
    reason = fmt::format("{} different texts in the part that was read, and room for {}", num_texts,
                         learn);
  }
  if (num_texts > learn) {
    reason += fmt::format("; the {} rarest are left out", num_texts - learn);
  }
  Add("one_hot", YamlMap({"column: " + YamlText(facts.name), fmt::format("learn: {}", learn)}),
      WhatTheyAre(facts, reason));
}

absl::StatusOr<GraphChoice> GraphMaker::MakeOfText() {
  if (words_.empty()) {
    AddTime();
    if (choice_.ops.empty()) {
      return InvalidArgument("there is no column that a model could learn from: {}",
                             fmt::join(choice_.left_out, "; "));
    }
    Add("stack", "{columns: all, into: input}", "");
    Add("label", "{into: target}", "");
    return std::move(choice_);
  }
  const auto longest = std::ranges::max_element(words_, {}, &ColumnFacts::num_words);
  const ColumnFacts& text = **longest;
  for (const ColumnFacts* words : words_) {
    if (words != &text) LeaveOut(*words, "a shorter text than " + Quoted(text.name));
  }
  const std::string missing = MissingTexts();
  AddParse(
      {text.name}, missing.empty() ? "dtype: string" : "dtype: string, " + missing,
      fmt::format("a text of {:.0f} words on average",
                  static_cast<double>(text.num_words) / static_cast<double>(text.num_values())));
  Add("hash_tokens",
      YamlMap({"column: " + YamlText(text.name), fmt::format("buckets: {}", kTokenBuckets),
               "ngrams: 2", fmt::format("length: {}", kTokens), "into: input"}),
      "words and pairs of words");
  Add("label", "{into: target}", "");
  choice_.vocabulary = kTokenBuckets + 1;
  if (text.num_undivided * 2 > text.num_words) {
    choice_.unknown.push_back(fmt::format(
        "where the words of {} end: its script has no blanks between them, and hash_tokens takes "
        "each run of letters for one word; write blanks between words, or use word_pieces",
        Quoted(text.name)));
  }
  return std::move(choice_);
}

}  // namespace

absl::StatusOr<GraphChoice> ChooseGraph(const GraphSource& source) {
  return GraphMaker(source).Make();
}

}  // namespace tidemill::cli

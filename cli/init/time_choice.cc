#include "cli/init/time_choice.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

#include "base/printable.h"
#include "cli/init/time_columns.h"

namespace tidemill::cli {
namespace {

struct TimeCandidate {
  TimeColumns times = {};
  double score = 0;
};

std::vector<std::string> NamesOf(const SampledTable& table, const std::vector<size_t>& columns) {
  std::vector<std::string> names;
  for (const size_t column : columns) names.push_back(table.columns[column].name);
  return names;
}

std::string ValueOf(const SampledTable& table, const TimeColumns& times,
                    const std::string& format) {
  const auto names = NamesOf(table, times.columns);
  return YamlMap(
      {names.size() == 1 ? "column: " + YamlText(names.front()) : "columns: " + YamlList(names),
       format.empty() ? "" : "format: " + YamlText(format)});
}

double ScoreOf(const SampledTable& table, const TimeColumns& times) {
  const size_t column = times.columns.front();
  double score =
      times.share + (times.rises ? 2 : 0) + (column == 0 ? 0.75 : 0) + (times.has_clock ? 0.5 : 0);
  score += times.columns.size() > 1 ? 2 : TimeInName(table.columns[column].name);
  return score;
}

// Times in the columns of the table, the most likely ones first.
std::vector<TimeCandidate> FindCandidates(const SampledTable& table,
                                          const std::vector<ColumnFacts>& facts) {
  std::vector<TimeCandidate> found;
  const auto add = [&](std::optional<TimeColumns> times) {
    if (!times) return;
    const double score = ScoreOf(table, *times);
    found.push_back({std::move(*times), score});
  };
  for (size_t column = 0; column < facts.size(); ++column) {
    auto times = TimesOfColumn(table, column, facts[column]);
    if (!times) continue;
    if (auto with_clock = TimesOfDateAndClock(table, facts, *times)) times = std::move(with_clock);
    add(std::move(times));
  }
  add(TimesOfParts(table, facts));
  std::ranges::stable_sort(found, std::greater<>(), &TimeCandidate::score);
  return found;
}

std::string ReasonOf(const TimeColumns& times, const std::string& names) {
  std::string reason =
      fmt::format("{} {} times from {} to {}", names, times.columns.size() > 1 ? "hold" : "holds",
                  FormatTimestampShort(times.first), FormatTimestampShort(times.last));
  if (times.share < 1) {
    reason += fmt::format(" in {:.1f} % of its values; the other records will be left out",
                          100 * times.share);
  }
  if (times.rises) reason += ", and rises from record to record";
  if (!times.worse_format.empty()) {
    reason += fmt::format("; {} would read only {:.1f} % of them", Quoted(times.worse_format),
                          100 * times.worse_share);
  }
  return reason + "; a time without a zone is taken for UTC";
}

TimeChoice ChoiceOf(const SampledTable& table, const std::vector<TimeCandidate>& found) {
  const TimeColumns& best = found.front().times;
  const std::string names = NamesForPeople(NamesOf(table, best.columns), 6);
  TimeChoice choice{.guess = {.key = "event_time",
                              .value = ValueOf(table, best, best.format),
                              .reason = ReasonOf(best, names)},
                    .columns = {best.columns.begin(), best.columns.end()},
                    .is_known = true,
                    .first = best.first,
                    .last = best.last,
                    .has_clock = best.has_clock,
                    .rises = best.rises};
  if (!best.other_format.empty()) {
    choice.guess.unknown = fmt::format(
        "whether {} has the day or the month first: {} reads {}, and {} reads as many{}", names,
        Quoted(best.format),
        best.share == 1 ? "every time" : fmt::format("{:.1f} % of the times", 100 * best.share),
        Quoted(best.other_format),
        best.rises && !best.other_rises ? "; by the first, the times rise from record to record"
                                        : "");
    choice.guess.others.push_back(
        {"event_time: " + ValueOf(table, best, best.other_format), "the other order"});
  }
  for (size_t place = 1; place < found.size(); ++place) {
    const TimeColumns& other = found[place].times;
    for (const size_t column : other.columns) {
      if (!choice.columns.contains(column)) choice.other_times.insert(column);
    }
    if (other.columns.size() == 1 && choice.columns.contains(other.columns.front())) continue;
    choice.guess.others.push_back(
        {"event_time: " + ValueOf(table, other, other.format), "holds times, too"});
  }
  if (found.size() > 1 && choice.guess.others.size() > (best.other_format.empty() ? 0 : 1) &&
      found[0].score - found[1].score < 1 && choice.guess.unknown.empty()) {
    choice.guess.unknown =
        fmt::format("which column is the time: {} was taken; --time COLUMN names another", names);
  }
  return choice;
}

// Times of a column that are written in two notations, read by an expression.
std::optional<TimeChoice> MixedChoice(const SampledTable& table,
                                      const std::vector<ColumnFacts>& facts, size_t column) {
  const auto mixed = MixedTimesOfColumn(table, column, facts[column]);
  if (!mixed) return std::nullopt;
  const std::string name = InExpression(facts[column].name);
  const auto read = [&](const TimeColumns& times) {
    // A field that is read as a time must be one; as a text it is null when it is not.
    return times.format.empty() ? fmt::format("time(text({}))", name)
                                : fmt::format("time({}, '{}')", name, times.format);
  };
  const TimeColumns &most = mixed->most, &others = mixed->others;
  const std::string expression = fmt::format("coalesce({}, {})", read(most), read(others));
  TimeChoice choice{.guess = {.key = "event_time",
                              .value = fmt::format("{{expression: {}}}", YamlText(expression))},
                    .columns = {column},
                    .is_known = true,
                    .first = std::min(most.first, others.first),
                    .last = std::max(most.last, others.last),
                    .has_clock = most.has_clock || others.has_clock};
  choice.guess.reason = fmt::format(
      "{} holds times in two notations: {} reads {:.1f} % of them, and {} reads {:.1f} %",
      Quoted(facts[column].name), Quoted(most.format), 100 * most.share, Quoted(others.format),
      100 * others.share);
  if (most.share + others.share > 1.001) {
    choice.guess.unknown = fmt::format(
        "how the times of {} are written: some of them can be read by {} and by {}; the first was "
        "tried first",
        Quoted(facts[column].name), Quoted(most.format), Quoted(others.format));
  }
  return choice;
}

TimeChoice WithoutTimes(const SampledTable& table, const std::vector<ColumnFacts>& facts) {
  for (size_t column = 0; column < facts.size(); ++column) {
    if (auto choice = MixedChoice(table, facts, column)) return std::move(*choice);
  }
  return {};
}

}  // namespace

absl::StatusOr<TimeChoice> ChooseTime(const SampledTable& table,
                                      const std::vector<ColumnFacts>& facts,
                                      const std::optional<std::string>& wished) {
  std::vector<TimeCandidate> found = FindCandidates(table, facts);
  if (!wished) return found.empty() ? WithoutTimes(table, facts) : ChoiceOf(table, found);
  const auto column = table.Find(*wished);
  if (!column) {
    return InvalidArgument("there is no column {} for --time; the columns are {}", Quoted(*wished),
                           NamesForPeople(table.Names(), 100));
  }
  const auto holds = [&](const TimeCandidate& candidate) {
    return std::ranges::find(candidate.times.columns, *column) != candidate.times.columns.end();
  };
  const auto named = std::ranges::find_if(found, holds);
  if (named == found.end()) {
    return InvalidArgument(
        "column {} does not hold times that Tidemill reads, such as {}; docs/guides/times.md lists "
        "how times may be written",
        Quoted(*wished), Quoted(table.columns[*column].values.front()));
  }
  std::rotate(found.begin(), named, named + 1);
  TimeChoice choice = ChoiceOf(table, found);
  choice.guess.reason = "as given by --time; " + choice.guess.reason;
  if (found.front().times.other_format.empty()) choice.guess.unknown.clear();
  return choice;
}

}  // namespace tidemill::cli

// Choices among the columns of a table: time, label, graph.
#include "fmt/format.h"
#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "cli/init/graph_choice.h"
#include "cli/init/label_choice.h"
#include "cli/init/recommender.h"
#include "cli/init/record_order.h"
#include "cli/init/time_choice.h"
#include "cli/init/training_choice.h"

namespace tidemill::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using tidemill::testing::StatusIs;

using Made = std::function<std::string(int row)>;

struct SmallTable {
  SampledTable table;
  std::vector<ColumnFacts> facts;
};

SmallTable MakeTable(const std::vector<std::pair<std::string, Made>>& columns, int num_rows = 100) {
  SmallTable made;
  for (const auto& [name, value] : columns) {
    SampledColumn& column = made.table.columns.emplace_back(SampledColumn{name, {}});
    for (int row = 0; row < num_rows; ++row) column.values.push_back(value(row));
    made.facts.push_back(FactsOf(column, {}));
  }
  made.table.num_rows = num_rows;
  made.table.whole = true;
  return made;
}

std::string Flat(std::string text) {
  std::ranges::replace(text, kBreak, ' ');
  return text;
}

std::string Day(int row) {
  return fmt::format("2024-{:02}-{:02}", 1 + row / 28 % 12, 1 + row % 28);
}
std::string Noise(int row) { return fmt::format("{}", (row * 7919) % 1013 / 8.0); }
std::string Two(int row) { return row % 3 == 0 ? "yes" : "no"; }

std::string TimeOf(const SmallTable& table) {
  const auto choice = ChooseTime(table.table, table.facts, std::nullopt);
  return choice->is_known ? Flat(choice->guess.value) : "none";
}

TEST(TimeChoice, FindsTimesHoweverTheyAreWritten) {
  EXPECT_EQ(TimeOf(MakeTable({{"a", Noise}, {"day", Day}})), "{column: day}");
  EXPECT_EQ(
      TimeOf(MakeTable({{"t", [](int row) { return fmt::format("{}", 1700000000 + row * 60); }}})),
      "{column: t, format: unix}");
  EXPECT_EQ(TimeOf(MakeTable(
                {{"x", [](int row) { return fmt::format("{}000", 1700000000 + row * 60); }}})),
            "{column: x, format: unix_ms}");
  EXPECT_EQ(TimeOf(MakeTable({{"d",
                               [](int row) {
                                 return fmt::format("{:02}.{:02}.2024", 1 + row % 28, 1 + row % 12);
                               }}})),
            "{column: d, format: \"%d.%m.%Y\"}");
}

TEST(TimeChoice, JoinsColumnsThatAreATimeTogether) {
  const auto year = [](int row) { return fmt::format("{}", 2000 + row / 100); };
  const auto month = [](int row) { return fmt::format("{}", 1 + row % 12); };
  const auto day = [](int row) { return fmt::format("{}", 1 + row % 28); };
  EXPECT_EQ(TimeOf(MakeTable({{"Year", year}, {"Month", month}, {"Day", day}, {"a", Noise}}, 300)),
            "{columns: [Year, Month, Day], format: \"%Y %m %d\"}");
  const auto clock = [](int row) { return fmt::format("{:02}:{:02}", row % 24, row % 60); };
  EXPECT_EQ(TimeOf(MakeTable({{"date", Day}, {"clock", clock}})),
            "{columns: [date, clock], format: \"%Y-%m-%d %H:%M\"}");
}

TEST(TimeChoice, AnAmountBesideADateIsNotItsClock) {
  const auto amount = [](int row) { return fmt::format("{}.{}", row % 24, row % 60); };
  EXPECT_EQ(TimeOf(MakeTable({{"date", Day}, {"amount", amount}})), "{column: date}");
}

TEST(TimeChoice, OtherNumbersAndTextsAreNotTakenForTimes) {
  EXPECT_EQ(TimeOf(MakeTable({{"a", Noise}, {"b", Two}})), "none");
  EXPECT_EQ(
      TimeOf(MakeTable(
          {{"amount", [](int row) { return fmt::format("{}", 1700000000 - row * 977 % 5000); }}})),
      "none");
  EXPECT_EQ(
      TimeOf(MakeTable({{"zip", [](int row) { return fmt::format("{}", 8000 + row * 7 % 500); }}})),
      "none");
}

TEST(TimeChoice, DayAndMonthThatCannotBeToldApartAreAQuestion) {
  const SmallTable table = MakeTable(
      {{"d", [](int row) { return fmt::format("{:02}/{:02}/2024", 1 + row % 12, 1 + row % 11); }}});
  const auto choice = ChooseTime(table.table, table.facts, std::nullopt);
  EXPECT_THAT(choice->guess.unknown, HasSubstr("the day or the month first"));
  EXPECT_THAT(Flat(choice->guess.others.front().line), HasSubstr("%m/%d/%Y"));
}

TEST(TimeChoice, TheFormatThatReadsTheMostWins) {
  // The first days of a month can be read both ways; the last rows tell.
  const SmallTable table =
      MakeTable({{"d",
                  [](int row) {
                    const int day = row < 990 ? 1 + row / 83 : 13;
                    return fmt::format("01/{:02}/2026 {:02}:{:02}", day, row % 24, row % 60);
                  }},
                 {"x", Noise}},
                1000);
  EXPECT_EQ(TimeOf(table), "{column: d, format: \"%m/%d/%Y %H:%M\"}");
  const auto choice = ChooseTime(table.table, table.facts, std::nullopt);
  EXPECT_THAT(choice->guess.unknown, IsEmpty());
  // The other way round, with the clock in its own column.
  const auto date = [](int row) {
    return fmt::format("{:02}/01/2026", row < 990 ? 1 + row / 83 : 13);
  };
  const auto clock = [](int row) { return fmt::format("{:02}:{:02}", row % 24, row % 60); };
  EXPECT_EQ(TimeOf(MakeTable({{"d", date}, {"clock", clock}}, 1000)),
            "{columns: [d, clock], format: \"%d/%m/%Y %H:%M\"}");
}

TEST(TimeChoice, OfTwoOrdersThatReadAllTheOneThatRisesIsTakenAndAsked) {
  const SmallTable table = MakeTable(
      {{"d", [](int row) { return fmt::format("{:02}/{:02}/2024", 1 + row / 12, 1 + row % 12); }}},
      96);
  const auto choice = ChooseTime(table.table, table.facts, std::nullopt);
  EXPECT_EQ(Flat(choice->guess.value), "{column: d, format: \"%m/%d/%Y\"}");
  EXPECT_THAT(choice->guess.unknown, HasSubstr("the times rise"));
}

TEST(TimeChoice, ADateAndItsHourAreATimeTogether) {
  const auto day = [](int row) {
    return fmt::format("{:02}/{:02}/2023", 1 + row / 24 % 28, 1 + row / 672);
  };
  const auto hour = [](int row) { return fmt::format("{}", row % 24); };
  EXPECT_EQ(TimeOf(MakeTable({{"Date", day}, {"n", Noise}, {"Hour", hour}}, 1000)),
            "{columns: [Date, Hour], format: \"%d/%m/%Y %H\"}");
  EXPECT_EQ(TimeOf(MakeTable({{"date", Day}, {"Stunde", hour}}, 1000)),
            "{columns: [date, Stunde], format: \"%Y-%m-%d %H\"}");
  const auto minute = [](int row) { return fmt::format("{}", row % 60); };
  EXPECT_EQ(TimeOf(MakeTable({{"date", Day}, {"hour", hour}, {"minute", minute}}, 1000)),
            "{columns: [date, hour, minute], format: \"%Y-%m-%d %H %M\"}");
  // A small number is not an hour.
  const auto few = [](int row) { return fmt::format("{}", row * 7 % 5); };
  EXPECT_EQ(TimeOf(MakeTable({{"date", Day}, {"few", few}}, 1000)), "{column: date}");
}

TEST(TimeChoice, TimesInTwoNotationsAreReadByAnExpression) {
  const auto mixed = [](int row) {
    return row % 3 == 0 ? fmt::format("{:02}.03.2024", 1 + row % 28)
                        : fmt::format("2024-03-{:02}", 1 + row % 28);
  };
  EXPECT_EQ(TimeOf(MakeTable({{"when", mixed}, {"x", Noise}})),
            "{expression: \"coalesce(time(text(\\\"when\\\")), time(\\\"when\\\", '%d.%m.%Y'))\"}");
}

TEST(TimeChoice, AWishThatNamesNoTimeListsTheColumns) {
  const SmallTable table = MakeTable({{"a", Noise}, {"day", Day}});
  EXPECT_THAT(
      ChooseTime(table.table, table.facts, "when").status(),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("the columns are 'a' and 'day'")));
  EXPECT_THAT(ChooseTime(table.table, table.facts, "a").status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("does not hold times")));
}

absl::StatusOr<LabelChoice> LabelOf(const SmallTable& table, const LabelWishes& wishes = {}) {
  return ChooseLabel(table.table, table.facts, {}, wishes);
}

TEST(LabelChoice, ANameSaysWhichColumnItIs) {
  const SmallTable table = MakeTable({{"target", Two}, {"a", Noise}, {"b", Two}});
  const auto choice = LabelOf(table);
  EXPECT_EQ(Flat(choice->guess.value), "{column: target, classes: [\"no\", \"yes\"]}");
  EXPECT_THAT(choice->guess.unknown, IsEmpty());
  EXPECT_THAT(choice->classes, ElementsAre("no", "yes"));
  EXPECT_EQ(choice->rarest, 34);
}

TEST(LabelChoice, WithoutANameTheLastColumnIsAGuessWithOthersBesideIt) {
  const auto choice = LabelOf(MakeTable(
      {{"a", Two}, {"b", Noise}, {"c", [](int row) { return fmt::format("id{}", row); }}}));
  EXPECT_EQ(Flat(choice->guess.value), "{column: b, kind: real}");
  EXPECT_EQ(choice->task, Task::kRegression);
  EXPECT_THAT(choice->guess.unknown, HasSubstr("--label COLUMN"));
  ASSERT_EQ(choice->guess.others.size(), 1);
  EXPECT_THAT(Flat(choice->guess.others[0].line), HasSubstr("label: {column: a"));
  const auto with_blank = LabelOf(MakeTable({{"a (cm)", Two}, {"b", Noise}}));
  ASSERT_EQ(with_blank->guess.others.size(), 1);
  EXPECT_EQ(with_blank->guess.others[0].reason, "with --label 'a (cm)': 2 classes");
}

TEST(LabelChoice, FewWholeNumbersAreClassesAndMaybeAmounts) {
  const SmallTable table =
      MakeTable({{"a", Noise}, {"rating", [](int row) { return fmt::format("{}", 1 + row % 5); }}});
  const auto choice = LabelOf(table);
  EXPECT_EQ(choice->task, Task::kClassification);
  EXPECT_THAT(choice->classes, ElementsAre("1", "2", "3", "4", "5"));
  EXPECT_THAT(choice->guess.unknown, HasSubstr("--task regression"));
  EXPECT_EQ(LabelOf(table, {.task = Task::kRegression})->guess.value,
            "{column: rating,\vkind: real}");
}

TEST(LabelChoice, EachColumnThatMayBeTheLabelIsListedWithWhatSpeaksForIt) {
  const auto choice = LabelOf(MakeTable(
      {{"a", Two}, {"churned", Two}, {"b (cm)", Noise}, {"c", Noise}, {"d", Noise}, {"e", Two}}));
  std::vector<std::string> reasons;
  for (const OtherChoice& other : choice->guess.others) reasons.push_back(other.reason);
  EXPECT_THAT(choice->guess.value, HasSubstr("churned"));
  EXPECT_THAT(reasons, ElementsAre("with --label e: the last column; 2 classes",
                                   HasSubstr("with --label d: numbers from 0 to"),
                                   HasSubstr("with --label c:"), HasSubstr("--label 'b (cm)': "),
                                   "with --label a: 2 classes"));
}

TEST(LabelChoice, WhatNamesTheFileIsTheLabelOnlyIfItsNameSaysSo) {
  SmallTable table =
      MakeTable({{"x", Noise}, {"station", [](int row) { return fmt::format("S{}", row / 20); }}});
  table.table.parts = {{0, 0}, {20, 1}, {40, 2}, {60, 3}, {80, 4}};
  for (size_t column = 0; column < 2; ++column) {
    table.facts[column] = FactsOf(table.table.columns[column], {}, table.table.parts);
  }
  EXPECT_THAT(LabelOf(table)->guess.value, HasSubstr("column: x"));
  const auto asked = LabelOf(table, {.column = "station"});
  EXPECT_EQ(asked->classes.size(), 5);
  EXPECT_THAT(asked->guess.unknown, HasSubstr("in all records of a file"));
  table.facts[1].name = "class";
  table.facts.push_back(FactsOf({"z", table.table.columns[0].values}, {}));
  EXPECT_THAT(LabelOf(table)->guess.value, HasSubstr("column: class"));
}

TEST(LabelChoice, WishesThatCannotBeAreErrors) {
  const SmallTable table = MakeTable({{"a", Noise}, {"b", Two}});
  EXPECT_THAT(
      LabelOf(table, {.column = "z"}).status(),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("the columns are 'a' and 'b'")));
  EXPECT_THAT(LabelOf(table, {.column = "b", .task = Task::kRegression}).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("holds texts")));
}

GraphChoice GraphOf(const SmallTable& table, size_t label, const TimeChoice& time = {}) {
  auto graph = ChooseGraph({.facts = table.facts, .taken = {label}, .time = time, .whole = true});
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.value_or(GraphChoice());
}

std::vector<std::string> Lines(const GraphChoice& graph) {
  std::vector<std::string> lines;
  for (const Guess& op : graph.ops) lines.push_back(op.key + ": " + Flat(op.value));
  return lines;
}

TEST(GraphChoice, NumbersAreStandardisedAndTextsBecomePlaces) {
  const SmallTable table =
      MakeTable({{"a", [](int row) { return row % 9 == 0 ? "?" : Noise(row); }},
                 {"b", Two},
                 {"id", [](int row) { return fmt::format("{}", row); }},
                 {"y", Two}});
  const GraphChoice graph = GraphOf(table, 3);
  EXPECT_THAT(
      Lines(graph),
      ElementsAre("parse_csv: {columns: [a], missing: [\"?\"]}", "fill_missing: {with: mean}",
                  "standardize: {columns: all}", "parse_csv: {columns: [b], dtype: string}",
                  "one_hot: {column: b, learn: 2}", "stack: {columns: all, into: input}",
                  "label: {into: target}"));
  EXPECT_THAT(graph.left_out, ElementsAre(HasSubstr("'id'")));
}

TEST(GraphChoice, AllOfSomeHundredCategoriesHaveAPlace) {
  const auto region = [](int row) { return fmt::format("r{}", row * 7 % 54); };
  const SmallTable regions = MakeTable({{"region", region}, {"y", Two}}, 540);
  EXPECT_THAT(Lines(GraphOf(regions, 1)), Contains("one_hot: {column: region, learn: 54}"));
  const auto street = [](int row) { return fmt::format("s{}", row * 7 % 400); };
  const SmallTable streets = MakeTable({{"street", street}, {"y", Two}}, 4000);
  EXPECT_THAT(Lines(GraphOf(streets, 1)), Contains("one_hot: {column: street, learn: 400}"));
  // A mark of a missing value is a text like others.
  const SmallTable marks = MakeTable(
      {{"k", [](int row) { return std::string(row % 3 == 0   ? "NA"
                                              : row % 3 == 1 ? "u"
                                                             : "v"); }},
       {"y", Two}});
  EXPECT_THAT(Lines(GraphOf(marks, 1)), Contains("one_hot: {column: k, learn: 3}"));
  const auto user = [](int row) { return fmt::format("u{}", row * 7 % 900); };
  const SmallTable users = MakeTable({{"u", user}, {"y", Two}}, 4000);
  const GraphChoice graph = GraphOf(users, 1);
  EXPECT_THAT(Lines(graph), Contains("hash_buckets: {column: u, buckets: 256}"));
  EXPECT_THAT(graph.ops[1].reason, HasSubstr("900 different texts share 256 places"));
}

TEST(GraphChoice, OfAPartThereIsRoomForMoreCategories) {
  const auto region = [](int row) { return fmt::format("r{}", row * 7 % 54); };
  const SmallTable regions = MakeTable({{"region", region}, {"y", Two}}, 540);
  const auto graph =
      ChooseGraph({.facts = regions.facts, .taken = {1}, .time = {}, .whole = false});
  EXPECT_THAT(Lines(*graph), Contains("one_hot: {column: region, learn: 67}"));
}

TEST(GraphChoice, WhatOnlyRisesIsLeftOutAndAsked) {
  const auto rising = [](int row) { return fmt::format("{}", row / 400.0 + row % 2 * 1e-4); };
  const auto falling = [](int row) { return fmt::format("{}", 9000 - row * 3); };
  const SmallTable table =
      MakeTable({{"date", rising}, {"left", falling}, {"a", Noise}, {"y", Two}});
  const GraphChoice graph = GraphOf(table, 3);
  EXPECT_THAT(graph.left_out,
              ElementsAre(HasSubstr("'date': it only rises"), HasSubstr("'left': it only falls")));
  EXPECT_THAT(graph.unknown, ElementsAre(HasSubstr("whether 'date' and 'left' say anything")));
  EXPECT_THAT(Lines(graph).front(), HasSubstr("[a]"));
  // Beside nothing else it is taken.
  const SmallTable alone = MakeTable({{"date", rising}, {"y", Two}});
  EXPECT_THAT(Lines(GraphOf(alone, 1)).front(), HasSubstr("[date]"));
}

TEST(GraphChoice, TheTimeOfYearIsForTrainingsOverWholeYears) {
  const SmallTable table = MakeTable({{"a", Noise}, {"y", Two}});
  const auto lines = [&](int64_t days) {
    const TimeChoice time = {.is_known = true, .first = {0}, .last = {days * 86'400'000'000}};
    return Lines(GraphOf(table, 1, time));
  };
  EXPECT_THAT(lines(700), Contains("time_features: {parts: [weekday], cyclic: true}"));
  EXPECT_THAT(lines(4000),
              Contains("time_features: {parts: [weekday, year_fraction], cyclic: true}"));
}

TEST(GraphChoice, UsersAndItemsGetAnEmbeddingEach) {
  const auto user = [](int row) { return fmt::format("{}", 10000 + row * 7919 % 307); };
  const auto movie = [](int row) { return fmt::format("{:07}", row * 104729 % 211); };
  const SmallTable table = MakeTable({{"user_id", user}, {"imdb_id", movie}, {"liked", Two}}, 4000);
  const GraphChoice graph = GraphOf(table, 2);
  EXPECT_THAT(Lines(graph),
              ElementsAre("parse_csv: {columns: [user_id, imdb_id], dtype: string}",
                          "hash_buckets: {column: user_id, buckets: 2048}",
                          "hash_buckets: {column: imdb_id, buckets: 1024}",
                          "stack: {columns: [user_id, imdb_id], into: input}",
                          "cast: {columns: [input], dtype: int64}", "label: {into: target}"));
  EXPECT_THAT(graph.categories, ElementsAre(2048, 1024));
  EXPECT_FALSE(graph.has_numbers);
  // Beside numbers.
  const SmallTable beside =
      MakeTable({{"user_id", user}, {"product", movie}, {"price", Noise}, {"clicked", Two}}, 4000);
  const GraphChoice both = GraphOf(beside, 3);
  EXPECT_TRUE(both.has_numbers);
  EXPECT_THAT(Lines(both),
              Contains("stack: {columns: [user_id, product], into: input_categories}"));
  const std::vector<Guess> sections = ChooseTraining(
      {.num_samples = 4000, .num_classes = 2, .categories = both.categories, .has_numbers = true},
      Recipe());
  EXPECT_THAT(sections[0].value, HasSubstr("factorization_machine, categories: [2048, 1024]"));
  EXPECT_THAT(sections[0].others.front().line, HasSubstr("dlrm"));
  EXPECT_THAT(sections[3].value, HasSubstr("optimizer: {type: adagrad, lr: 0.05}"));
  EXPECT_THAT(sections[4].value, HasSubstr("measures: [roc_auc, "));
  // A customer alone is a category among others.
  EXPECT_THAT(
      GraphOf(MakeTable({{"user_id", user}, {"price", Noise}, {"y", Two}}, 4000), 2).categories,
      IsEmpty());
}

TEST(GraphChoice, ANumberThatRisesButForAFewStepsIsLeftOut) {
  const auto second = [](int row) {
    return fmt::format("2024-01-01T{:02}:{:02}:{:02}Z", row / 3600, row / 60 % 60, row % 60);
  };
  const auto trend = [](int row) { return fmt::format("{}", 0.01 * row - (row >= 500 ? 0.3 : 0)); };
  const auto clock = [](int row) { return fmt::format("{}", row % 900 / 8.0); };
  const SmallTable table =
      MakeTable({{"t", second}, {"day", trend}, {"clock", clock}, {"x", Noise}, {"y", Two}}, 2000);
  const auto time = ChooseTime(table.table, table.facts, std::nullopt);
  auto graph = ChooseGraph(
      {.facts = table.facts, .taken = {0, 4}, .time = *time, .json = false, .whole = true});
  ASSERT_TRUE(graph.ok());
  EXPECT_THAT(Lines(*graph)[0], HasSubstr("columns: [clock, x]"));
  EXPECT_THAT(graph->left_out, Contains(HasSubstr("'day'")));
}

TEST(GraphChoice, ATextAloneIsReadAsWords) {
  const SmallTable table = MakeTable(
      {{"text", [](int row) { return fmt::format("the tide number {} rises", row); }}, {"y", Two}});
  const GraphChoice graph = GraphOf(table, 1);
  EXPECT_GT(graph.vocabulary, 0);
  EXPECT_THAT(Lines(graph)[1], HasSubstr("hash_tokens: {column: text"));
}

TEST(GraphChoice, AMarkForMissingNumbersIsAQuestion) {
  const SmallTable table =
      MakeTable({{"a", [](int row) { return row % 9 == 0 ? "-999" : Noise(row); }}, {"y", Two}});
  EXPECT_THAT(GraphOf(table, 1).unknown, ElementsAre(HasSubstr("-999")));
}

TEST(GraphChoice, NothingToLearnFromIsAnError) {
  const SmallTable table =
      MakeTable({{"id", [](int row) { return fmt::format("{}", row); }}, {"y", Two}});
  EXPECT_THAT(ChooseGraph({.facts = table.facts, .taken = {1}, .time = {}}).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("'id'")));
}

TEST(RecordOrder, RecordsSortedByLabelAreMixed) {
  const SeenData data{.paths = {"a.csv"}};
  const SmallTable sorted =
      MakeTable({{"a", Noise}, {"y", [](int row) { return row < 50 ? "u" : "v"; }}});
  EXPECT_THAT(OrderAsTime(data, sorted.table, *LabelOf(sorted)).value, HasSubstr("hash("));
  const SmallTable mixed = MakeTable({{"a", Noise}, {"y", Two}});
  const Guess guess = OrderAsTime(data, mixed.table, *LabelOf(mixed));
  EXPECT_THAT(guess.value, HasSubstr("row:"));
  EXPECT_THAT(guess.unknown, Not(IsEmpty()));
}

}  // namespace
}  // namespace tidemill::cli

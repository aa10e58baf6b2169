// One condition chooses the same records wherever it is written: in `datasets records --where` and
// `datasets delete --where`, in `where` of a dataset, and in a slice of an evaluation. The
// conditions are generated, and each is also computed here from what the records mean.
// TIDEMILL_CONDITIONS=2000 tries as many for each of the two formats.
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "base/time.h"
#include "evaluator/windows/slice_columns.h"
#include "samples/dataset_schema.h"
#include "storage/read/record_list.h"
#include "storage/read/sample_block_reader.h"
#include "storage/testing/ingest_fixture.h"

namespace tidemill::storage {
namespace {

using expressions::Truth;
using testing::IngestTest;
using tidemill::testing::IsOk;

constexpr size_t kNumRows = 96;
constexpr int64_t kMicrosPerMinute = 60'000'000;
constexpr int64_t kMinutesBetween = 97;
constexpr int64_t kFirstMinute = 29'459'520;  // 2026-01-05 00:00 UTC.
constexpr int64_t kMinutesToUtc = 300;        // From New York in winter.

int NumConditions() {
  const char* const number = std::getenv("TIDEMILL_CONDITIONS");
  return number == nullptr ? 60 : std::atoi(number);
}

// What a record says. A field without a value is written in one of several ways.
struct Row {
  std::optional<double> amount;
  std::optional<int64_t> count;
  bool count_is_text = false;
  std::optional<std::string> name;  // "NA" is a name, too, but one that says that it is missing.
  std::optional<bool> flag;
  std::optional<double> weight;  // In kilograms.
  int64_t local_minute = 0;      // In New York, since 1970.

  int64_t utc_minute() const { return local_minute + kMinutesToUtc; }
};

using Random = std::mt19937;

int Draw(Random& random, int below) {
  return static_cast<int>(random() % static_cast<unsigned>(below));
}

template <typename T>
const T& OneOf(Random& random, const std::vector<T>& all) {
  return all[static_cast<size_t>(Draw(random, static_cast<int>(all.size())))];
}

const std::vector<std::string> kNames = {"anna",        "O'Neill", "a;b, c",
                                         "says \"no\"", "NA",      "Zo\xc3\xab"};

std::vector<Row> MakeRows(Random& random) {
  std::vector<Row> rows(kNumRows);
  for (size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows[i];
    if (Draw(random, 4) != 0) row.amount = (Draw(random, 800) - 200) * 0.25;
    row.count_is_text = i % 32 == 31;
    if (!row.count_is_text && Draw(random, 6) != 0) row.count = Draw(random, 9);
    if (Draw(random, 5) != 0) row.name = OneOf(random, kNames);
    if (Draw(random, 5) != 0) row.flag = Draw(random, 2) == 1;
    if (Draw(random, 5) != 0) row.weight = Draw(random, 80) * 0.5;
    row.local_minute = kFirstMinute + static_cast<int64_t>(i) * kMinutesBetween;
  }
  return rows;
}

std::string CsvField(const std::string& text) {
  if (text.find_first_of(";\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string LocalTime(int64_t minute) {
  const std::string text = FormatTimestamp({minute * kMicrosPerMinute});  // 2026-01-05T00:00:00Z
  return fmt::format("{}.{}.{} {}", text.substr(8, 2), text.substr(5, 2), text.substr(0, 4),
                     text.substr(11, 5));
}

std::string WithComma(double number) {
  std::string text = fmt::format("{:.2f}", number);
  text.replace(text.find('.'), 1, ",");
  return text;
}

std::string CsvOf(const std::vector<Row>& rows, Random& random) {
  const std::vector<std::string> absent = {"", "NA", "n/a", " NaN ", "  "};
  std::string text = "t;amount;count;name;flag;weight;y\n";
  for (const Row& row : rows) {
    const std::string amount = row.amount ? WithComma(*row.amount) : OneOf(random, absent);
    text += fmt::format("{};{};{};{};{};{};1\n", LocalTime(row.local_minute), amount,
                        row.count_is_text ? "many"
                        : row.count       ? std::to_string(*row.count)
                                          : OneOf(random, absent),
                        CsvField(row.name.value_or("")),
                        row.flag ? (*row.flag ? "TRUE" : "0") : OneOf(random, absent),
                        row.weight ? WithComma(*row.weight) + " kg" : OneOf(random, absent));
  }
  return text;
}

std::string JsonText(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
  return quoted + "\"";
}

std::string JsonOf(const std::vector<Row>& rows, Random& random) {
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("{{\"t\": {}, \"y\": 1", row.utc_minute() * 60);
    const auto add = [&](const char* name, const std::optional<std::string>& value) {
      const std::vector<std::string> absent = {"", "null", "\"NA\"", "\"\""};
      const std::string& written = value ? *value : OneOf(random, absent);
      if (!written.empty()) text += fmt::format(", \"{}\": {}", name, written);
    };
    add("amount", row.amount ? std::optional(fmt::format("{}", *row.amount)) : std::nullopt);
    add("count", row.count_is_text ? std::optional<std::string>("\"many\"")
                 : row.count       ? std::optional(std::to_string(*row.count))
                                   : std::nullopt);
    if (row.name) add("name", JsonText(*row.name));
    add("flag", row.flag ? std::optional<std::string>(*row.flag ? "true" : "\"0\"") : std::nullopt);
    add("weight", row.weight ? std::optional(fmt::format("\"{} kg\"", *row.weight)) : std::nullopt);
    text += "}\n";
  }
  return text;
}

// A condition, and what it means.
struct Condition {
  std::string text;
  std::function<Truth(const Row&)> meaning;
  bool reads_count = false;
};

Truth Of(bool truth) { return truth ? Truth::kTrue : Truth::kFalse; }

Truth Not(Truth truth) { return truth == Truth::kNull ? truth : Of(truth == Truth::kFalse); }

template <typename T>
Truth Compared(const std::optional<T>& a, const std::string& sign, const T& b) {
  if (!a) return Truth::kNull;
  if (sign == "=") return Of(*a == b);
  if (sign == "!=") return Of(*a != b);
  if (sign == "<") return Of(*a < b);
  if (sign == "<=") return Of(*a <= b);
  if (sign == ">") return Of(*a > b);
  return Of(*a >= b);
}

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

// Generates conditions.
class Conditions {
 public:
  explicit Conditions(Random& random) : random_(random) {}

  Condition Make(int depth = 0) {
    const int kind = depth < 3 ? Draw(random_, 4) : 3;
    if (kind == 0) {
      Condition inner = Make(depth + 1);
      return {fmt::format("not ({})", inner.text),
              [m = inner.meaning](const Row& row) { return Not(m(row)); }, inner.reads_count};
    }
    if (kind == 3) return Atom();
    const Condition a = Make(depth + 1);
    const Condition b = Make(depth + 1);
    const bool is_and = kind == 1;
    return {fmt::format("({}) {} ({})", a.text, is_and ? "and" : "or", b.text),
            [is_and, left = a.meaning, right = b.meaning](const Row& row) {
              return is_and ? std::min(left(row), right(row)) : std::max(left(row), right(row));
            },
            a.reads_count || b.reads_count};
  }

 private:
  std::string Sign() { return OneOf<std::string>(random_, {"=", "!=", "<", "<=", ">", ">="}); }

  Condition Atom() {
    switch (Draw(random_, 9)) {
      case 0:
        return OfAmount();
      case 1:
        return OfCount();
      case 2:
        return OfName();
      case 3:
        return OfNull();
      case 4:
        return OfTime();
      case 5:
        return OfZone();
      case 6:
        return {"flag = true", [](const Row& row) { return Compared(row.flag, "=", true); }};
      case 7:
        return OfUnit();
      default:
        return OfQuotient();
    }
  }

  Condition OfAmount() {
    const double bound = (Draw(random_, 800) - 200) * 0.25;
    const std::string sign = Sign();
    if (Draw(random_, 3) == 0) {
      return {fmt::format("coalesce(amount, 0) {} {}", sign, bound), [=](const Row& row) {
                return Compared(std::optional(row.amount.value_or(0)), sign, bound);
              }};
    }
    return {fmt::format("amount {} {}", sign, bound),
            [=](const Row& row) { return Compared(row.amount, sign, bound); }};
  }

  Condition OfCount() {
    const int64_t low = Draw(random_, 9);
    const int64_t high = low + Draw(random_, 4);
    if (Draw(random_, 2) == 0) {
      return {fmt::format("count in ({}, {})", low, high),
              [=](const Row& row) {
                return std::max(Compared(row.count, "=", low), Compared(row.count, "=", high));
              },
              /*reads_count=*/true};
    }
    return {fmt::format("count between {} and {}", low, high),
            [=](const Row& row) {
              return std::min(Compared(row.count, ">=", low), Compared(row.count, "<=", high));
            },
            /*reads_count=*/true};
  }

  Condition OfName() {
    const std::string name = OneOf(random_, kNames);
    const std::string other = OneOf(random_, kNames);
    const std::string sign = Sign();
    if (Draw(random_, 3) == 0) {
      return {fmt::format("name in ({}, {})", Quoted(name), Quoted(other)), [=](const Row& row) {
                return std::max(Compared(row.name, "=", name), Compared(row.name, "=", other));
              }};
    }
    return {fmt::format("name {} {}", sign, Quoted(name)),
            [=](const Row& row) { return Compared(row.name, sign, name); }};
  }

  Condition OfNull() {
    static const std::map<std::string, std::function<bool(const Row&)>> kIsNull = {
        {"amount", [](const Row& row) { return !row.amount; }},
        {"number(amount)", [](const Row& row) { return !row.amount; }},
        {"flag", [](const Row& row) { return !row.flag; }},
        {"weight", [](const Row& row) { return !row.weight; }},
        {"name", [](const Row& row) { return !row.name || *row.name == "NA"; }},
        {"text(name)", [](const Row& row) { return !row.name; }},
        {"coalesce(amount, count)",
         [](const Row& row) { return !row.amount && !row.count && !row.count_is_text; }}};
    const auto asked = std::next(kIsNull.begin(), Draw(random_, static_cast<int>(kIsNull.size())));
    const bool is_null = Draw(random_, 2) == 0;
    return {
        fmt::format("{} is {}", asked->first, is_null ? "null" : "not null"),
        [is_null, &found = asked->second](const Row& row) { return Of(found(row) == is_null); }};
  }

  Condition OfTime() {
    const int64_t minute = kFirstMinute + Draw(random_, kNumRows) * kMinutesBetween + kMinutesToUtc;
    const std::string sign = Sign();
    const std::string column = Draw(random_, 2) == 0 ? "@time" : "time(t)";
    return {
        fmt::format("{} {} '{}'", column, sign, FormatTimestamp({minute * kMicrosPerMinute})),
        [=](const Row& row) { return Compared(std::optional(row.utc_minute()), sign, minute); }};
  }

  Condition OfZone() {
    const int64_t hour = Draw(random_, 24);
    const std::string column = Draw(random_, 2) == 0 ? "@time" : "t";
    return {fmt::format("hour({}, 'America/New_York') >= {}", column, hour),
            [=](const Row& row) { return Of(row.local_minute / 60 % 24 >= hour); }};
  }

  Condition OfUnit() {
    const double bound = Draw(random_, 80) * 0.5;
    const std::string sign = Sign();
    return {fmt::format("number(split(weight, ' ')[0]) {} {}", sign, bound),
            [=](const Row& row) { return Compared(row.weight, sign, bound); }};
  }

  Condition OfQuotient() {
    const double bound = Draw(random_, 40);
    return {fmt::format("amount / count > {}", bound),
            [=](const Row& row) {
              if (!row.amount || !row.count || *row.count == 0) return Truth::kNull;
              return Of(*row.amount / static_cast<double>(*row.count) > bound);
            },
            /*reads_count=*/true};
  }

  Random& random_;
};

class SameConditionsTest : public IngestTest {
 protected:
  static constexpr char kLabel[] = "\nlabel: {column: y}\nmax_bad_fraction: 1\n";

  void Try(const std::vector<Row>& rows, const std::string& spec, Random& random) {
    const DatasetId id = Register(spec);
    Sync(id);
    SampleIndex indexes(stack_->database(), stack_->catalog(), stack_->cache());
    ASSERT_EQ(Listed(indexes, id, "").size(), rows.size());
    Conditions conditions(random);
    int64_t num_matches = 0;
    for (int i = 0; i < NumConditions(); ++i) {
      const Condition condition = conditions.Make();
      SCOPED_TRACE(condition.text);
      std::set<size_t> meant;
      std::set<size_t> meant_or_bad;
      for (size_t row = 0; row < rows.size(); ++row) {
        if (condition.meaning(rows[row]) != Truth::kTrue) continue;
        meant.insert(row);
        // A field that is not a number makes a bad record where the dataset's `where` needs it.
        if (!condition.reads_count || !rows[row].count_is_text) meant_or_bad.insert(row);
      }
      EXPECT_EQ(Listed(indexes, id, condition.text), meant);
      EXPECT_EQ(Sliced(indexes, id, condition.text), meant);
      EXPECT_EQ(Ingested(spec, condition.text), meant_or_bad);
      num_matches += std::ssize(meant);
      if (HasFailure()) return;
    }
    // They are conditions that some records satisfy.
    EXPECT_GT(num_matches, NumConditions());
  }

  std::set<size_t> Listed(SampleIndex& indexes, DatasetId id, const std::string& condition) {
    v1::ListRecordsRequest request;
    request.set_dataset_id(id.value);
    request.set_condition(condition);
    std::set<size_t> found;
    const RecordList list(stack_->catalog(), indexes, stack_->cache(), int64_t{1} << 12);
    EXPECT_THAT(list.Send(request,
                          [&](const v1::ListRecordsResponse& message) {
                            for (const auto& record : message.records()) {
                              found.insert(static_cast<size_t>(record.position()));
                            }
                            return absl::OkStatus();
                          }),
                IsOk());
    return found;
  }

  // The rows are numbered by their times.
  std::set<size_t> Sliced(SampleIndex& indexes, DatasetId id, const std::string& condition) {
    const auto index = indexes.Refresh(id);
    EXPECT_THAT(index, IsOk());
    const DatasetSpec& spec = (*index)->spec();
    const std::vector<evaluator::SliceSpec> slices = {
        evaluator::ExpressionSlices{.value = condition, .name = "c"}};
    auto columns = evaluator::SliceColumns::Make(slices, samples::SchemaOf(spec), &spec);
    EXPECT_THAT(columns, IsOk());
    if (!columns.ok()) return {};
    std::vector<int64_t> keys;
    for (int64_t row = 0; row < (*index)->num_rows(); ++row) {
      keys.push_back((*index)->LocationOf(row).key());
    }
    OpenFiles files(stack_->cache(), 4);
    SampleBlockReader reader(indexes, *index, files, keys);
    std::set<size_t> found;
    while (true) {
      const auto block = reader.Next(int64_t{1} << 12);
      EXPECT_THAT(block, IsOk());
      if (!block.ok() || !block->has_value()) return found;
      const auto numbers = columns->Read((*block)->batch);
      EXPECT_THAT(numbers, IsOk());
      const auto times = (*block)->batch.Find(batch::kEventTimeColumn)->Values<int64_t>();
      for (size_t i = 0; i < times.size(); ++i) {
        if (columns->Label(0, numbers->at(0)[i]) != "c=true") continue;
        const int64_t minute = times[i] / kMicrosPerMinute - kMinutesToUtc - kFirstMinute;
        found.insert(static_cast<size_t>(minute / kMinutesBetween));
      }
    }
  }

  std::set<size_t> Ingested(const std::string& spec, const std::string& condition) {
    std::string quoted = "'";
    for (const char c : condition) quoted += c == '\'' ? std::string("''") : std::string(1, c);
    const auto registered =
        stack_->catalog().Register("", "filtered", spec + "where: " + quoted + "'\n", {});
    EXPECT_THAT(registered, IsOk());
    if (!registered.ok()) return {};
    Sync(registered->id);
    std::set<size_t> found;
    for (const auto& row : Query(fmt::format(
             "SELECT position FROM storage.samples WHERE dataset_id = {}", registered->id.value))) {
      found.insert(std::stoul(row[0]));
    }
    EXPECT_THAT(stack_->catalog().Delete("", "filtered", {}), IsOk());
    return found;
  }
};

TEST_F(SameConditionsTest, ChooseTheSameRowsOfCsvWithDecimalCommasUnitsAndZones) {
  Random random(20260105);
  const std::vector<Row> rows = MakeRows(random);
  data_.Write("a.csv", CsvOf(rows, random));
  Try(rows,
      "path: " + data_.path() +
          "\nfiles: \"*.csv\"\nformat: {type: csv, delimiter: \";\", decimal: \",\"}\n"
          "event_time: {column: t, format: \"%d.%m.%Y %H:%M\", time_zone: America/New_York}" +
          kLabel,
      random);
}

TEST_F(SameConditionsTest, ChooseTheSameJsonLinesWithNullsAndAbsentFields) {
  Random random(20260106);
  const std::vector<Row> rows = MakeRows(random);
  data_.Write("a.jsonl", JsonOf(rows, random));
  Try(rows,
      "path: " + data_.path() +
          "\nfiles: \"*.jsonl\"\nformat: jsonl\nevent_time: {column: t, format: unix}" + kLabel,
      random);
}

}  // namespace
}  // namespace tidemill::storage

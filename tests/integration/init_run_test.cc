// Data as users have them: `tidemill init` writes a pipeline for each, which then runs.
#include <png.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "base/time.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using ::testing::HasSubstr;

constexpr int kNumRows = 400;
constexpr int64_t kFirst = 1'700'000'000'000'000, kHour = 3'600'000'000;

// A record of which every input is made: the class is high when a + b is.
struct Record {
  int64_t time = 0;
  double a = 0;
  double b = 0;
  std::string town = {};
  bool high = false;
};

std::vector<Record> Records() {
  std::mt19937_64 random(5);
  const std::vector<std::string> towns = {"Bern", "Genf", "Chur"};
  std::vector<Record> records;
  for (int row = 0; row < kNumRows; ++row) {
    Record record{.time = kFirst + row * kHour};
    record.a = static_cast<double>(random() % 2000) / 8 - 100;
    record.b = static_cast<double>(random() % 1000) / 16;
    record.town = towns[random() % towns.size()];
    record.high = record.a + record.b > 30;
    records.push_back(record);
  }
  return records;
}

std::string WithComma(double number) {
  std::string text = fmt::format("{:.4f}", number);
  text[text.find('.')] = ',';
  return text;
}

// A table with a header; `line` makes the fields of a record.
void WriteTable(const std::string& path, const std::string& header,
                const std::function<std::string(const Record&, int row)>& line) {
  std::ofstream file(path);
  file << header;
  const std::vector<Record> records = Records();
  for (int row = 0; row < kNumRows; ++row) file << line(records[row], row) << '\n';
}

std::string Class(const Record& record) { return record.high ? "yes" : "no"; }

void WriteSemicolons(const std::string& folder) {
  WriteTable(folder + "/data.csv", "when;a;b;town;churned\n", [](const Record& record, int) {
    return fmt::format("{};{};{};{};{}", FormatTimestamp({record.time}), record.a, record.b,
                       record.town, Class(record));
  });
}

void WriteDecimalCommas(const std::string& folder) {
  WriteTable(folder + "/data.csv", "date;a;b;demand\n", [](const Record& record, int) {
    return fmt::format("{};{};{};{}", FormatTimestamp({record.time}).substr(0, 16),
                       WithComma(record.a), WithComma(record.b),
                       WithComma(3 * record.a - record.b));
  });
}

void WriteWithoutHeader(const std::string& folder) {
  WriteTable(folder + "/data.csv", "", [](const Record& record, int) {
    return fmt::format("{},{},{},{}", record.a, record.b, record.town, Class(record));
  });
}

void WriteDateInThreeColumns(const std::string& folder) {
  WriteTable(folder + "/data.csv", "year,month,day,a,b,price\n", [](const Record& record, int row) {
    const std::string date = FormatTimestamp({kFirst + row * 24 * kHour});
    return fmt::format("{},{},{},{},{},{:.3f}", date.substr(0, 4), std::stoi(date.substr(5, 2)),
                       std::stoi(date.substr(8, 2)), record.a, record.b, record.a * 2 + record.b);
  });
}

void WriteMilliseconds(const std::string& folder) {
  WriteTable(folder + "/data.csv", "ts,a,b,label\n", [](const Record& record, int) {
    return fmt::format("{},{},{},{}", record.time / 1000, record.a, record.b, record.high ? 1 : 0);
  });
}

void WriteTextLabel(const std::string& folder) {
  WriteTable(folder + "/data.csv", "id,time,species,a,b\n", [](const Record& record, int row) {
    const std::string species = record.high ? "Iris, virginica" : "Iris setosa";
    return fmt::format("{},{},\"{}\",{},{}", row + 1, FormatTimestamp({record.time}), species,
                       record.a, record.b);
  });
}

void WriteBlanks(const std::string& folder) {
  WriteTable(folder + "/data.csv", "time,a,b,town,target\n", [](const Record& record, int row) {
    const std::string a = row % 7 == 3 ? "" : fmt::format(" {} ", record.a);
    const std::string b = row % 11 == 5 ? "NA" : fmt::format("{}", record.b);
    return fmt::format("{},{},{},{},{}", FormatTimestamp({record.time}), a, b,
                       row % 13 == 0 ? "" : record.town, record.high ? 1 : 0);
  });
}

void WriteManyColumns(const std::string& folder) {
  std::string header = "time";
  for (int column = 1; column <= 198; ++column) header += fmt::format(",sensor_{}", column);
  WriteTable(folder + "/data.csv", header + ",outcome\n", [](const Record& record, int row) {
    std::string line = FormatTimestamp({record.time});
    for (int column = 1; column <= 198; ++column) {
      line += fmt::format(",{:.3f}", column == 7 ? record.a + record.b : std::sin(row * column));
    }
    return line + (record.high ? ",good" : ",bad");
  });
}

void WriteBrokenRows(const std::string& folder) {
  WriteTable(folder + "/data.csv", "time,a,b,class\n", [](const Record& record, int row) {
    if (row % 100 == 50) return fmt::format("{},broken", FormatTimestamp({record.time}));
    return fmt::format("{},{},{},{}", FormatTimestamp({record.time}), record.a, record.b,
                       Class(record));
  });
}

void WriteLatin1(const std::string& folder) {
  WriteTable(folder + "/data.csv",
             "zeit;gr\xf6\xdf"
             "e;h\xf6he;preis;schl\xfcssel\n",
             [](const Record& record, int row) {
               return fmt::format("{};{};{};{} \x80;{}", FormatTimestamp({record.time}), record.a,
                                  record.b, row % 9, record.high ? "gr\xfcn" : "wei\xdf");
             });
}

// An image of noise on a ground that its class tells: rows for one, columns for the other.
void WriteImage(const std::string& path, int height, int width, int channels, bool rows,
                uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint8_t> pixels;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool bright = (rows ? y * 6 / height : x * 6 / width) % 2 == 0;
      for (int channel = 0; channel < channels; ++channel) {
        pixels.push_back(static_cast<uint8_t>((bright ? 150 : 30) + random() % 60));
      }
    }
  }
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  ASSERT_NE(png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr), 0) << path;
  // The file is complete: nothing has to wait until it has not changed for a while.
  const auto written = std::filesystem::last_write_time(path);
  std::filesystem::last_write_time(path, written - std::chrono::hours(1));
}

void WriteGreyImages(const std::string& folder) {
  for (const bool rows : {false, true}) {
    const std::string to = folder + (rows ? "/data/rows" : "/data/columns");
    std::filesystem::create_directories(to);
    for (int image = 0; image < 60; ++image) {
      WriteImage(fmt::format("{}/{}.png", to, image), 24, 24, 1, rows, image);
    }
  }
}

// Photographs of all sizes, with dates in their names.
void WriteColouredImages(const std::string& folder) {
  for (const bool rows : {false, true}) {
    const std::string to = folder + (rows ? "/data/rows" : "/data/columns");
    std::filesystem::create_directories(to);
    for (int image = 0; image < 60; ++image) {
      const std::string date = FormatTimestamp({kFirst + image * 24 * kHour}).substr(0, 10);
      WriteImage(fmt::format("{}/{}_{}.png", to, date, image), 40 + image, 100 - image, 3, rows,
                 image);
    }
  }
}

void WriteJsonLines(const std::string& folder) {
  WriteTable(folder + "/data.jsonl", "", [](const Record& record, int row) {
    return fmt::format(R"({{"at": "{}", "a": {}, "b": {}, "town": "{}", "n": {}, "result": "{}"}})",
                       FormatTimestamp({record.time}), record.a, record.b, record.town,
                       row % 5 == 0 ? "null" : std::to_string(row % 5), Class(record));
  });
}

void WriteNestedJsonLines(const std::string& folder) {
  WriteTable(folder + "/data.jsonl", "", [](const Record& record, int row) {
    const std::string town = row % 6 == 0 ? "" : fmt::format(R"(, "town": "{}")", record.town);
    return fmt::format(
        R"({{"event": {{"time_ms": {}, "size": {{"a": {}, "b": {}}}{}}}, "tags": ["x", "y"], "score": {:.3f}}})",
        record.time / 1000, record.a, record.b, town, record.a - record.b);
  });
}

// The file without its line breaks, and without the signs of comments.
std::string InOneLine(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c == '#' || ((c == '\n' || c == ' ') && line.ends_with(' '))) continue;
    line += c == '\n' ? ' ' : c;
  }
  return line;
}

// The last value of a measure by the model in use.
double LastActive(const nlohmann::json& run, const std::string& measure) {
  double last = std::nan("");
  for (const nlohmann::json& value : run.at("composite").at("active")) {
    if (value.at("measure") == measure && value.at("value").is_number())
      last = value.at("value").get<double>();
  }
  return last;
}

struct Case {
  std::string name;
  void (*write)(const std::string& folder);
  std::string data;                       // What `init` gets, below the folder of the case.
  std::vector<std::string> more = {};     // Options of `init`.
  std::vector<std::string> in_file = {};  // What the pipeline says.
  std::string unknown = {};               // What `init` says on stderr.
  int exit_code = 0;                      // What the run exits with.
};

// Tables as users have them.
std::vector<Case> CsvCases() {
  return {
      {.name = "Semicolons",
       .write = WriteSemicolons,
       .data = "data.csv",
       .in_file = {"delimiter: \";\"", "event_time: {column: when}",
                   "label: {column: churned, classes: [\"no\", \"yes\"]}",
                   "one_hot: {column: town, learn: 3}", "loss: cross_entropy"}},
      {.name = "DecimalCommas",
       .write = WriteDecimalCommas,
       .data = "data.csv",
       .in_file = {"decimal: \",\"", "label: {column: demand, kind: real}",
                   "measures: [mae, rmse, r2]"}},
      {.name = "NoHeader",
       .write = WriteWithoutHeader,
       .data = "data.csv",
       .in_file = {"header: false", "columns: [c1, c2, c3, c4]",
                   "event_time: {row:", "label: {column: c4"},
       .unknown = "when the records happened"},
      {.name = "DateInThreeColumns",
       .write = WriteDateInThreeColumns,
       .data = "data.csv",
       .in_file = {"event_time: {columns: [year, month, day], format:",
                   "parse_csv: {columns: [a, b]}"}},
      {.name = "Milliseconds",
       .write = WriteMilliseconds,
       .data = "data.csv",
       .in_file = {"event_time: {column: ts, format: unix_ms}",
                   "label: {column: label, classes: ["}},
      {.name = "TextLabel",
       .write = WriteTextLabel,
       .data = "data.csv",
       .in_file = {"classes: [Iris setosa, \"Iris, virginica\"]",
                   "'id': it names or counts the records", "label: {column: species"}},
      {.name = "Blanks",
       .write = WriteBlanks,
       .data = "data.csv",
       .in_file = {"missing: [\"\", NA]", "fill_missing: {with: mean}"}},
      {.name = "ManyColumns",
       .write = WriteManyColumns,
       .data = "data.csv",
       .in_file = {"sensor_198]", "label: {column: outcome"}},
      {.name = "BrokenRows",
       .write = WriteBrokenRows,
       .data = "data.csv",
       .in_file = {"4 of 400 records have another number of fields and will be left out"},
       .exit_code = 8},
      {.name = "Latin1",
       .write = WriteLatin1,
       .data = "data.csv",
       .more = {"--convert"},
       .in_file = {"files: data.utf8.csv", "h\xc3\xb6he", "gr\xc3\xbcn"}},
  };
}

// Images in folders, and JSON Lines.
std::vector<Case> OtherCases() {
  return {
      {.name = "GreyImages",
       .write = WriteGreyImages,
       .data = "data",
       .in_file = {"label: {folder: true, classes: [columns, rows]}", "channels: 1",
                   "event_time: {path: \"*/%f.png\"}"},
       .unknown = "when the images were made"},
      {.name = "ColouredImages",
       .write = WriteColouredImages,
       .data = "data",
       .in_file = {"event_time: {path: \"*/%Y-%m-%d*\"}", "fit: stretch"}},
      {.name = "JsonLines",
       .write = WriteJsonLines,
       .data = "data.jsonl",
       .in_file = {"format: {type: jsonl}", "event_time: {column: at}",
                   "parse_json: {fields: [a, b, n], missing:"}},
      {.name = "NestedJsonLines",
       .write = WriteNestedJsonLines,
       .data = "data.jsonl",
       .in_file = {"column: event.time_ms, format: unix_ms", "event.size.a",
                   "label: {column: score, kind: real}"}},
  };
}

std::vector<Case> Cases() {
  std::vector<Case> cases = CsvCases();
  const std::vector<Case> others = OtherCases();
  cases.insert(cases.end(), others.begin(), others.end());
  return cases;
}

// One stack for all cases of the program.
class InitRunTest : public ::testing::TestWithParam<Case> {
 protected:
  static void SetUpTestSuite() {
    stack_ = std::make_unique<Stack>();
    ASSERT_EQ(stack_->Tidemill({"up"}).exit_code, 0) << stack_->Logs();
  }
  static void TearDownTestSuite() { stack_.reset(); }

  static std::unique_ptr<Stack> stack_;
};
std::unique_ptr<Stack> InitRunTest::stack_;

TEST_P(InitRunTest, WritesAPipelineThatIsValidAndRuns) {
  const Case& param = GetParam();
  const std::string folder = stack_->files() + "/" + param.name;
  std::filesystem::create_directory(folder);
  param.write(folder);
  const std::string pipeline = folder + "/pipeline.yaml";
  std::vector<std::string> words = {
      "init",   folder + "/" + param.data, "--quick", "--output", pipeline,
      "--name", "of_" + param.name};
  words.insert(words.end(), param.more.begin(), param.more.end());

  const CommandResult written = stack_->Tidemill(words);
  ASSERT_EQ(written.exit_code, 0) << written.err;
  std::ifstream file(pipeline);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const std::string& part : param.in_file) EXPECT_THAT(InOneLine(text), HasSubstr(part));
  EXPECT_THAT(written.err, HasSubstr(param.unknown));
  EXPECT_EQ(stack_->Tidemill({"check", pipeline}).exit_code, 0) << text;

  const CommandResult run = stack_->Tidemill({"run", pipeline, "--json"});
  ASSERT_EQ(run.exit_code, param.exit_code) << run.err << text << stack_->Logs();
  const nlohmann::json json = run.Json();
  EXPECT_GE(json.at("triggers").size(), 4) << text;
  // The models have learned what the data were made of.
  const bool is_regression = text.find("loss: huber") != std::string::npos;
  EXPECT_GT(LastActive(json, is_regression ? "r2" : "accuracy"), is_regression ? 0.5 : 0.7) << text;
}

// What the command does besides guessing; it needs no stack.
class InitTest : public ::testing::Test {
 protected:
  InitTest() {
    std::string pattern = "/tmp/init-test-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    WriteSemicolons(folder_);
  }
  ~InitTest() override { std::filesystem::remove_all(folder_); }

  CommandResult Init(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"init", folder_ + "/data.csv", "--quick", "--output",
                                      folder_ + "/p.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    return RunTidemill(words, {}, folder_);
  }

  std::string folder_;
};

TEST_F(InitTest, OverwritesAPipelineOnlyByForce) {
  EXPECT_EQ(Init({}).exit_code, 0);
  const CommandResult refused = Init({});
  EXPECT_EQ(refused.exit_code, 7);
  EXPECT_THAT(refused.err, HasSubstr("overwrite it with --force"));
  EXPECT_EQ(Init({"--force", "--label", "town"}).exit_code, 0);
  std::ifstream file(folder_ + "/p.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr("label: {column: town, classes: [Bern, Chur, Genf]}"));
}

TEST_F(InitTest, AnOptionThatNamesNoColumnListsTheColumnsAndWritesNothing) {
  const CommandResult refused = Init({"--label", "churn"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("the columns are 'when', 'a', 'b', 'town' and 'churned'"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/p.yaml"));
}

TEST_F(InitTest, JsonHasEachGuessWithItsReason) {
  const nlohmann::json json = Init({"--json"}).Json();
  EXPECT_EQ(json.at("name"), "data");
  EXPECT_EQ(json.at("looked_at"), "all 400 records: 17 KiB of 17 KiB");
  EXPECT_TRUE(json.at("unknown").empty());
  bool found = false;
  for (const nlohmann::json& guess : json.at("guesses")) {
    if (guess.at("section") != "datasets.data" || guess.at("key") != "label") continue;
    found = true;
    EXPECT_EQ(guess.at("value"), "{column: churned, classes: [\"no\", \"yes\"]}");
    EXPECT_THAT(guess.at("reason").get<std::string>(), HasSubstr("classification"));
  }
  EXPECT_TRUE(found);
}

INSTANTIATE_TEST_SUITE_P(Data, InitRunTest, ::testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tidemill::tests

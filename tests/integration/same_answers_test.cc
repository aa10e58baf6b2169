// Five kinds of pipelines: what `tidemill predict` answers about the last window is what the
// evaluator answers about the same samples, to the last bit. The exported models answer the same
// within 1e-5, from raw columns, in torch and in onnxruntime.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "nlohmann/json.hpp"

#include "base/files.h"
#include "base/time.h"
#include "evaluator/client/evaluator_client.h"
#include "storage/client/storage_client.h"
#include "tests/stack.h"

namespace tidemill::tests {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr int kNumRows = 600, kNumImages = 160, kWindow = 60;
constexpr int kHistory = 6, kHorizon = 3;
constexpr int64_t kStart = 1'700'000'000'000'000;
constexpr int64_t kRowStep = 3'600'000'000;

using Answers = std::vector<std::vector<float>>;

std::string TimeOf(int row) { return FormatTimestamp({kStart + row * kRowStep}); }

// What a pipeline is made of, and its last window as a user has it.
struct Subject {
  std::string name = {};
  std::string dataset = {};  // Without its path.
  std::string graph = {};
  std::string model = {};
  std::string loss = "cross_entropy";
  std::string answer = "probabilities";
  std::string header = {};
  std::vector<std::string> lines = {};  // Rows, or paths of files where there is no header.
  std::vector<json> numbers = {};       // The raw columns of each row, by their names.
  std::vector<json> texts = {};
  // The first rows have no answer, because no window ends there.
  int num_before = 0;
};

// The columns of some rows as an exported model takes them.
json ColumnsOf(const std::vector<json>& rows) {
  json columns = json::object();
  for (const json& row : rows) {
    for (const auto& [name, value] : row.items()) columns[name].push_back(value);
  }
  return columns;
}

template <typename T>
std::vector<T> Last(const std::vector<T>& rows) {
  if (rows.empty()) return rows;
  return {rows.end() - kWindow, rows.end()};
}

class SameAnswersTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    stack_ = new Stack();
    ASSERT_EQ(stack_->Tidemill({"up"}).exit_code, 0) << stack_->Logs();
  }
  static void TearDownTestSuite() {
    delete stack_;
    stack_ = nullptr;
  }

  static std::string FolderOf(const Subject& subject) {
    return stack_->files() + "/" + subject.name;
  }

  static std::string Write(const Subject& subject, const std::string& name,
                           const std::string& text) {
    const std::string path = FolderOf(subject) + "/" + name;
    EXPECT_TRUE(files::WriteAtomically(path, text).ok());
    return path;
  }

  static void Run(const Subject& subject) {
    std::filesystem::create_directories(FolderOf(subject) + "/data");
    if (!subject.header.empty()) {
      Write(subject, "data/rows.csv",
            fmt::format("{}\n{}\n", subject.header, fmt::join(subject.lines, "\n")));
    }
    const std::string pipeline =
        Write(subject, "pipeline.yaml",
              fmt::format(
                  "version: 1\nname: {0}\ndatasets:\n  {0}_rows:\n    path: data\n    settle: 0s\n"
                  "{1}preprocess:\n  dataset: {0}_rows\n  graph:\n{2}model: {3}\n"
                  "trigger: {{type: amount, samples: 100}}\nselection: new_data\n"
                  "training: {{device: cpu, epochs: 1, batch_size: 50, optimizer: {{type: adam, "
                  "lr: 0.01}}, loss: {4}, warm_start: true, seed: 1}}\n",
                  subject.name, subject.dataset, subject.graph, subject.model, subject.loss));
    const CommandResult run = stack_->Tidemill({"run", pipeline, "--quiet"});
    ASSERT_EQ(run.exit_code, 0) << run.err << stack_->Logs();
  }

  // The answers of `tidemill predict` in the order of the rows, and the model that gave them.
  static Answers Predict(const Subject& subject, const std::vector<std::string>& inputs,
                         int64_t* model = nullptr) {
    std::vector<std::string> words = {
        "predict",        subject.name, "--json", "--output", FolderOf(subject) + "/said.csv",
        "--probabilities"};
    for (const std::string& input : inputs) words.insert(words.end(), {"--input", input});
    const CommandResult said = stack_->Tidemill(words);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    if (said.exit_code != 0) return {};
    if (model != nullptr) *model = said.Json()["summary"]["model"];
    summary_ = said.Json()["summary"];
    Answers answers;
    std::ifstream file(FolderOf(subject) + "/said.csv");
    std::string line;
    std::getline(file, line);
    const bool is_class = line.starts_with("row,prediction,probability");
    while (std::getline(file, line)) {
      const std::vector<std::string> fields = absl::StrSplit(line, ',');
      std::vector<float> numbers;
      for (size_t i = is_class ? 3 : 1; i + 1 < fields.size(); ++i) {
        if (!fields[i].empty()) numbers.push_back(std::strtof(fields[i].c_str(), nullptr));
      }
      if (!numbers.empty()) answers.push_back(numbers);
    }
    return answers;
  }

  // The evaluator's answers about the last samples of the stored dataset.
  static Answers Evaluate(const Subject& subject, int64_t model) {
    const storage::StorageClient storage(stack_->PeerOf("storage"));
    const auto dataset = storage.GetDataset(subject.name + "_rows").value();
    const DatasetId id{dataset.dataset_id()};
    storage::v1::ListSamplesRequest list;
    *list.mutable_snapshot() = storage.SyncDataset(id, nullptr).value();
    std::vector<int64_t> keys;
    EXPECT_TRUE(storage
                    .ListSamples(list,
                                 [&](const batch::Batch& samples) {
                                   keys.insert(keys.end(), samples.keys().begin(),
                                               samples.keys().end());
                                   return absl::OkStatus();
                                 })
                    .ok());
    evaluator::v1::ReadModelColumnsRequest request;
    request.mutable_command()->set_run_id(1);
    request.mutable_command()->set_run_epoch(1'000'000);
    request.set_model_id(model);
    request.set_dataset_id(id.value);
    request.set_dataset_spec(dataset.spec());
    request.mutable_keys()->Add(keys.end() - kWindow, keys.end());
    request.add_columns(evaluator::v1::MODEL_COLUMN_PREDICTION);
    evaluator::EvaluatorClient evaluator(stack_->PeerOf("evaluator"));
    Answers answers;
    const absl::Status status = evaluator.ReadModelColumns(request, [&](const batch::Batch& said) {
      const batch::Column& column = *said.Find("prediction");
      const auto numbers = column.Values<float>();
      const auto width = static_cast<std::ptrdiff_t>(column.Width());
      for (auto at = numbers.begin(); at != numbers.end(); at += width) {
        answers.emplace_back(at, at + width);
      }
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status.ToString();
    return answers;
  }

  // The answers of an exported file in a program without Tidemill. Empty without the interpreter.
  static std::optional<Answers> Exported(const Subject& subject, const std::string& format) {
    const std::string interpreter =
        std::string(SOURCE_FOLDER) + (format == "onnx" ? "/.venv-onnx" : "/.venv") + "/bin/python";
    if (!std::filesystem::exists(interpreter)) return std::nullopt;
    const std::string rows = Write(subject, "columns.json",
                                   json{{"numbers", ColumnsOf(Last(subject.numbers))},
                                        {"texts", ColumnsOf(Last(subject.texts))}}
                                       .dump());
    const std::string out = FolderOf(subject) + "/answers.json";
    const std::string command = fmt::format(
        "OMP_NUM_THREADS=1 {} {}/tests/export/answers.py {}/{} {} {} > {} 2> {}.err", interpreter,
        SOURCE_FOLDER, FolderOf(subject), format, rows, subject.answer, out, out);
    const int code = std::system(command.c_str());
    EXPECT_EQ(code, 0) << files::Read(out + ".err").value_or("");
    if (code != 0) return std::nullopt;
    Answers answers;
    for (const json& row : json::parse(files::Read(out).value())) {
      answers.push_back(row.is_array() ? row.get<std::vector<float>>()
                                       : std::vector<float>{row.get<float>()});
    }
    return answers;
  }

  static void Export(const Subject& subject, int64_t model, const std::string& format) {
    const CommandResult done =
        stack_->Tidemill({"models", "export", std::to_string(model), "--format", format, "--output",
                          FolderOf(subject) + "/" + format});
    ASSERT_EQ(done.exit_code, 0) << done.err;
  }

  static void ExpectExportAnswers(const Subject& subject, int64_t model, const std::string& format,
                                  const Answers& right) {
    ASSERT_NO_FATAL_FAILURE(Export(subject, model, format));
    const std::optional<Answers> answers = Exported(subject, format);
    if (!answers) {
      GTEST_LOG_(INFO) << "not run: no interpreter for " << format
                       << "; tools/setup.sh --exports installs it";
      return;
    }
    ASSERT_EQ(answers->size(), right.size());
    for (size_t row = 0; row < right.size(); ++row) {
      ASSERT_EQ((*answers)[row].size(), right[row].size());
      for (size_t i = 0; i < right[row].size(); ++i) {
        EXPECT_NEAR((*answers)[row][i], right[row][i],
                    1e-5 * std::max(1.0F, std::abs(right[row][i])))
            << format << ", row " << row;
      }
    }
  }

  static std::vector<std::string> LastInputs(const Subject& subject) {
    if (subject.header.empty()) return Last(subject.lines);
    const auto from = subject.lines.end() - kWindow - subject.num_before;
    return {
        Write(subject, "last.csv",
              fmt::format("{}\n{}\n", subject.header, fmt::join(from, subject.lines.end(), "\n")))};
  }

  static void ExpectSameAnswers(const Subject& subject, bool in_onnx = true) {
    ASSERT_NO_FATAL_FAILURE(Run(subject));
    int64_t model = 0;
    Answers predicted = Predict(subject, LastInputs(subject), &model);
    const Answers evaluated = Evaluate(subject, model);
    ASSERT_EQ(evaluated.size(), kWindow);
    EXPECT_GT(std::set(evaluated.begin(), evaluated.end()).size(), kWindow / 2);
    EXPECT_EQ(predicted, evaluated);
    ExpectExportAnswers(subject, model, "torchscript", evaluated);
    if (in_onnx) ExpectExportAnswers(subject, model, "onnx", evaluated);
  }

  static Stack* stack_;
  static json summary_;  // The summary of the last prediction.
};

Stack* SameAnswersTest::stack_ = nullptr;
json SameAnswersTest::summary_;

// A table with missing numbers, a clock and categories, two of which come after the training.
Subject Table() {
  Subject table;
  table.header = "time,a,b,sky,y";
  const std::vector<std::string> skies = {"clear", "cloudy", "rain", "fog"};
  for (int row = 0; row < kNumRows; ++row) {
    const double a = row * 37 % 101 / 101.0;
    const double b = row * 53 % 97 / 10.0;
    const std::string sky = row < kNumRows - 20 ? skies[row * 7 % 3] : skies[row * 7 % 4];
    const bool lacks = row % 11 == 0;
    table.lines.push_back(fmt::format("{},{},{},{},", TimeOf(row), a,
                                      lacks ? std::string("NA") : fmt::format("{}", b), sky));
    table.numbers.push_back(
        {{"a", a}, {"b", lacks ? std::nan("") : b}, {"event_time", kStart + row * kRowStep}});
    table.texts.push_back({{"sky", sky}});
  }
  table.graph =
      "    - parse_csv: {columns: [a, b], missing: [NA]}\n"
      "    - compute: {ratio: a / (b + 1), busy: \"b > 5 or hour(@time, 'Asia/Kathmandu') < 6\"}\n"
      "    - fill_missing: {with: mean}\n"
      "    - standardize: {columns: all}\n"
      "    - parse_csv: {columns: [sky], dtype: string}\n"
      "    - one_hot: {column: sky, learn: 3}\n"
      "    - time_features: {parts: [hour, weekday, year_fraction], cyclic: true, time_zone: "
      "Europe/Zurich}\n"
      "    - stack: {columns: all, into: input}\n"
      "    - label: {into: target}\n";
  return table;
}

TEST_F(SameAnswersTest, ATableWithClasses) {
  Subject table = Table();
  table.name = "classes";
  table.dataset =
      "    files: \"*.csv\"\n    format: {type: csv}\n    event_time: {column: time}\n"
      "    label: {column: y, classes: [low, high]}\n";
  table.model = "{type: mlp, hidden: [8], outputs: 2}";
  for (int row = 0; row < kNumRows; ++row) {
    table.lines[static_cast<size_t>(row)] += row * 37 % 101 < 50 ? "low" : "high";
  }
  ExpectSameAnswers(table);
  // Fog came after the training: it is answered, and named. Every fourth of the last 20 rows has
  // it.
  EXPECT_EQ(summary_["answered"], kWindow);
  EXPECT_EQ(summary_["remarks"], 5);
  EXPECT_THAT(summary_["first_remark"].get<std::string>(),
              AllOf(HasSubstr("column sky"), HasSubstr("fog"), HasSubstr("is not a category")));
}

TEST_F(SameAnswersTest, ATableWithANumber) {
  Subject table = Table();
  table.name = "number";
  table.dataset =
      "    files: \"*.csv\"\n    format: {type: csv}\n    event_time: {column: time}\n"
      "    label: {column: y, kind: real}\n";
  table.model = "{type: mlp, hidden: [8], outputs: 1}";
  table.loss = "mse";
  table.answer = "value";
  for (int row = 0; row < kNumRows; ++row) {
    table.lines[static_cast<size_t>(row)] += fmt::format("{}", row * 37 % 101 - 20.5);
  }
  ExpectSameAnswers(table);
}

// Hashes of words cannot be written in ONNX, whose file takes the numbers of words and says so.
TEST_F(SameAnswersTest, Texts) {
  Subject texts{.name = "texts",
                .model = "{type: embedding_bag, vocabulary: 257, width: 4, outputs: 2}"};
  texts.header = "time,title,y";
  texts.dataset =
      "    files: \"*.csv\"\n    format: {type: csv}\n    event_time: {column: time}\n"
      "    label: {column: y, classes: [sea, land]}\n";
  texts.graph =
      "    - parse_csv: {columns: [title], dtype: string}\n"
      "    - hash_tokens: {column: title, buckets: 256, ngrams: 2, length: 12, into: input}\n"
      "    - label: {into: target}\n";
  const std::vector<std::string> words = {"tide",  "Wave",  "salt", "hill",
                                          "Field", "stone", "naïve"};
  for (int row = 0; row < kNumRows; ++row) {
    const std::string title = fmt::format("{} {} {} {}", words[row % 7], words[row * 3 % 5],
                                          row % 50, words[row / 7 % 7]);
    texts.lines.push_back(
        fmt::format("{},{},{}", TimeOf(row), title, row % 7 < 3 ? "sea" : "land"));
    texts.numbers.push_back(json::object());
    texts.texts.push_back({{"title", title}});
  }
  ExpectSameAnswers(texts, /*in_onnx=*/false);
  int64_t model = 0;
  Predict(texts, LastInputs(texts), &model);
  ASSERT_NO_FATAL_FAILURE(Export(texts, model, "onnx"));
  EXPECT_THAT(files::Read(FolderOf(texts) + "/onnx/README.md").value(),
              AllOf(HasSubstr("What ONNX cannot do"), HasSubstr("title_word_hashes")));
}

// A grey image of 8 x 8, bright in its upper or its left half.
std::vector<uint8_t> PixelsOf(int image) {
  std::vector<uint8_t> pixels;
  for (int i = 0; i < 64; ++i) {
    const bool bright = image % 2 == 0 ? i < 32 : i % 8 < 4;
    pixels.push_back(static_cast<uint8_t>((bright ? 120 : 0) + (i * 31 + image * 17) % 97));
  }
  return pixels;
}

TEST_F(SameAnswersTest, Images) {
  Subject images{.name = "images",
                 .model = "{type: convnet, channels: [4], hidden: 8, outputs: 2}"};
  images.dataset =
      "    files: \"*/*/*.png\"\n    format: single_file\n    event_time: {path: \"%Y-%m-%d/*\"}\n"
      "    label: {folder: true, classes: [upper, left]}\n";
  images.graph =
      "    - decode_image: {height: 8, width: 8, channels: 1, into: pixels}\n"
      "    - normalize: {column: pixels, scale: 0.00392156862745098, mean: [0.3], std: [0.2]}\n"
      "    - stack: {columns: [pixels], into: input}\n"
      "    - label: {into: target}\n";
  for (int image = 0; image < kNumImages; ++image) {
    const std::string folder =
        fmt::format("{}/images/data/{}/{}", stack_->files(), TimeOf(24 * image).substr(0, 10),
                    image % 2 == 0 ? "upper" : "left");
    std::filesystem::create_directories(folder);
    images.lines.push_back(fmt::format("{}/{}.png", folder, image));
    const std::vector<uint8_t> pixels = PixelsOf(image);
    png_image png = {};
    png.version = PNG_IMAGE_VERSION;
    png.width = png.height = 8;
    png.format = PNG_FORMAT_GRAY;
    ASSERT_NE(
        png_image_write_to_file(&png, images.lines.back().c_str(), 0, pixels.data(), 0, nullptr),
        0);
    json rows = json::array();
    for (int y = 0; y < 8; ++y) {
      json row = json::array();
      for (int x = 0; x < 8; ++x)
        row.push_back(json::array({pixels[static_cast<size_t>(y) * 8 + static_cast<size_t>(x)]}));
      rows.push_back(row);
    }
    images.numbers.push_back({{"pixels", rows}});
    images.texts.push_back(json::object());
  }
  ExpectSameAnswers(images);
}

TEST_F(SameAnswersTest, ASeriesAndItsFuture) {
  Subject series{.name = "series", .model = "{type: mlp, hidden: [8], outputs: 1}"};
  series.loss = "mse";
  series.answer = "value";
  series.header = "time,level,wind";
  series.dataset = fmt::format(
      "    files: \"*.csv\"\n    format: {{type: csv}}\n    event_time: {{column: time}}\n"
      "    series: {{history: {}, horizon: {}, target: level, step: 1h}}\n",
      kHistory, kHorizon);
  series.graph =
      "    - parse_csv: {columns: [level], rows: all, suffix: _history}\n"
      "    - parse_csv: {columns: [wind]}\n"
      "    - standardize: {columns: all}\n"
      "    - stack: {columns: all, into: input}\n"
      "    - label: {into: target}\n";
  std::vector<double> levels;
  for (int row = 0; row < kNumRows; ++row) {
    levels.push_back(std::sin(row / 5.0) + row * 37 % 101 / 300.0);
    const double wind = row * 53 % 97 / 10.0;
    series.lines.push_back(fmt::format("{},{},{}", TimeOf(row), levels.back(), wind));
    if (row + 1 < kHistory || row + kHorizon >= kNumRows) continue;
    series.numbers.push_back(
        {{"level_history", std::vector<double>(levels.end() - kHistory, levels.end())},
         {"wind", wind}});
    series.texts.push_back(json::object());
  }
  Subject known = series;
  ASSERT_NO_FATAL_FAILURE(Run(series));
  // What is known of the last rows is their past; the evaluator has no sample for them.
  series.num_before = kHistory - 1 + kHorizon;
  int64_t model = 0;
  Answers predicted = Predict(series, LastInputs(series), &model);
  const Answers evaluated = Evaluate(series, model);
  ASSERT_EQ(evaluated.size(), kWindow);
  ASSERT_EQ(predicted.size(), kWindow + kHorizon);
  predicted.resize(kWindow);
  EXPECT_EQ(predicted, evaluated);
  // The answer about a row is the same before and after its label is known.
  for (Subject* const each : {&series, &known}) each->num_before = kHistory - 1;
  known.lines.resize(kNumRows - kHorizon);
  EXPECT_EQ(Predict(known, LastInputs(known)), evaluated);
  ExpectExportAnswers(series, model, "torchscript", evaluated);
  ExpectExportAnswers(series, model, "onnx", evaluated);
}

}  // namespace
}  // namespace tidemill::tests

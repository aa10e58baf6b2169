// An exported module against the graph and the network that it is made of. The export itself runs
// both on the samples that it is given, and fails where they differ.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "torch/script.h"

#include "base/files.h"
#include "batch/batch.h"
#include "config/config.h"
#include "models/artefact_spec.h"
#include "models/export/model_export.h"
#include "models/network.h"
#include "models/spec/networks.h"
#include "samples/dataset_schema.h"
#include "transform/fitter.h"
#include "transform/graph.h"
#include "transform/ops/tables/lookup_table.h"

namespace tidemill::models {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kClasses = "label: {column: y, classes: [low, high]}";

class GraphExport : public ::testing::Test {
 protected:
  GraphExport() : folder_(::testing::TempDir() + "/graph_export_test"), kept_(KeptFolder()) {
    fs::remove_all(folder_);
    EXPECT_TRUE(files::CreateFolder(folder_ + "/artefact").ok());
  }
  ~GraphExport() override { fs::remove_all(folder_); }

  // Where exports stay for tests/export, which runs them without Tidemill; empty otherwise.
  static std::string KeptFolder() {
    const char* const folder = std::getenv("TIDEMILL_KEPT_EXPORTS");
    return folder == nullptr ? std::string() : folder;
  }

  // The folder of the last export.
  std::string Output() const {
    const std::string name = fmt::format(
        "{}{}", ::testing::UnitTest::GetInstance()->current_test_info()->name(), num_exports_);
    return (kept_.empty() ? folder_ : kept_) + "/" + name;
  }
  nlohmann::json Json(const std::string& name) const {
    return nlohmann::json::parse(files::Read(Output() + "/" + name).value());
  }
  std::string Text(const std::string& name) const {
    return files::Read(Output() + "/" + name).value();
  }
  torch::jit::Module Module() const { return torch::jit::load(Output() + "/model.pt"); }

  static InputSpecs InputsOf(const transform::Graph& graph) {
    InputSpecs inputs;
    for (const transform::ColumnSchema& input : graph.inputs()) {
      inputs[input.name] = {input.shape, input.type == batch::DataType::kInt64};
    }
    return inputs;
  }

  // Times of 150 years, some of them a microsecond before midnight, New Year or a change of clocks.
  static int64_t TimeOf(size_t i) {
    constexpr int64_t kSecond = 1'000'000;
    constexpr int64_t kEdges[] = {1'709'251'200 * kSecond,  // 2024-03-01
                                  1'709'164'800 * kSecond,  // 2024-02-29
                                  1'710'054'000 * kSecond,  // The clock of New York goes to summer.
                                  1'730'613'600 * kSecond,  // And back.
                                  1'704'067'200 * kSecond,  // 2024 in UTC, and in New York.
                                  1'704'085'200 * kSecond,
                                  951'782'400 * kSecond,     // 2000-02-29
                                  -2'208'988'800 * kSecond,  // 1900
                                  4'107'542'400 * kSecond};  // 2100-03-01
    constexpr size_t kNumEdges = std::size(kEdges);
    if (i < 2 * kNumEdges) return kEdges[i / 2] - static_cast<int64_t>(i % 2);
    const auto step = static_cast<int64_t>(i - 2 * kNumEdges);
    return -600'000'000 * kSecond + step * 19'937'123 * kSecond + step * 377'777;
  }
  static std::vector<std::string> RecordsOfTimes() {
    std::vector<std::string> records;
    for (int i = 0; i < 200; ++i) records.push_back(fmt::format("{},low", i));
    return records;
  }

  static batch::Batch BatchOf(const std::vector<std::string>& records, bool is_class) {
    batch::Batch samples(std::ssize(records));
    std::vector<int64_t> keys;
    std::vector<int64_t> classes;
    std::vector<double> reals;
    std::vector<int64_t> times;
    for (size_t i = 0; i < records.size(); ++i) {
      keys.push_back(static_cast<int64_t>(i));
      times.push_back(TimeOf(i));
      classes.push_back(static_cast<int64_t>(i % 2));
      reals.push_back(10.0 + static_cast<double>(i % 7));
    }
    const std::vector<std::string_view> payloads(records.begin(), records.end());
    EXPECT_TRUE(samples.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)).ok());
    EXPECT_TRUE(samples.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, times)).ok());
    EXPECT_TRUE(samples.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, payloads)).ok());
    EXPECT_TRUE(samples
                    .Set(is_class ? batch::MakeColumn<int64_t>(batch::kClassLabelColumn, classes)
                                  : batch::MakeColumn<double>(batch::kRealLabelColumn, reals))
                    .ok());
    return samples;
  }

  // Fits the graph on the records, gives it a network with random weights, and exports both.
  absl::Status Export(const ModelSpec& model, const std::string& graph, const std::string& dataset,
                      const std::vector<std::string>& records) {
    ++num_exports_;
    const auto graph_spec = config::Read<transform::GraphSpec>(graph, "graph");
    EXPECT_TRUE(graph_spec.ok()) << graph_spec.status().ToString();
    const auto dataset_spec =
        config::Read<storage::DatasetSpec>("path: /data\n" + dataset, "dataset");
    EXPECT_TRUE(dataset_spec.ok()) << dataset_spec.status().ToString();
    const bool is_class = dataset.find("classes:") != std::string::npos;
    const batch::Batch samples = BatchOf(records, is_class);
    const auto bound =
        transform::Graph::Build(*graph_spec, samples::SchemaOf(*dataset_spec)).value();
    transform::Fitter fitter(bound);
    for (int pass = 0; pass < fitter.num_passes(); ++pass) {
      EXPECT_TRUE(fitter.Add(samples).ok());
      EXPECT_TRUE(fitter.EndPass().ok());
    }
    const auto fitted = fitter.Finish();
    EXPECT_TRUE(fitted.ok()) << fitted.status().ToString();
    SeedGenerator({.seed = 5, .purpose = "init"});
    const auto network = MakeNetwork(model, InputsOf(bound));
    EXPECT_TRUE(network.ok()) << network.status().ToString();
    const ArtefactSpec artefact{
        .model = model,
        .graph = *graph_spec,
        .dataset = *dataset_spec,
        .classes = is_class ? std::vector<std::string>{"low", "high"} : std::vector<std::string>()};
    Write("weights.safetensors", EncodeWeights(*network).value());
    Write("spec.yaml", EncodeArtefactSpec(artefact));
    Write("fitted.batch", fitted->Encode());
    RETURN_IF_ERROR(ExportOnnx(folder_ + "/artefact", samples, Output() + "_onnx"));
    return ExportTorchScript(folder_ + "/artefact", samples, Output());
  }

  void Write(const std::string& name, const std::string& bytes) {
    EXPECT_TRUE(files::WriteAtomically(folder_ + "/artefact/" + name, bytes).ok());
  }

  const std::string folder_;
  const std::string kept_;
  int num_exports_ = 0;
};

// Texts of many lengths and scripts, some of them not UTF-8.
std::vector<std::string> Texts(int count) {
  const std::vector<std::string> parts = {
      "Tide", "MILL ",         "\xC3\x84rger ", "\xCE\xA3\xCE\xB5 ", "7", "-", "\xF0\x9F\x98\x80",
      "\xFF", "\xE4\xB8\xAD ", "a b "};
  std::mt19937 generator(3);
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) {
    std::string text;
    // Up to 2,000 bytes, so that each way of the hash is taken.
    const size_t size = i < 300 ? static_cast<size_t>(i) : 7 * static_cast<size_t>(i - 290);
    while (text.size() < size) text += parts[generator() % parts.size()];
    texts.push_back(text.substr(0, size));
  }
  return texts;
}

TEST_F(GraphExport, ATableOfNumbersAndCategoriesAnswersAsTheGraphAndTheNetworkDo) {
  std::vector<std::string> records;
  for (int i = 0; i < 60; ++i) {
    records.push_back(fmt::format("{},{},{},{},{}", i % 9 == 0 ? "NA" : std::to_string(i * 1.5),
                                  i % 11, i % 3 == 0 ? "sun" : "it \\\"rains\\\"", 20 - i,
                                  i % 2 == 0 ? "low" : "high"));
  }
  const absl::Status status =
      Export(Mlp{.hidden = {8}, .outputs = 2},
             "- parse_csv: {columns: [a], missing: [NA]}\n"
             "- fill_missing: {columns: [a], with: median, indicator: true}\n"
             "- parse_csv: {columns: [b], dtype: int64}\n"
             "- one_hot: {column: b, classes: 11, into: b_ones}\n"
             "- hash_buckets: {column: b, buckets: 5, seed: 9, into: b_hash}\n"
             "- cast: {columns: [b_hash], dtype: float32}\n"
             "- parse_csv: {columns: [c], dtype: string}\n"
             "- hash_cross: {columns: [c, b], buckets: 13, seed: 2, into: b_c}\n"
             "- cast: {columns: [b_c], dtype: float32}\n"
             "- one_hot: {column: c, learn: 2}\n"
             "- parse_csv: {columns: [d], dtype: float64}\n"
             "- quantile_bins: {column: d, bins: 4, one_hot: true, into: d_bins}\n"
             "- clip: {columns: [d], min: -5, max: 6.5}\n"
             "- log1p: {columns: [d], negative: zero}\n"
             "- standardize: {columns: all}\n"
             "- stack: {columns: all, into: input}\n"
             "- label: {}\n",
             "format: {type: csv, columns: [a, b, c, d, y]}\n" + std::string(kClasses), records);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const nlohmann::json example = Json("example.json");
  EXPECT_EQ(example["numbers"]["b"][0], 1);
  EXPECT_EQ(example["expected"]["probabilities"][0].size(), 2);
  EXPECT_THAT(Text("README.md"), HasSubstr("| `c` | text | the field `c` of the sample |"));
  EXPECT_THAT(Text("README.md"), HasSubstr("Classes: low, high"));
  EXPECT_EQ(Json("fitted.json")["fitted"][1]["words"].size(), 2);
}

TEST_F(GraphExport, ARowThatTheGraphWouldRefuseIsSaidToBeBad) {
  const std::vector<std::string> records = {"1,low", "2,high", "3,low"};
  const absl::Status status = Export(
      Logistic{.outputs = 2},
      "- parse_csv: {columns: [a]}\n- standardize: {}\n- stack: {into: input}\n- label: {}\n",
      "format: {type: csv, columns: [a, y]}\n" + std::string(kClasses), records);
  ASSERT_TRUE(status.ok()) << status.ToString();
  torch::jit::Module module = Module();
  c10::Dict<std::string, torch::Tensor> numbers;
  numbers.insert("a", torch::tensor({1.0, std::nan(""), 2.0}));
  const auto answers = module.forward({numbers}).toGenericDict();
  EXPECT_TRUE(torch::equal(answers.at("is_bad").toTensor(),
                           torch::tensor({false, true, false}, torch::kBool)));
  EXPECT_EQ(module.get_method("class_names")({}).toListRef().size(), 2);
}

TEST_F(GraphExport, ARealLabelIsPutBackIntoItsUnits) {
  std::vector<std::string> records;
  for (int i = 0; i < 30; ++i) records.push_back(fmt::format("{},{}", i, 10 + i % 7));
  const absl::Status status =
      Export(Mlp{.hidden = {4}, .outputs = 1},
             "- parse_csv: {columns: [a]}\n- standardize: {}\n- stack: {into: input}\n"
             "- label: {}\n- standardize: {columns: [target]}\n",
             "format: {type: csv, columns: [a, y]}\nlabel: {column: y, kind: real}", records);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_GT(Json("example.json")["expected"]["value"][0], 8);
}

TEST_F(GraphExport, TextsGiveTheSameHashesAndPlaces) {
  std::vector<std::string> records;
  for (const std::string& text : Texts(560)) {
    std::string quoted;
    for (const char c : text) quoted += c == '"' ? '\'' : c;
    records.push_back(fmt::format("\"{}\",low", quoted));
  }
  const absl::Status status = Export(
      Mlp{.hidden = {8}, .outputs = 2},
      "- parse_csv: {columns: [t], dtype: string}\n"
      "- hash_tokens: {column: t, buckets: 100000, ngrams: 8, length: 300, seed: 4, into: h}\n"
      "- vocabulary: {column: t, ngrams: 2, length: 9, max_words: 40, into: v}\n"
      "- hash_buckets: {column: t, buckets: 1000003, into: b}\n"
      "- hash_cross: {columns: [t, b], buckets: 1000, into: x}\n"
      "- cast: {columns: [h, v, b, x], dtype: float64}\n"
      "- normalize: {column: h, scale: 1e-5}\n- normalize: {column: b, scale: 1e-6}\n"
      "- stack: {columns: [h, v, b, x], into: input}\n- label: {}\n",
      "format: {type: csv, columns: [t, y]}\n" + std::string(kClasses), records);
  ASSERT_TRUE(status.ok()) << status.ToString();
}

TEST_F(GraphExport, DecodedImagesAreGivenAndResizedTheSame) {
  std::mt19937 generator(1);
  std::vector<std::string> records;
  for (int i = 0; i < 20; ++i) {
    std::string pixels(3 * 12 * 10, '\0');
    for (char& pixel : pixels) pixel = static_cast<char>(generator());
    records.push_back(pixels);
  }
  const absl::Status status =
      Export(Convnet{.channels = {4}, .hidden = 8, .outputs = 2},
             "- parse_record: {fields: [{name: p, dtype: uint8, shape: [3, 12, 10]}]}\n"
             "- resize: {column: p, height: 9, width: 15}\n"
             "- resize: {column: p, height: 6, width: 5, antialias: true}\n"
             "- pad: {column: p, before: [0, 2, 1], after: [0, 0, 3], value: 7}\n"
             "- random_crop: {column: p, height: 8, width: 8, padding: 2}\n"
             "- random_flip: {column: p}\n- flip: {column: p, direction: vertical}\n"
             "- colour_jitter: {column: p, brightness: 0.5, contrast: 0.5, saturation: 0.5}\n"
             "- random_erasing: {column: p}\n"
             "- crop: {column: p, height: 6, width: 4, offset: [1, 2]}\n"
             "- normalize: {column: p, scale: 0.01, mean: [0.1, 0.2, 0.3], std: [0.5]}\n"
             "- stack: {columns: [p], into: input}\n- label: {}\n",
             "format: {type: binary, record_bytes: 361}\nlabel: {record: {offset: 360, width: 1}, "
             "classes: [low, high]}",
             records);
  ASSERT_TRUE(status.ok()) << status.ToString();
}

TEST_F(GraphExport, ASeriesIsGivenRowByRow) {
  std::vector<std::string> records;
  for (int i = 0; i < 30; ++i) {
    std::string record;
    for (int row = 0; row < 4; ++row) record += fmt::format("{},{},low\n", i * 2 + row, i - row);
    records.push_back(record);
  }
  const absl::Status status =
      Export(Gru{.hidden = 4, .outputs = 2},
             "- parse_csv: {columns: [a], rows: all}\n"
             "- parse_csv: {columns: [b], rows: previous, suffix: _before}\n"
             "- standardize: {}\n- stack: {by: row, into: input}\n- label: {}\n",
             "format: {type: csv, columns: [a, b, y]}\nseries: {history: 4, step: 1h}\n" +
                 std::string(kClasses),
             records);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(Json("example.json")["numbers"]["a"][0].size(), 4);
  EXPECT_THAT(Text("README.md"), HasSubstr("`b_before`"));
}

TEST_F(GraphExport, TheColumnsOfAnOpThatCannotBeWrittenAreGivenAndItSaysHowTheyAreMade) {
  const std::vector<std::string> records = {"1,low", "2,high", "3,low"};
  const absl::Status status = Export(
      Logistic{.outputs = 2},
      "- parse_csv: {columns: [a], dtype: string}\n"
      "- compute: {twice: number(a) * 2, letters: length(a)}\n"
      "- cast: {columns: [letters], dtype: float32}\n- standardize: {columns: [twice, letters]}\n"
      "- stack: {columns: [twice, letters], into: input}\n- label: {}\n",
      "format: {type: csv, columns: [a, y]}\n" + std::string(kClasses), records);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(Json("example.json")["numbers"]["twice"][0], 2);
  EXPECT_THAT(Text("README.md"), HasSubstr("Op 2 (`compute`) is not in the file"));
  EXPECT_THAT(Text("README.md"), HasSubstr("`letters = length(a)`, `twice = number(a) * 2`"));
}

TEST_F(GraphExport, ALookupIsExplainedBesideItsTable) {
  const std::string table = "station,from,height\nx,2020-01-01,5\ny,2020-01-01,7\n";
  ASSERT_TRUE(transform::PackTable(table).ok());
  const std::string content = absl::Base64Escape(*transform::PackTable(table));
  const absl::Status status =
      Export(Logistic{.outputs = 2},
             "- parse_csv: {columns: [a], dtype: string}\n- lookup: {content: \"" + content +
                 "\", on: {a: station}, columns: {height: h}, as_of: from, default: {height: 1}}\n"
                 "- stack: {columns: [h], into: input}\n- label: {}\n",
             "format: {type: csv, columns: [a, y]}\n" + std::string(kClasses),
             {"x,low", "y,high", "z,low"});
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(Text("op2_lookup.csv"), table);
  EXPECT_THAT(Text("README.md"),
              HasSubstr("`station` equals the sample's `a`; of several such rows"));
  EXPECT_THAT(Text("README.md"), HasSubstr("columns: `height` as `h`"));
}

// The export fails where a row of them is answered otherwise by the file than by the graph.
TEST_F(GraphExport, TheClockAndTheCalendarAreInTheFile) {
  for (const std::string zone :
       {"UTC", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"}) {
    for (const std::string cyclic : {"false", "true"}) {
      const absl::Status status = Export(
          Mlp{.hidden = {8}, .outputs = 2},
          "- time_features: {parts: [minute, hour, weekday, day, month, year_fraction, year], "
          "cyclic: " +
              cyclic + ", time_zone: " + zone +
              "}\n"
              "- normalize: {column: time, scale: 0.01}\n"
              "- stack: {columns: [time], into: input}\n- label: {}\n",
          "format: {type: csv, columns: [a, y]}\n" + std::string(kClasses), RecordsOfTimes());
      ASSERT_TRUE(status.ok()) << zone << ": " << status.ToString();
      EXPECT_THAT(Text("README.md"), HasSubstr("| `event_time` | int64 |"));
      EXPECT_TRUE(files::Exists(Output() + "/example.json"));
    }
  }
}

TEST_F(GraphExport, ExpressionsOfNumbersTruthsAndTimesAreInTheFile) {
  std::vector<std::string> records;
  for (int i = 0; i < 200; ++i) {
    const std::string a = i % 7 == 0 ? "NA" : fmt::format("{}", (i - 90) * 0.37);
    const std::string b = i % 11 == 0 ? "NA" : fmt::format("{}", i % 5 - 2);
    records.push_back(
        fmt::format("{},{},{},{},low", a, b, i * 17 - 300, i % 3 == 0 ? "sun" : "rain"));
  }
  const absl::Status status = Export(
      Mlp{.hidden = {8}, .outputs = 2},
      "- parse_csv: {columns: [a, b], missing: [NA]}\n"
      "- parse_csv: {columns: [n], dtype: int64}\n- parse_csv: {columns: [s], dtype: string}\n"
      "- compute:\n"
      "    c01: a / b\n    c02: log1p(a)\n    c03: log(abs(a) + 1) + sqrt(b)\n"
      "    c04: exp(clip(a, -3, 2)) * round(a)\n    c05: coalesce(a, b, 1)\n"
      "    c06: if(a > b, a, -b)\n    c07: min(a, b)\n    c08: max(a, b, 0)\n"
      "    c09: nullif(b, 2)\n    c10: a is null or b < 1\n    c11: a > 1 and b > 0\n"
      "    c12: not (a = b)\n    c13: n % 7 = 3\n    c14: abs(n) * 2 - n\n"
      "    c15: month(@time) in (2, 3, 12)\n    c16: weekday(@time, 'America/New_York') >= 6\n"
      "    c17: hour(@time) + day_of_year(@time, 'Europe/Zurich') / 366\n"
      "    c18: s = 'sun'\n    c19: s in ('snow', 'rain')\n    c20: s != 'sun' and a between 1 and "
      "9\n"
      "    c21: year(@time) - 2000\n    c22: floor(epoch(@time) / 86400) % 10\n"
      "    c23: whole(coalesce(a, 0)) + n\n    c24: b in (1, 2, null)\n"
      "    c25: minute(@time + 90) + day(@time)\n"
      "    c26: round(a, 1) ^ 2 + a % 3\n"
      "- cast: {columns: [c14, c21, c23, c25], dtype: float32}\n"
      "- fill_missing: {columns: [c01, c02, c03, c04, c05, c06, c07, c08, c09, c10, c11, c12, c13, "
      "c15, c16, c18, c19, c20, c24, c26], number: -1}\n"
      "- standardize: {columns: [c01, c02, c03, c04, c14, c17, c22, c23]}\n"
      "- stack: {columns: [c01, c02, c03, c04, c05, c06, c07, c08, c09, c10, c11, c12, c13, c14, "
      "c15, "
      "c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, c26], into: input}\n- label: {}\n",
      "format: {type: csv, columns: [a, b, n, s, y]}\n" + std::string(kClasses), records);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(Text("README.md"), Not(HasSubstr("is not in the file")));
  EXPECT_TRUE(Json("example.json")["numbers"].contains("event_time"));
}

// Numbers of a binary record.
template <typename T>
std::string Packed(std::mt19937& generator, int count, uint32_t below) {
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    const auto number = static_cast<T>(generator() % below);
    bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  return bytes;
}

TEST_F(GraphExport, EachKindOfNetworkIsInTheFile) {
  const std::string tokens =
      "- parse_record: {fields: [{name: input, dtype: int64, shape: [6]}]}\n- label: {}\n";
  const std::string table =
      "- parse_record: {fields: [{name: input, dtype: float32, shape: [3]}, {name: "
      "input_categories, offset: 12, dtype: int64, shape: [2]}]}\n- label: {}\n";
  const std::string image =
      "- parse_record: {fields: [{name: input, dtype: float32, shape: [1, 16, 16]}]}\n- label: "
      "{}\n";
  const std::string series =
      "- parse_record: {fields: [{name: input, dtype: float32, shape: [8, 2]}]}\n- label: {}\n";
  const std::vector<std::pair<ModelSpec, std::string>> models = {
      {EmbeddingBag{.vocabulary = 9, .width = 4, .outputs = 2}, tokens},
      {TextTransformer{.vocabulary = 9, .width = 8, .heads = 2, .layers = 2, .outputs = 2}, tokens},
      {Dlrm{.categories = {3, 3}, .outputs = 1}, table},
      {FactorizationMachine{.categories = {3, 3}, .outputs = 2}, table},
      {Resnet18{.outputs = 2, .width = 4}, image},
      {Resnet50{.outputs = 2, .width = 2}, image},
      {Densenet121{.outputs = 2, .growth = 2}, image},
      {Gru{.hidden = 4, .layers = 2, .residual = true, .outputs = 2}, series},
      {Tcn{.hidden = 4, .layers = 2, .outputs = 2}, series}};
  for (const auto& [model, graph] : models) {
    std::mt19937 generator(7);
    std::vector<std::string> records;
    for (int i = 0; i < 8; ++i) {
      records.push_back(graph == tokens ? Packed<int64_t>(generator, 6, 9)
                        : graph == table
                            ? Packed<float>(generator, 3, 5) + Packed<int64_t>(generator, 2, 3)
                        : graph == image ? Packed<float>(generator, 256, 7)
                                         : Packed<float>(generator, 16, 4));
    }
    const auto bytes = records.front().size();
    const absl::Status status =
        Export(model, graph,
               fmt::format("format: {{type: binary, record_bytes: {}}}\n"
                           "label: {{record: {{offset: {}, width: 1}}, classes: [low, high]}}",
                           bytes + 1, bytes),
               records);
    ASSERT_TRUE(status.ok()) << model.type() << ": " << status.ToString();
  }
}

}  // namespace
}  // namespace tidemill::models

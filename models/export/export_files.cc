#include "models/export/export_files.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "nlohmann/json.hpp"

#include "models/fitted_text.h"
#include "models/op_formulas.h"

namespace tidemill::models {
namespace {

using Json = nlohmann::ordered_json;
using batch::DataType;
using transform::GivenColumn;

constexpr auto kReplace = Json::error_handler_t::replace;

// The numbers of a row in their shape. An image is turned to [height, width, channels].
Json ShapedRow(std::span<const double> numbers, std::span<const int64_t> shape) {
  if (shape.empty()) return numbers.front();
  Json list = Json::array();
  const size_t size = numbers.size() / static_cast<size_t>(shape.front());
  for (int64_t i = 0; i < shape.front(); ++i) {
    list.push_back(
        ShapedRow(numbers.subspan(static_cast<size_t>(i) * size, size), shape.subspan(1)));
  }
  return list;
}

template <typename T>
void AppendRow(const batch::Column& column, int64_t row, std::vector<double>& numbers) {
  const auto width = static_cast<size_t>(column.Width());
  for (const T number : column.Values<T>().subspan(static_cast<size_t>(row) * width, width)) {
    numbers.push_back(static_cast<double>(number));
  }
}

std::vector<double> NumbersOf(const batch::Column& column, int64_t row) {
  std::vector<double> numbers;
  switch (column.type) {
    case DataType::kUInt8:
      AppendRow<uint8_t>(column, row, numbers);
      break;
    case DataType::kInt32:
      AppendRow<int32_t>(column, row, numbers);
      break;
    case DataType::kInt64:
      AppendRow<int64_t>(column, row, numbers);
      break;
    case DataType::kFloat32:
      AppendRow<float>(column, row, numbers);
      break;
    case DataType::kFloat64:
      AppendRow<double>(column, row, numbers);
      break;
    case DataType::kBinary:
      break;
  }
  return numbers;
}

// [channels, height, width] as [height, width, channels].
std::vector<double> ChannelsLast(const std::vector<double>& numbers, int64_t channels) {
  const size_t plane = numbers.size() / static_cast<size_t>(channels);
  std::vector<double> turned;
  for (size_t i = 0; i < plane; ++i) {
    for (int64_t c = 0; c < channels; ++c) {
      turned.push_back(numbers[static_cast<size_t>(c) * plane + i]);
    }
  }
  return turned;
}

constexpr size_t kRowsToTry = 5;

// JSON cannot write missing numbers, nor texts that are not UTF-8.
bool FitsJson(const batch::Column& column, int64_t row) {
  if (column.type == DataType::kBinary) {
    const std::string text(column.Bytes(row));
    return Json::parse(Json(text).dump(-1, ' ', false, kReplace)) == text;
  }
  return std::ranges::all_of(NumbersOf(column, row),
                             [](double number) { return std::isfinite(number); });
}

// The first rows that can be written as JSON.
std::vector<int64_t> RowsToTry(const ExportContents& contents) {
  std::vector<int64_t> rows;
  if (!contents.example) return rows;
  const batch::Batch& given = contents.example->samples.given;
  for (int64_t row = 0; row < given.num_rows() && rows.size() < kRowsToTry; ++row) {
    const auto fits = [row](const batch::Column& column) { return FitsJson(column, row); };
    if (std::ranges::all_of(given.columns(), fits)) rows.push_back(row);
  }
  return rows;
}

std::string NameOfAnswer(const AnswerSpec& answer) {
  if (answer.is_class) return "probabilities";
  return answer.is_single_number ? "value" : "outputs";
}

// The values of a column for these rows.
Json ValuesOf(const GivenColumn& column, const batch::Column& values,
              const std::vector<int64_t>& rows) {
  Json list = Json::array();
  for (const int64_t row : rows) {
    if (values.type == DataType::kBinary) {
      list.push_back(std::string(values.Bytes(row)));
      continue;
    }
    std::vector<double> numbers = NumbersOf(values, row);
    if (column.channels_last) numbers = ChannelsLast(numbers, column.schema.shape.back());
    list.push_back(ShapedRow(numbers, column.schema.shape));
  }
  return list;
}

Json ExampleOf(const ExportContents& contents, const std::vector<int64_t>& rows) {
  const Example& example = *contents.example;
  Json numbers = Json::object();
  Json texts = Json::object();
  for (const GivenColumn& column : contents.graph.given()) {
    const batch::Column& values = *example.samples.given.Find(column.schema.name);
    Json& kind = values.type == DataType::kBinary ? texts : numbers;
    kind[values.name] = ValuesOf(column, values, rows);
  }
  Json expected = Json::array();
  for (const int64_t row : rows) {
    const auto begin = example.expected.numbers.begin() + row * example.expected.width;
    const std::vector<float> answer(begin, begin + example.expected.width);
    expected.push_back(contents.answer.is_single_number ? Json(answer.front()) : Json(answer));
  }
  return {{"numbers", numbers},
          {"texts", texts},
          {"expected", {{NameOfAnswer(contents.answer), expected}}}};
}

std::string TypeOf(const GivenColumn& column) {
  if (transform::IsText(column.schema.type)) return "text";
  if (column.schema.shape.empty()) return std::string(batch::NameOf(column.schema.type));
  return fmt::format("{} [{}]", batch::NameOf(column.schema.type),
                     fmt::join(column.schema.shape, ", "));
}

std::string ColumnsOf(const ExportContents& contents) {
  std::string text = "## Columns\n\n| column | a row of it | what it is |\n|---|---|---|\n";
  for (const GivenColumn& column : contents.graph.given()) {
    text += fmt::format("| `{}` | {} | {} |\n", column.schema.name, TypeOf(column), column.meaning);
  }
  if (contents.onnx != nullptr) {
    return text +
           "\nThe file has an input for each column, with its name and of its type. Texts are "
           "arrays "
           "of strings. A missing number is NaN.\n";
  }
  return text +
         "\nA missing number is NaN. `numbers` holds columns of numbers, `texts` those of texts: "
         "lists of strings.\n";
}

std::string AnswersText(const ExportContents& contents) {
  const AnswerSpec& answer = contents.answer;
  std::string text = "\n## Answers\n\n";
  if (answer.is_class) {
    text += "- `probabilities`: one for each class.\n- `logits`: what they are the softmax of.\n";
    if (!answer.classes.empty() && contents.onnx != nullptr) {
      text += "- `class_name`: the name of the most probable class, a string for each row.\n";
    }
    if (!answer.classes.empty()) {
      text += fmt::format("- Classes: {}.{}\n", fmt::join(answer.classes, ", "),
                          contents.onnx != nullptr
                              ? ""
                              : " `class_names()` returns them, `predict(numbers, texts)` the most "
                                "probable of each row.");
    }
  } else if (answer.is_single_number) {
    text += "- `value`: one number for each row, in the units of the label.\n";
  } else {
    text += "- `outputs`: the numbers of the network for each row.\n";
  }
  return text +
         "- `is_bad`: true for a row that Tidemill would have rejected, because a number is "
         "missing or out of range. Ignore its other answers.\n";
}

std::string UnwrittenText(const ExportContents& contents) {
  std::string text;
  if (!contents.graph.unwritten().empty()) {
    text += "\n## What the file does not do\n\n";
    for (const transform::UnwrittenOp& op : contents.graph.unwritten()) {
      const std::optional<transform::ByHand> by_hand =
          TableOf(contents.ops, static_cast<size_t>(op.op_index));
      text += fmt::format(
          "- Op {} (`{}`) is not in the file: {}. Make its columns yourself: {}. "
          "`spec.yaml` has its settings.{}\n",
          op.op_index + 1, op.type, op.reason, fmt::join(op.columns, ", "),
          by_hand ? " " + by_hand->text : "");
    }
  }
  if (contents.onnx != nullptr && !contents.onnx->gaps.empty()) {
    text += "\n## What ONNX cannot do\n\n";
    for (const OnnxGap& gap : contents.onnx->gaps) {
      text += fmt::format("- Give the column `{}` as well: {}.\n", gap.column, gap.meaning);
    }
  }
  if (!contents.no_example.empty()) {
    text += fmt::format("\nThere are no rows to try: {}.\n", contents.no_example);
  }
  for (const std::string& note : contents.graph.notes()) text += fmt::format("- {}\n", note);
  return text;
}

std::string OnnxUseText(const ExportContents& contents, bool has_example) {
  std::string text =
      "```python\nimport json, numpy, onnxruntime\n"
      "session = onnxruntime.InferenceSession(\"model.onnx\")\n";
  if (!has_example || !contents.onnx->gaps.empty()) {
    return text +
           "answers = session.run(None, columns)  # Arrays by the names of columns; see below.\n"
           "print(dict(zip([output.name for output in session.get_outputs()], answers)))\n```\n\n";
  }
  return text +
         fmt::format(
             "rows = json.load(open(\"example.json\"))\n"
             "types = {{\"tensor(float)\": \"float32\", \"tensor(double)\": \"float64\", "
             "\"tensor(string)\": \"object\"}}\n"
             "given = {{**rows[\"numbers\"], **rows[\"texts\"]}}\n"
             "columns = {{i.name: numpy.array(given[i.name], types.get(i.type, i.type[7:-1])) for "
             "i "
             "in session.get_inputs()}}\n"
             "print(session.run([\"{0}\"], columns)[0], rows[\"expected\"][\"{0}\"])\n```\n\n"
             "It prints the same numbers twice. `example.json` has rows of the data, with "
             "Tidemill's answers for them.\n\n",
             NameOfAnswer(contents.answer));
}

std::string UseText(const ExportContents& contents, bool has_example) {
  if (contents.onnx != nullptr) return OnnxUseText(contents, has_example);
  if (!has_example) {
    return "```python\nimport torch\nmodel = torch.jit.load(\"model.pt\")\n"
           "answers = model(numbers, texts)  # Columns by their names; see below.\n```\n\n";
  }
  return fmt::format(
      "```python\nimport json, torch\nmodel = torch.jit.load(\"model.pt\")\n"
      "rows = json.load(open(\"example.json\"))\n"
      "numbers = {{k: torch.tensor(v, dtype=torch.float64) for k, v in "
      "rows[\"numbers\"].items()}}\n"
      "print(model(numbers, rows[\"texts\"])[\"{0}\"], rows[\"expected\"][\"{0}\"])\n```\n\n"
      "It prints the same numbers twice. `example.json` has rows of the data, with Tidemill's "
      "answers for them.\n\n",
      NameOfAnswer(contents.answer));
}

}  // namespace

std::map<std::string, std::string> WriteExportFiles(const ExportContents& contents) {
  const std::vector<int64_t> rows = RowsToTry(contents);
  std::map<std::string, std::string> files;
  files["README.md"] =
      fmt::format(
          "# A model trained by Tidemill\n\n`{}` takes columns in the form of the data. The file "
          "contains their preparation, with all learned numbers. It needs {} and "
          "nothing else.\n\n",
          contents.onnx == nullptr ? kTorchScriptFile : kOnnxFile,
          contents.onnx == nullptr ? "torch" : "onnxruntime") +
      UseText(contents, !rows.empty()) + ColumnsOf(contents) + AnswersText(contents) +
      UnwrittenText(contents);
  if (!rows.empty())
    files["example.json"] = ExampleOf(contents, rows).dump(2, ' ', false, kReplace) + "\n";
  for (const transform::UnwrittenOp& op : contents.graph.unwritten()) {
    const auto place = static_cast<size_t>(op.op_index);
    auto by_hand = TableOf(contents.ops, place);
    if (by_hand) files[TableFileOf(contents.ops, place)] = std::move(by_hand->table);
  }
  if (contents.fitted != nullptr) {
    files[std::string(kFittedText)] = EncodeFittedText(*contents.fitted);
  }
  return files;
}

}  // namespace tidemill::models

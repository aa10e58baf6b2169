#include "cli/commands/models/prediction_output.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "fmt/compile.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/disk_full.h"
#include "cli/terminal/csv.h"

namespace tidemill::cli {

void PredictionWriter::Begin(const evaluator::v1::PredictingModel& model) {
  model_ = model;
  for (int64_t i = 0; model.is_class() && i < model.num_outputs(); ++i) {
    names_.push_back(is_csv() ? CsvCell(NameOf(i)) : nlohmann::json(NameOf(i)).dump());
  }
  if (!is_csv()) return;
  text_ += layout_.number + ",prediction";
  if (model.is_class()) text_ += ",probability";
  if (model.is_class() && layout_.all_probabilities) {
    for (int64_t i = 0; i < model.num_outputs(); ++i) {
      text_ += "," + CsvCell("probability of " + NameOf(i));
    }
  }
  text_ += ",problem\n";
}

int64_t PredictionWriter::ClassOf(std::span<const float> outputs) {
  return std::ranges::max_element(outputs) - outputs.begin();
}

std::string PredictionWriter::NameOf(int64_t class_number) const {
  if (class_number >= model_.classes_size()) return std::to_string(class_number);
  return model_.classes(static_cast<int>(class_number));
}

void PredictionWriter::Add(int64_t row, std::span<const float> outputs, const std::string& remark) {
  const int64_t predicted = model_.is_class() ? ClassOf(outputs) : 0;
  const float number = outputs[static_cast<size_t>(predicted)];
  if (is_csv()) {
    AddCsv(row, predicted, number, outputs);
    if (!remark.empty()) text_ += CsvCell(remark);
    text_ += '\n';
  } else {
    AddJson(row, predicted, number, outputs);
    if (!remark.empty()) {
      text_ += ", \"problem\": ";
      text_ +=
          nlohmann::json(remark).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    text_ += "}\n";
  }
}

void PredictionWriter::AddCsv(int64_t row, int64_t predicted, float number,
                              std::span<const float> outputs) {
  const auto to = std::back_inserter(text_);
  if (!model_.is_class()) {
    fmt::format_to(to, FMT_COMPILE("{},{},"), row, number);
    return;
  }
  fmt::format_to(to, FMT_COMPILE("{},{},{}"), row, names_[static_cast<size_t>(predicted)], number);
  if (layout_.all_probabilities) {
    for (const float each : outputs) fmt::format_to(to, FMT_COMPILE(",{}"), each);
  }
  text_ += ',';
}

void PredictionWriter::AddJson(int64_t row, int64_t predicted, float number,
                               std::span<const float> outputs) {
  const auto to = std::back_inserter(text_);
  if (!model_.is_class()) {
    fmt::format_to(to, FMT_COMPILE("{{\"{}\": {}, \"prediction\": {}"), layout_.number, row,
                   number);
    return;
  }
  fmt::format_to(to, FMT_COMPILE("{{\"{}\": {}, \"prediction\": {}, \"probability\": {}"),
                 layout_.number, row, names_[static_cast<size_t>(predicted)], number);
  if (layout_.all_probabilities) {
    text_ += ", \"probabilities\": {";
    for (size_t i = 0; i < outputs.size(); ++i) {
      fmt::format_to(to, FMT_COMPILE("{}{}: {}"), i == 0 ? "" : ", ", names_[i], outputs[i]);
    }
    text_ += '}';
  }
}

void PredictionWriter::AddProblem(int64_t row, const std::string& problem) {
  if (!is_csv()) {
    const nlohmann::ordered_json json = {{layout_.number, row}, {"problem", problem}};
    text_ += json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    return;
  }
  std::string commas = model_.is_class() ? ",," : ",";
  if (model_.is_class() && layout_.all_probabilities) {
    commas.append(static_cast<size_t>(model_.num_outputs()), ',');
  }
  text_ += fmt::format("{},{}{}\n", row, commas, CsvCell(problem));
}

absl::Status PredictionWriter::Flush() {
  const size_t written = std::fwrite(text_.data(), 1, text_.size(), to_);
  const bool is_written = written == text_.size() && std::fflush(to_) == 0;
  text_.clear();
  if (is_written) return absl::OkStatus();
  return DiskFull(fmt::format("cannot write the predictions: {}", std::strerror(errno)));
}

}  // namespace tidemill::cli

// Writes predictions row by row.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "tidemill/evaluator/v1/prediction.pb.h"

namespace tidemill::cli {

struct PredictionLayout {
  enum class Format { kCsv, kJsonLines };
  Format format = Format::kCsv;
  // The meaning of a record's number: the name of the first column.
  std::string number = "row";
  // Whether to write the probability of every class.
  bool all_probabilities = false;
};

// Every row of the input gives one line: its prediction, or why it has none.
//
//   row,prediction,probability,problem    {"row": 1, "prediction": "UP", "probability": 0.93}
//   1,UP,0.93,                            {"row": 2, "problem": "price: 'much' is not a number"}
//   2,,,price: 'much' is not a number
//
// Thread-compatible.
class PredictionWriter {
 public:
  // `to` must outlive this object.
  PredictionWriter(std::FILE* to, const PredictionLayout& layout) : to_(to), layout_(layout) {}

  // Call it first. Adds the header, if there is one.
  void Begin(const evaluator::v1::PredictingModel& model);

  // `outputs` are the model's numbers for the row. `remark` says what the model does not know in
  // it; empty for nothing.
  void Add(int64_t row, std::span<const float> outputs, const std::string& remark);
  void AddProblem(int64_t row, const std::string& problem);
  // Writes what was added. UNAVAILABLE when the disk is full.
  absl::Status Flush();

  // Returns the most probable class; among equals, the first.
  static int64_t ClassOf(std::span<const float> outputs);
  // Returns the name of the class, or its number.
  std::string NameOf(int64_t class_number) const;

 private:
  // `number` is the probability of the predicted class, or the value.
  void AddCsv(int64_t row, int64_t predicted, float number, std::span<const float> outputs);
  void AddJson(int64_t row, int64_t predicted, float number, std::span<const float> outputs);
  bool is_csv() const { return layout_.format == PredictionLayout::Format::kCsv; }

  std::FILE* const to_;
  const PredictionLayout layout_;
  evaluator::v1::PredictingModel model_;
  std::vector<std::string> names_;  // The classes as the format writes them.
  std::string text_;                // Added and not written yet.
};

}  // namespace tidemill::cli

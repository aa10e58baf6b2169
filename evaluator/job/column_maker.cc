#include "evaluator/job/column_maker.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "batch/labels.h"
#include "batch/slice.h"

namespace tidemill::evaluator {
namespace {

// A column that is not finite where the network's outputs are not, even if the column was not
// requested.
constexpr std::string_view kOutputsColumn = "outputs";

batch::Batch Padded(const batch::Batch& rows) {
  std::vector<int64_t> places(ColumnMaker::kNetworkRows, rows.num_rows() - 1);
  std::iota(places.begin(), places.begin() + rows.num_rows(), 0);
  return rows.Take(places);
}

// The samples that the graph did not let through.
void AddLeftOut(const batch::Batch& samples, const transform::Transformed& transformed,
                std::vector<Unanswered>& unanswered) {
  size_t next_good = 0;
  size_t next_bad = 0;
  const std::span<const int64_t> good = transformed.batch.keys();
  for (int64_t row = 0; row < samples.num_rows(); ++row) {
    const int64_t key = samples.keys()[static_cast<size_t>(row)];
    if (next_bad < transformed.bad.size() && transformed.bad[next_bad].row == row) {
      unanswered.push_back({.key = key, .reason = transformed.bad[next_bad++].reason});
    } else if (next_good < good.size() && good[next_good] == key) {
      ++next_good;
    } else {
      unanswered.push_back({.key = key, .reason = "the graph filters it", .filtered = true});
    }
  }
}

absl::StatusOr<batch::Batch> KeepFinite(const batch::Batch& said,
                                        std::vector<Unanswered>* unanswered) {
  std::vector<int64_t> finite;
  for (int64_t row = 0; row < said.num_rows(); ++row) {
    const bool keep = std::all_of(
        said.columns().begin(), said.columns().end(), [row](const batch::Column& column) {
          if (column.type != batch::DataType::kFloat32) return true;
          const auto width = static_cast<size_t>(column.Width());
          const auto numbers =
              column.Values<float>().subspan(static_cast<size_t>(row) * width, width);
          return std::all_of(numbers.begin(), numbers.end(),
                             [](float number) { return std::isfinite(number); });
        });
    if (keep) {
      finite.push_back(row);
    } else if (unanswered != nullptr) {
      unanswered->push_back({.key = said.keys()[static_cast<size_t>(row)],
                             .reason = "the output of the network is not a finite number"});
    }
  }
  batch::Batch kept = std::ssize(finite) == said.num_rows() ? said : said.Take(finite);
  kept.Drop(kOutputsColumn);
  return kept;
}

// Zeros in the columns that a network is given.
absl::StatusOr<batch::Batch> Nothing(const transform::Graph& graph) {
  batch::Batch rows(ColumnMaker::kNetworkRows);
  std::vector<transform::ColumnSchema> columns = graph.inputs();
  if (const auto target = graph.target()) columns.push_back(*target);
  columns.push_back({.name = std::string(batch::kKeyColumn), .type = batch::DataType::kInt64});
  for (const transform::ColumnSchema& column : columns) {
    const auto num_bytes =
        static_cast<size_t>(rows.num_rows() * column.Width()) * batch::SizeOf(column.type);
    RETURN_IF_ERROR(rows.Set({.name = column.name,
                              .type = column.type,
                              .shape = column.shape,
                              .data = batch::Buffer::Allocate(num_bytes)}));
  }
  return rows;
}

}  // namespace

absl::StatusOr<ColumnMaker> ColumnMaker::Make(ScoredModel& model, const AskedColumns& asked,
                                              int num_threads) {
  const auto target = model.graph->graph.target();
  if (!target) {
    return FailedPrecondition("the model's graph makes no target, so its predictions have no name");
  }
  return ColumnMaker(model, asked, target->type == batch::DataType::kInt64, num_threads);
}

ColumnMaker::ColumnMaker(ScoredModel& model, const AskedColumns& asked, bool is_class,
                         int num_threads)
    : model_(&model), asked_(asked), is_class_(is_class) {
  // The caller's thread works, too.
  if (num_threads > 1) pool_ = std::make_unique<WorkerPool>("evaluate.columns", num_threads - 1);
}

absl::StatusOr<batch::Batch> ColumnMaker::Make(const batch::Batch& samples,
                                               std::vector<Unanswered>* unanswered) {
  const PreparedGraph& prepared = *model_->graph;
  return MakeBy(prepared.graph, prepared.fitted ? &*prepared.fitted : nullptr, samples, unanswered);
}

absl::StatusOr<batch::Batch> ColumnMaker::MakeBy(const transform::Graph& graph,
                                                 const transform::FittedState* fitted,
                                                 const batch::Batch& samples,
                                                 std::vector<Unanswered>* unanswered) {
  batch::Batch known = samples;
  if (!asked_.error) RETURN_IF_ERROR(batch::ForgetLabels(known));
  ASSIGN_OR_RETURN(const transform::Transformed transformed, graph.Run(known, fitted));
  if (unanswered != nullptr) AddLeftOut(samples, transformed, *unanswered);
  return MakeOfRows(transformed.batch, unanswered);
}

absl::StatusOr<batch::Batch> ColumnMaker::MakeOfRows(const batch::Batch& rows,
                                                     std::vector<Unanswered>* unanswered) {
  struct Part {
    absl::StatusOr<batch::Batch> said = absl::UnknownError("not made");
    std::vector<Unanswered> unanswered = {};
  };
  const int64_t num_rows = rows.num_rows();
  std::vector<Part> made(static_cast<size_t>((num_rows + kNetworkRows - 1) / kNetworkRows));
  const auto make = [&](int64_t index) {
    Part& part = made[static_cast<size_t>(index)];
    const int64_t from = index * kNetworkRows;
    const batch::Batch some = batch::Slice(rows, from, std::min(from + kNetworkRows, num_rows));
    part.said = MakeBlock(some, unanswered == nullptr ? nullptr : &part.unanswered);
  };
  if (pool_ != nullptr) {
    pool_->ParallelFor(std::ssize(made), make);
  } else {
    for (int64_t index = 0; index < std::ssize(made); ++index) make(index);
  }
  std::vector<batch::Batch> parts;
  for (Part& part : made) {
    RETURN_IF_ERROR(part.said.status());
    if (unanswered != nullptr) std::ranges::move(part.unanswered, std::back_inserter(*unanswered));
    if (part.said->num_rows() > 0) parts.push_back(*std::move(part.said));
  }
  return parts.empty() ? MakeNone() : batch::Concatenate(parts);
}

absl::StatusOr<batch::Batch> ColumnMaker::MakeBlock(const batch::Batch& rows,
                                                    std::vector<Unanswered>* unanswered) {
  absl::StatusOr<batch::Batch> said = MakeAtOnce(rows, unanswered);
  // Some id is beyond what the network knows, or nothing fits at all.
  if (absl::IsInvalidArgument(said.status())) said = MakeByRow(rows, unanswered);
  return said;
}

absl::StatusOr<batch::Batch> ColumnMaker::MakeNone() {
  ASSIGN_OR_RETURN(const batch::Batch nothing, Nothing(model_->graph->graph));
  const auto said = MakeAtOnce(nothing, nullptr);
  if (said.status().code() == absl::StatusCode::kInvalidArgument) {
    return FailedPrecondition("the model's network does not fit its graph: {}",
                              std::string(said.status().message()));
  }
  RETURN_IF_ERROR(said.status());
  return said->Take({});
}

absl::StatusOr<batch::Batch> ColumnMaker::MakeByRow(const batch::Batch& rows,
                                                    std::vector<Unanswered>* unanswered) {
  ASSIGN_OR_RETURN(batch::Batch none, MakeNone());
  std::vector<batch::Batch> parts = {std::move(none)};
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    auto said = MakeAtOnce(rows.Take(std::vector<int64_t>{row}), unanswered);
    if (said.status().code() == absl::StatusCode::kInvalidArgument) {
      if (unanswered != nullptr) {
        unanswered->push_back({.key = rows.keys()[static_cast<size_t>(row)],
                               .reason = std::string(said.status().message())});
      }
      continue;
    }
    RETURN_IF_ERROR(said.status());
    parts.push_back(*std::move(said));
  }
  return batch::Concatenate(parts);
}

absl::StatusOr<batch::Batch> ColumnMaker::MakeAtOnce(const batch::Batch& rows,
                                                     std::vector<Unanswered>* unanswered) {
  const batch::Batch padded = Padded(rows);
  batch::Batch said(kNetworkRows);
  ASSIGN_OR_RETURN(const batch::Column* keys,
                   padded.Get(batch::kKeyColumn, batch::DataType::kInt64));
  RETURN_IF_ERROR(said.Set(*keys));
  if (asked_.prediction || asked_.error) RETURN_IF_ERROR(AddPredictions(padded, said));
  if (asked_.embedding) RETURN_IF_ERROR(AddEmbeddings(padded, said));
  std::vector<int64_t> places(static_cast<size_t>(rows.num_rows()));
  std::iota(places.begin(), places.end(), 0);
  return KeepFinite(said.Take(places), unanswered);
}

absl::Status ColumnMaker::AddPredictions(const batch::Batch& padded, batch::Batch& said) {
  return is_class_ ? AddClasses(padded, said) : AddValues(padded, said);
}

absl::Status ColumnMaker::AddClasses(const batch::Batch& padded, batch::Batch& said) {
  ASSIGN_OR_RETURN(const ClassPredictions predicted,
                   model_->predictor->PredictClasses(padded, /*with_probabilities=*/true));
  RETURN_IF_ERROR(
      said.Set(batch::MakeColumn<float>(asked_.prediction ? kPredictionColumn : kOutputsColumn,
                                        predicted.probabilities, {predicted.num_classes})));
  if (!asked_.error) return absl::OkStatus();
  ASSIGN_OR_RETURN(const batch::Column* target,
                   padded.Get(transform::kTargetColumn, batch::DataType::kInt64));
  std::vector<float> errors;
  for (const int64_t true_class : target->Values<int64_t>()) {
    errors.push_back(predicted.classes[errors.size()] == true_class ? 0.0F : 1.0F);
  }
  return said.Set(batch::MakeColumn<float>(kErrorColumn, errors));
}

absl::Status ColumnMaker::AddValues(const batch::Batch& padded, batch::Batch& said) {
  ASSIGN_OR_RETURN(const std::vector<float> values, model_->PredictValues(padded));
  if (asked_.prediction) {
    RETURN_IF_ERROR(said.Set(batch::MakeColumn<float>(kPredictionColumn, values, {1})));
  }
  if (!asked_.error) return absl::OkStatus();
  ASSIGN_OR_RETURN(const batch::Column* target,
                   padded.Get(transform::kTargetColumn, batch::DataType::kFloat32));
  std::vector<float> errors;
  for (const float true_value : target->Values<float>()) {
    errors.push_back(std::abs(values[errors.size()] - true_value));
  }
  return said.Set(batch::MakeColumn<float>(kErrorColumn, errors));
}

absl::Status ColumnMaker::AddEmbeddings(const batch::Batch& padded, batch::Batch& said) {
  ASSIGN_OR_RETURN(const Embeddings embedded, model_->predictor->Embed(padded));
  return said.Set(batch::MakeColumn<float>(kEmbeddingColumn, embedded.numbers, {embedded.width}));
}

}  // namespace tidemill::evaluator

#include "trainer_server/training/learnable_batches.h"

#include <span>
#include <utility>

#include "loader/number_targets.h"
#include "trainer_server/training/culprits.h"
#include "transform/engine/op_builder.h"

namespace tidemill::trainer_server {
namespace {

std::vector<ForeignTarget> FindForeignClasses(std::span<const int64_t> classes,
                                              models::ClassOutputs how, int64_t outputs) {
  const bool is_binary = how == models::ClassOutputs::kSigmoid;
  const int64_t num_classes = is_binary ? 2 : outputs;
  std::vector<ForeignTarget> foreign;
  for (size_t row = 0; row < classes.size(); ++row) {
    if (classes[row] >= 0 && classes[row] < num_classes) continue;
    foreign.push_back({static_cast<int64_t>(row),
                       fmt::format("its target is class {}, but the model has {} {}", classes[row],
                                   num_classes, is_binary ? "classes" : "outputs")});
  }
  return foreign;
}

}  // namespace

std::vector<ForeignTarget> FindForeignTargets(const batch::Batch& rows,
                                              const models::LossSpec& loss, int64_t outputs) {
  const batch::Column* target = rows.Find(transform::kTargetColumn);
  if (target == nullptr || rows.num_rows() == 0) return {};
  if (const auto how = loss->OfClasses()) {
    const bool is_class = target->type == batch::DataType::kInt64 && target->Width() == 1;
    return is_class ? FindForeignClasses(target->Values<int64_t>(), *how, outputs)
                    : std::vector<ForeignTarget>();
  }
  std::vector<ForeignTarget> foreign;
  for (loader::NoNumber& bad : loader::FindNonFiniteTargets(rows)) {
    foreign.push_back({bad.row, std::move(bad.reason)});
  }
  return foreign;
}

LearnableBatches::LearnableBatches(std::unique_ptr<loader::BatchSource> source,
                                   models::LossSpec loss, int64_t outputs,
                                   std::shared_ptr<loader::BadSamples> bad)
    : source_(std::move(source)), loss_(std::move(loss)), outputs_(outputs), bad_(std::move(bad)) {}

absl::StatusOr<std::optional<loader::TrainingBatch>> LearnableBatches::Next() {
  ASSIGN_OR_RETURN(std::optional<loader::TrainingBatch> next, source_->Next());
  if (!next) return next;
  std::vector<ForeignTarget> foreign = FindForeignTargets(next->rows, loss_, outputs_);
  if (foreign.empty()) return next;
  std::vector<int64_t> left_out;
  std::vector<loader::Unreadable> bad;
  for (ForeignTarget& target : foreign) {
    left_out.push_back(target.row);
    bad.push_back({next->rows.keys()[static_cast<size_t>(target.row)], std::move(target.reason)});
  }
  if (bad_ != nullptr) bad_->Add(bad);
  next->rows = next->rows.Take(RowsBut(left_out, next->rows.num_rows()));
  next->num_skipped += std::ssize(left_out);
  next->reason = fmt::format("sample {}: {}", bad.front().key, bad.front().reason);
  return next;
}

}  // namespace tidemill::trainer_server

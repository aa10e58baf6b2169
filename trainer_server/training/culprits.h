// Samples that alone make the loss of a batch useless: a value that is right in form and absurd in
// size, of which one step would be enough to ruin the weights.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "loader/training_set.h"

namespace tidemill::trainer_server {

// Whether a batch's loss is worth a look at its rows. Of a healthy training it is not.
bool IsSuspicious(double batch_loss);

// The rows whose loss is not a finite number, or beyond all measure beside that of the others; none
// where the whole batch is, or most of it: then the fault lies with the weights. `usual_loss` is
// that of the samples before, if there were any; batches of one or two rows are held against it.
std::vector<int64_t> FindCulprits(std::span<const double> losses, std::optional<double> usual_loss);

// All rows but `left_out`, which ascend.
std::vector<int64_t> RowsBut(const std::vector<int64_t>& left_out, int64_t num_rows);

// What people are told of rows that were taken out of a batch. `values` are those of all rows, by
// which they were found, and `what` says of what: "its loss".
absl::StatusOr<std::vector<loader::Unreadable>> DescribeCulprits(
    const batch::Batch& rows, const std::vector<int64_t>& culprits, std::string_view what,
    const std::vector<double>& values);

}  // namespace tidemill::trainer_server

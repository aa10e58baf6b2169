// Culprits: samples that alone make the loss of a batch useless. Such a sample has a value that is
// well-formed but absurdly large. One step on it would ruin the weights.
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

// Whether the loss of a batch is a reason to check its rows. In a healthy training it is not.
bool IsSuspicious(double batch_loss);

// Returns the rows whose loss is not finite, or far greater than the loss of the other rows.
// Returns none when most rows of the batch are like that: the fault is then in the weights.
// `usual_loss` is the loss of earlier samples, if there were any. A batch of one or two rows is
// compared with it.
std::vector<int64_t> FindCulprits(std::span<const double> losses, std::optional<double> usual_loss);

// Returns all rows except `left_out`, which ascends.
std::vector<int64_t> RowsBut(const std::vector<int64_t>& left_out, int64_t num_rows);

// Returns the message about rows that were removed from a batch. `values` has the number of each
// row by which the culprits were found. `what` names these numbers, such as "its loss".
absl::StatusOr<std::vector<loader::Unreadable>> DescribeCulprits(
    const batch::Batch& rows, const std::vector<int64_t>& culprits, std::string_view what,
    const std::vector<double>& values);

}  // namespace tidemill::trainer_server

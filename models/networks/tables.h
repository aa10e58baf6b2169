// Categories and numbers in the form in which networks compute with them. All functions throw
// c10::Error: call them in Guard().
#pragma once

#include <cstdint>
#include <vector>

#include "models/network.h"

namespace tidemill::models {

// Returns where the rows of each category begin in the table that holds all of them.
torch::Tensor CategoryOffsets(const std::vector<int64_t>& categories);

// Makes that table.
torch::nn::Embedding CategoryTable(const std::vector<int64_t>& categories, int64_t width,
                                   bool sparse);

// Turns rows of single numbers, [n], into [n, 1], as layers need them.
torch::Tensor AsRows(const torch::Tensor& column);

// Returns the number of numbers in a row.
int64_t RowWidth(const InputSpec& input);

}  // namespace tidemill::models

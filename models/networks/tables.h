// Categories and numbers as networks compute with them. All throw c10::Error: call them in Guard().
#pragma once

#include <cstdint>
#include <vector>

#include "models/network.h"

namespace tidemill::models {

// Where the rows of each category begin in one table that holds all of them.
torch::Tensor CategoryOffsets(const std::vector<int64_t>& categories);

// That table.
torch::nn::Embedding CategoryTable(const std::vector<int64_t>& categories, int64_t width,
                                   bool sparse);

// Rows of single numbers are [n]; layers want [n, 1].
torch::Tensor AsRows(const torch::Tensor& column);

// Numbers in a row.
int64_t RowWidth(const InputSpec& input);

}  // namespace tidemill::models

// Finds out how an input is laid out, from its beginning: delimiter, header, columns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/foreign/row_converter.h"
#include "storage/spec/dataset_spec.h"

namespace tidemill::storage {

struct InputLayout {
  // The dataset's spec without what needs missing columns.
  DatasetSpec spec;
  // Null when the input has the form of the dataset.
  std::unique_ptr<RowConverter> converter = nullptr;
  // The columns of the dataset that the input does not have.
  std::vector<std::string> missing_columns = {};
  // Remarks for the user: "the delimiter is ';'".
  std::vector<std::string> notes = {};
};

// Chooses the layout of the input at `path`, which begins with `bytes`: at least its first line. A
// header that the converter must not see, and a byte order mark, are removed from `bytes`. `header`
// is as in ForeignOptions. INVALID_ARGUMENT for an input that cannot be read in the form of the
// dataset.
absl::StatusOr<InputLayout> ChooseLayout(const DatasetSpec& spec, const std::string& path,
                                         std::optional<bool> header, std::string& bytes);

}  // namespace tidemill::storage

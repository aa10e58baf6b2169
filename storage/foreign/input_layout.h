// Finds out how an input is laid out, from its beginning: delimiter, header, columns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

struct LayoutOptions {
  std::string path;
  // As in ForeignOptions.
  std::optional<bool> header = std::nullopt;
  std::vector<std::string> fields = {};
};

// Chooses the layout of an input which begins with `bytes`: at least its first row. A header that
// the converter must not see, and a byte order mark, are removed from `bytes`. INVALID_ARGUMENT for
// an input that cannot be read in the form of the dataset.
absl::StatusOr<InputLayout> ChooseLayout(const DatasetSpec& spec, const LayoutOptions& options,
                                         std::string& bytes);

// Whether the first row of an input for such a dataset is there as a whole, and the most bytes of
// it that ChooseLayout() needs.
bool HasFirstRow(const DatasetSpec& spec, std::string_view bytes);
size_t MaxFirstRow(const DatasetSpec& spec);

}  // namespace tidemill::storage

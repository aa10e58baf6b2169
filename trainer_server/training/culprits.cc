#include "trainer_server/training/culprits.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace tidemill::trainer_server {
namespace {

// Seldom reached by losses of whatever unit, and far below kAbsurd divided by any batch's size.
constexpr double kWorthALook = 1e9;
// So much larger than others of its batch, a loss has no square as a float.
constexpr double kAbsurd = 1e18;
// Fewer rows say nothing of what is usual.
constexpr size_t kFewRows = 3;

std::optional<double> MedianOfFinite(std::span<const double> losses) {
  std::vector<double> finite;
  for (const double loss : losses) {
    if (std::isfinite(loss)) finite.push_back(std::abs(loss));
  }
  if (finite.empty()) return std::nullopt;
  const auto middle = finite.begin() + static_cast<std::ptrdiff_t>((finite.size() - 1) / 2);
  std::nth_element(finite.begin(), middle, finite.end());
  return *middle;
}

// The size of the largest number in a row of the model's inputs that are real ones.
double LargestInput(const batch::Batch& rows, int64_t row) {
  double largest = 0;
  for (const batch::Column& column : rows.columns()) {
    if (!column.name.starts_with("input") || column.type != batch::DataType::kFloat32) continue;
    const auto width = static_cast<size_t>(column.Width());
    const auto values = column.Values<float>();
    if (values.size() != static_cast<size_t>(rows.num_rows()) * width) continue;  // Ragged.
    for (const float value : values.subspan(static_cast<size_t>(row) * width, width)) {
      largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
  }
  return largest;
}

}  // namespace

bool IsSuspicious(double batch_loss) {
  return !std::isfinite(batch_loss) || std::abs(batch_loss) > kWorthALook;
}

std::vector<int64_t> FindCulprits(std::span<const double> losses,
                                  std::optional<double> usual_loss) {
  const bool has_few_rows = losses.size() < kFewRows;
  const std::optional<double> usual = has_few_rows ? usual_loss : MedianOfFinite(losses);
  // When even the usual loss is absurd, the weights have diverged.
  if (!usual.has_value() || !(std::abs(*usual) < kAbsurd)) return {};
  std::vector<int64_t> culprits;
  for (size_t row = 0; row < losses.size(); ++row) {
    if (!(std::abs(losses[row]) <= kAbsurd * (1 + std::abs(*usual)))) {
      culprits.push_back(static_cast<int64_t>(row));
    }
  }
  if (!has_few_rows && 2 * culprits.size() > losses.size()) return {};
  return culprits;
}

std::vector<int64_t> RowsBut(const std::vector<int64_t>& left_out, int64_t num_rows) {
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < num_rows; ++row) {
    if (!std::binary_search(left_out.begin(), left_out.end(), row)) rows.push_back(row);
  }
  return rows;
}

absl::StatusOr<std::vector<loader::Unreadable>> DescribeCulprits(
    const batch::Batch& rows, const std::vector<int64_t>& culprits, std::string_view what,
    const std::vector<double>& values) {
  ASSIGN_OR_RETURN(const batch::Column* const column,
                   rows.Get(batch::kKeyColumn, batch::DataType::kInt64));
  std::vector<loader::Unreadable> described;
  for (const int64_t row : culprits) {
    const auto position = static_cast<size_t>(row);
    described.push_back(
        {.key = column->Values<int64_t>()[position],
         .reason = fmt::format("{} is {:.3g}, far greater than all others; the largest number of "
                               "its input is {:.3g}; correct the value, or clip the feature",
                               what, values[position], LargestInput(rows, row))});
  }
  return described;
}

}  // namespace tidemill::trainer_server

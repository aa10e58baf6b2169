#include "evaluator/measures/measure_process.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "plugin/process/fault.h"
#include "plugin/process/taken_plugin.h"

namespace tidemill::evaluator {
namespace {

using nlohmann::json;

constexpr char kKind[] = "measure";
// The seed of measures, which draw nothing unless the plug-in does.
constexpr uint64_t kSeed = 0;
// The limit of the columns that are sent together.
constexpr size_t kMaxBytes = size_t{16} << 20;
// The limit of the rows of sums that are sent together.
constexpr size_t kMaxSums = size_t{1} << 14;
// A plug-in that took too long so often is not asked again: each time may take a day.
constexpr int kMaxLate = 3;

template <typename T>
batch::Column View(std::string_view name, batch::DataType type, std::span<const T> numbers,
                   const std::vector<int64_t>& shape = {}) {
  return {.name = std::string(name),
          .type = type,
          .shape = shape,
          .data = batch::Buffer::Wrap(numbers.data(), numbers.size_bytes(), nullptr)};
}

batch::Column AsDoubles(std::string_view name, std::span<const float> numbers) {
  batch::Column column{.name = std::string(name),
                       .type = batch::DataType::kFloat64,
                       .data = batch::Buffer::AllocateUnwritten(numbers.size() * sizeof(double))};
  std::ranges::copy(numbers, column.data.MutableAs<double>().begin());
  return column;
}

// The columns of some samples of a block. The columns of classes are views.
absl::StatusOr<batch::Batch> ColumnsOf(const Outcomes& block, size_t begin, size_t num_rows) {
  batch::Batch columns(static_cast<int64_t>(num_rows));
  if (block.true_classes.empty()) {
    RETURN_IF_ERROR(columns.Set(AsDoubles("label", block.true_values.subspan(begin, num_rows))));
    RETURN_IF_ERROR(
        columns.Set(AsDoubles("prediction", block.predicted_values.subspan(begin, num_rows))));
    return columns;
  }
  using batch::DataType;
  RETURN_IF_ERROR(
      columns.Set(View("label", DataType::kInt64, block.true_classes.subspan(begin, num_rows))));
  RETURN_IF_ERROR(columns.Set(
      View("prediction", DataType::kInt64, block.predicted_classes.subspan(begin, num_rows))));
  if (block.probabilities.empty()) return columns;
  const auto width = static_cast<size_t>(block.num_classes);
  RETURN_IF_ERROR(columns.Set(View("probabilities", DataType::kFloat32,
                                   block.probabilities.subspan(begin * width, num_rows * width),
                                   {block.num_classes})));
  return columns;
}

size_t RowsAtOnce(const Outcomes& block) {
  const size_t bytes = 2 * sizeof(double) + static_cast<size_t>(block.num_classes) * sizeof(float);
  return std::max<size_t>(1, kMaxBytes / bytes);
}

}  // namespace

MeasureProcess::MeasureProcess(const plugin::PluginUse& use)
    : use_(use.use), instance_(use, kKind, kSeed, plugin::HostSettingsOf(use)) {}

absl::Status MeasureProcess::Refuse(const std::string& what) const {
  return InvalidArgument("{}: {}", use_, what);
}

absl::StatusOr<batch::Batch> MeasureProcess::Call(const char* call, const batch::Batch& columns) {
  if (num_late_ >= kMaxLate) {
    return DeadlineExceeded("{}: it took too long {} times, and is not called again", use_,
                            num_late_);
  }
  const auto answer = instance_.Call([&](plugin::HostProcess& host) -> absl::StatusOr<json> {
    ASSIGN_OR_RETURN(json request, host.AddColumns(columns));
    request["call"] = call;
    return request;
  });
  if (absl::IsDeadlineExceeded(answer.status())) ++num_late_;
  RETURN_IF_ERROR(answer.status());
  auto read = instance_.Columns(*answer);
  if (!read.ok()) return Refuse(fmt::format("{}: {}", call, std::string(read.status().message())));
  if (read->num_rows() != columns.num_rows()) {
    return Refuse(
        fmt::format("{}: it answered {} rows to {}", call, read->num_rows(), columns.num_rows()));
  }
  return read;
}

absl::Status MeasureProcess::Ask(const Outcomes& block, size_t begin, size_t num_rows,
                                 ContributedBlock& into) {
  ASSIGN_OR_RETURN(const batch::Batch columns, ColumnsOf(block, begin, num_rows));
  ASSIGN_OR_RETURN(const batch::Batch answer, Call("measure", columns));
  const auto found = answer.Get("contributions", batch::DataType::kFloat64);
  if (!found.ok()) return Refuse(fmt::format("measure: {}", std::string(found.status().message())));
  const auto width = static_cast<size_t>((*found)->Width());
  if (width < 1 || width > kMaxContributions || (begin > 0 && width != into.width)) {
    return Refuse(fmt::format(
        "measure: {} numbers for each sample; 1 to {} are allowed, the same number in every block",
        width, kMaxContributions));
  }
  into.width = width;
  // A copy, since the other process may still write.
  const auto numbers = (*found)->Values<double>();
  into.numbers.insert(into.numbers.end(), numbers.begin(), numbers.end());
  const auto own = std::span(into.numbers).last(numbers.size());
  if (std::ranges::all_of(own, [](double number) { return std::isfinite(number); })) {
    return absl::OkStatus();
  }
  return Refuse("measure: the contribution of a sample is not a finite number");
}

absl::StatusOr<ContributedBlock> MeasureProcess::Contribute(const Outcomes& block) {
  MutexLock lock(mutex_);
  ContributedBlock all;
  const size_t at_once = RowsAtOnce(block);
  for (size_t begin = 0; begin < block.size(); begin += at_once) {
    RETURN_IF_ERROR(Ask(block, begin, std::min(at_once, block.size() - begin), all));
  }
  return all;
}

absl::StatusOr<std::vector<std::optional<double>>> MeasureProcess::Combine(
    std::span<const double> sums, size_t width) {
  MutexLock lock(mutex_);
  std::vector<std::optional<double>> values;
  while (!sums.empty()) {
    const auto part = sums.first(std::min(sums.size(), kMaxSums * width));
    sums = sums.subspan(part.size());
    batch::Batch columns(static_cast<int64_t>(part.size() / width));
    RETURN_IF_ERROR(
        columns.Set(View("sums", batch::DataType::kFloat64, part, {static_cast<int64_t>(width)})));
    ASSIGN_OR_RETURN(const batch::Batch answer, Call("combine", columns));
    const auto found = answer.Get("value", batch::DataType::kFloat64);
    if (!found.ok())
      return Refuse(fmt::format("combine: {}", std::string(found.status().message())));
    if ((*found)->Width() != 1) return Refuse("combine: it returned several values for a row");
    for (int64_t row = 0; row < columns.num_rows(); ++row) {
      const double value = (*found)->Values<double>()[static_cast<size_t>(row)];
      const bool is_one = std::isfinite(value) && (*found)->IsValid(row);
      values.push_back(is_one ? std::optional(value) : std::nullopt);
    }
  }
  return values;
}

void MeasureProcess::Note(const absl::Status& failure) {
  MutexLock lock(mutex_);
  noted_.Update(failure);
}

bool MeasureProcess::has_noted() {
  MutexLock lock(mutex_);
  return !noted_.ok();
}

absl::Status MeasureProcess::TakeNoted() {
  MutexLock lock(mutex_);
  return std::exchange(noted_, absl::OkStatus());
}

}  // namespace tidemill::evaluator

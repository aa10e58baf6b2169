#include "transform/testing/samples.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/status.h"

namespace tidemill::transform::testing {
namespace {

batch::Batch MakePayloads(const std::vector<std::string>& payloads) {
  batch::Batch samples(std::ssize(payloads));
  std::vector<int64_t> keys(payloads.size());
  std::iota(keys.begin(), keys.end(), 100);
  const std::vector<std::string_view> views(payloads.begin(), payloads.end());
  samples.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)).IgnoreError();
  samples.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, views)).IgnoreError();
  return samples;
}

template <typename T>
void SetLabels(std::string_view name, const std::vector<std::optional<T>>& labels,
               batch::Batch& samples) {
  std::vector<T> values;
  batch::Buffer validity = batch::Buffer::Allocate((labels.size() + 7) / 8);
  for (size_t i = 0; i < labels.size(); ++i) {
    values.push_back(labels[i].value_or(0));
    if (labels[i].has_value()) {
      validity.mutable_data()[i / 8] |= static_cast<std::byte>(1 << (i % 8));
    }
  }
  batch::Column column = batch::MakeColumn<T>(name, values);
  column.validity = validity;
  samples.Set(std::move(column)).IgnoreError();
}

}  // namespace

batch::Batch MakeSamples(const std::vector<std::string>& payloads,
                         const std::vector<std::optional<int64_t>>& labels) {
  batch::Batch samples = MakePayloads(payloads);
  if (!labels.empty()) SetLabels(batch::kClassLabelColumn, labels, samples);
  return samples;
}

batch::Batch MakeRealSamples(const std::vector<std::string>& payloads,
                             const std::vector<std::optional<double>>& labels) {
  batch::Batch samples = MakePayloads(payloads);
  SetLabels(batch::kRealLabelColumn, labels, samples);
  return samples;
}

batch::Batch Slice(const batch::Batch& batch, int64_t begin, int64_t count) {
  std::vector<int64_t> rows(std::min(count, batch.num_rows() - begin));
  std::iota(rows.begin(), rows.end(), begin);
  return batch.Take(rows);
}

absl::StatusOr<Transformed> RunInBlocks(const Graph& graph, const batch::Batch& samples,
                                        const FittedState* fitted, int64_t block) {
  std::vector<batch::Batch> parts;
  Transformed all;
  for (int64_t begin = 0; begin < samples.num_rows(); begin += block) {
    ASSIGN_OR_RETURN(Transformed part, graph.Run(Slice(samples, begin, block), fitted));
    for (BadSample& bad : part.bad) all.bad.push_back({bad.row + begin, std::move(bad.reason)});
    parts.push_back(std::move(part.batch));
  }
  ASSIGN_OR_RETURN(all.batch, batch::Concatenate(parts));
  return all;
}

SampleSchema CsvSchema(std::vector<std::string> columns) {
  return {.payload = PayloadKind::kCsv,
          .columns = std::move(columns),
          .label = LabelKind::kClass,
          .num_classes = 10};
}

}  // namespace tidemill::transform::testing

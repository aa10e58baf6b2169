#include "evaluator/testing/samples.h"

#include <string_view>

namespace tidemill::evaluator::testing {

transform::SampleSchema Schema() {
  return {.columns = std::vector<std::string>{"x", "y"},
          .label = transform::LabelKind::kClass,
          .num_classes = 2};
}

batch::Batch Samples(int64_t from, int64_t to) {
  std::vector<std::string> records;
  std::vector<int64_t> classes;
  for (int64_t i = from; i < to; ++i) {
    records.push_back(std::to_string(i) + (i > 4 ? ",HIGH" : ",LOW"));
    classes.push_back(i > 4 ? 1 : 0);
  }
  return SamplesOf(records, classes, from);
}

batch::Batch SamplesOf(const std::vector<std::string>& records, const std::vector<int64_t>& classes,
                       int64_t first) {
  std::vector<int64_t> keys;
  std::vector<int64_t> times;
  for (size_t i = 0; i < records.size(); ++i) {
    keys.push_back(first + static_cast<int64_t>(i) + 1);
    times.push_back(10 * (first + static_cast<int64_t>(i)));
  }
  const std::vector<std::string_view> payloads(records.begin(), records.end());
  batch::Batch batch(static_cast<int64_t>(records.size()));
  batch.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)).IgnoreError();
  batch.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, times)).IgnoreError();
  batch.Set(batch::MakeColumn<int64_t>(batch::kClassLabelColumn, classes)).IgnoreError();
  batch.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, payloads)).IgnoreError();
  return batch;
}

}  // namespace tidemill::evaluator::testing

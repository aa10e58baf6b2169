#include "models/export/sample_rows.h"

#include <memory>
#include <string_view>
#include <vector>

#include "storage/foreign/foreign_records.h"

namespace tidemill::models {

absl::StatusOr<batch::Batch> ReadSampleRows(const storage::DatasetSpec& dataset,
                                            const std::string& file) {
  constexpr int64_t kMaxRows = 200;
  ASSIGN_OR_RETURN(const auto records, storage::ForeignRecords::Open(dataset, {.inputs = {file}}));
  storage::ForeignBlock block;
  RETURN_IF_ERROR(records->Next(kMaxRows, block).status());
  batch::Batch samples(std::ssize(block.records));
  const std::vector<std::string_view> views(block.records.begin(), block.records.end());
  RETURN_IF_ERROR(samples.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, views)));
  RETURN_IF_ERROR(
      samples.Set(batch::MakeColumn<int64_t>(batch::kEventTimeColumn, block.event_times)));
  return samples;
}

}  // namespace tidemill::models

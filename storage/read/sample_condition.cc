#include "storage/read/sample_condition.h"

#include <string>
#include <utility>
#include <vector>

#include "base/logs/log.h"
#include "storage/client/storage_client.h"
#include "storage/read/sample_block_reader.h"

namespace tidemill::storage {

namespace {

using expressions::Truth;

}  // namespace

SampleCondition::SampleCondition(SampleIndex& indexes, std::shared_ptr<const DatasetIndex> index,
                                 OpenFiles& files, samples::SampleExpression expression,
                                 int64_t block_bytes)
    : indexes_(&indexes),
      index_(std::move(index)),
      files_(&files),
      expression_(std::move(expression)),
      block_bytes_(block_bytes) {}

absl::StatusOr<SampleCondition> SampleCondition::Make(SampleIndex& indexes,
                                                      std::shared_ptr<const DatasetIndex> index,
                                                      OpenFiles& files, const std::string& where,
                                                      int64_t block_bytes) {
  ASSIGN_OR_RETURN(
      samples::SampleExpression expression,
      samples::SampleExpression::Make(index->spec(), where, expressions::Type::kTruth));
  return SampleCondition(indexes, std::move(index), files, std::move(expression), block_bytes);
}

absl::Status SampleCondition::AddMatches(batch::Batch& rows) {
  std::vector<uint8_t> matches(static_cast<size_t>(rows.num_rows()), 1);
  if (expression_.reads_records()) {
    RETURN_IF_ERROR(ReadRecords(rows, matches));
  } else {
    RETURN_IF_ERROR(expression_.Run(rows, [&](int64_t row, const expressions::Evaluation& results) {
      for (const Truth value : results.Values<Truth>()) {
        matches[static_cast<size_t>(row++)] = value == Truth::kTrue ? 1 : 0;
      }
    }));
  }
  return rows.Set(batch::MakeColumn<uint8_t>(kMatchesColumn, matches));
}

void SampleCondition::LogUnfit() const {
  if (expression_.num_unfit() == 0) return;
  log::Warn(
      "fields do not have the type that a condition needs; they count as null",
      {{"fields", std::to_string(expression_.num_unfit())}, {"first", expression_.first_unfit()}});
}

absl::Status SampleCondition::ReadRecords(const batch::Batch& rows, std::span<uint8_t> matches) {
  const std::span<const int64_t> keys = rows.keys();
  SampleBlockReader reader(*indexes_, index_, *files_, {keys.begin(), keys.end()});
  size_t next = 0;
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<SampleBlock> block, reader.Next(block_bytes_));
    if (!block) return absl::OkStatus();
    const std::span<const int64_t> read = block->batch.keys();
    RETURN_IF_ERROR(
        expression_.Run(block->batch, [&](int64_t row, const expressions::Evaluation& results) {
          for (const Truth value : results.Values<Truth>()) {
            while (keys[next] != read[static_cast<size_t>(row)]) ++next;
            matches[next++] = value == Truth::kTrue ? 1 : 0;
            ++row;
          }
        }));
  }
}

}  // namespace tidemill::storage

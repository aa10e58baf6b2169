// Cuts rows into the batches that asked for them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "batch/batch.h"
#include "loader/batch_source.h"
#include "loader/batches/batch_ordinals.h"
#include "loader/batches/batch_parts.h"
#include "loader/training_set.h"

namespace tidemill::loader {

// Why samples that were read together could not be used. Views the rows that it was made of.
class SkipReasons {
 public:
  // `otherwise` is for samples of which it is only known that they were bad before.
  SkipReasons(const Rows& rows, std::string otherwise);

  // Why the sample with this key is a hole.
  std::string Of(int64_t key) const;

 private:
  std::unordered_map<int64_t, std::string_view> by_key_;
  const std::string otherwise_;
};

// Numbers, weighs and cuts rows; what it is given stands in the order of the ordinals asked for,
// with a hole for each sample that could not be used. Thread-safe.
class BatchCutter {
 public:
  // What it is given must outlive it.
  BatchCutter(const BatchParts& parts, const BatchOrdinals& ordinals)
      : parts_(parts), ordinals_(ordinals) {}

  // The batches from number `first` on, out of rows that were made for them.
  absl::StatusOr<std::vector<TrainingBatch>> Cut(const Rows& rows, const WantedSamples& wanted,
                                                 int64_t first) const;
  // The same, out of rows that are kept as well: `places` is what BatchParts::kept said of the
  // ordinals, and `rows` were made for those that it did not know.
  absl::StatusOr<std::vector<TrainingBatch>> CutKept(const Rows& rows, const WantedSamples& wanted,
                                                     std::vector<int64_t> places,
                                                     int64_t first) const;

  // Gives rows their weights. They are what could be used of `wanted`, which begins at that
  // position of the epoch; there is at least one.
  absl::Status Weigh(std::span<const int64_t> wanted, int64_t first_position,
                     batch::Batch& rows) const;

  // Why the sample with this ordinal is a hole.
  std::string ReasonOf(int64_t ordinal, const SkipReasons& reasons) const;

 private:
  // Weighs the rows of a batch, and says what of it was skipped.
  absl::Status Finish(TrainingBatch& cut, std::span<const int64_t> wanted,
                      const SkipReasons& reasons) const;
  // The rows of the ordinals that are no holes.
  absl::StatusOr<batch::Batch> Gather(std::span<const int64_t> wanted,
                                      std::span<const int64_t> places,
                                      const batch::Batch& read) const;

  const BatchParts& parts_;
  const BatchOrdinals& ordinals_;
};

}  // namespace tidemill::loader

// Cuts rows into the batches that they belong to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "base/status.h"
#include "batch/batch.h"
#include "loader/batch_source.h"
#include "loader/batches/batch_ordinals.h"
#include "loader/batches/batch_parts.h"
#include "loader/training_set.h"

namespace tidemill::loader {

// The reasons why samples that were read together could not be used. It has views of the rows that
// it was made from.
class SkipReasons {
 public:
  // `otherwise` is the reason for samples that were found bad earlier.
  SkipReasons(const Rows& rows, std::string otherwise);

  // Returns why the sample with this key is a hole.
  std::string Of(int64_t key) const;

  // Adds a sample that the graph has filtered earlier.
  void AddFiltered(int64_t key) { filtered_.insert(key); }
  // Whether the sample is a hole because the graph has filtered it.
  bool IsFiltered(int64_t key) const { return filtered_.contains(key); }

 private:
  std::unordered_map<int64_t, std::string_view> by_key_;
  const std::string otherwise_;
  absl::flat_hash_set<int64_t> filtered_;
};

// Numbers, weighs and cuts rows. Rows are given in the order of the requested ordinals, with a hole
// for each sample that could not be used. Thread-safe.
class BatchCutter {
 public:
  // The arguments must outlive this object.
  BatchCutter(const BatchParts& parts, const BatchOrdinals& ordinals)
      : parts_(parts), ordinals_(ordinals) {}

  // Returns the batches from number `first` on, cut from rows that were made for them.
  absl::StatusOr<std::vector<TrainingBatch>> Cut(const Rows& rows, const WantedSamples& wanted,
                                                 int64_t first) const;
  // Does the same, also with rows from the cache. `places` is what BatchParts::kept returned for
  // the ordinals. `rows` were made for the ordinals that it did not know.
  absl::StatusOr<std::vector<TrainingBatch>> CutKept(const Rows& rows, const WantedSamples& wanted,
                                                     std::vector<int64_t> places,
                                                     int64_t first) const;

  // Sets the weights of rows. The rows are the usable samples of `wanted`, which begins at position
  // `first_position` of the epoch. There must be at least one.
  absl::Status Weigh(std::span<const int64_t> wanted, int64_t first_position,
                     batch::Batch& rows) const;

  // Returns why the sample with this ordinal is a hole. std::nullopt when the graph has filtered
  // the sample.
  std::optional<std::string> ReasonOf(int64_t ordinal, const SkipReasons& reasons) const;

 private:
  // Weighs the rows of a batch, and sets its skipped samples.
  absl::Status Finish(TrainingBatch& cut, std::span<const int64_t> wanted,
                      const SkipReasons& reasons) const;
  // Returns the rows of the ordinals that are not holes.
  absl::StatusOr<batch::Batch> Gather(std::span<const int64_t> wanted,
                                      std::span<const int64_t> places,
                                      const batch::Batch& read) const;

  const BatchParts& parts_;
  const BatchOrdinals& ordinals_;
};

}  // namespace tidemill::loader

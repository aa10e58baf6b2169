// Batches of made images in memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "loader/batch_source.h"

namespace tidemill::gpu {

// What a pass over made images is. The class of an image decides the means of its parts, so that a
// network learns. There are at most 27 classes.
struct Images {
  int64_t samples = 8192;
  int64_t batch_size = 256;
  int64_t epochs = 4;
  std::vector<int64_t> shape = {3, 32, 32};
  int64_t classes = 10;
  // Whether batches are in page-locked memory, as those for a GPU are.
  bool pinned = false;
  // The time to make each batch, as of a path that is too slow.
  std::chrono::microseconds delay{0};
};

// Makes every batch once, and gives them in the same order in each epoch. Thread-compatible.
class MadeBatches final : public loader::BatchSource {
 public:
  // Returns the errors of loader::PinTensors().
  static absl::StatusOr<std::unique_ptr<MadeBatches>> Make(const Images& images);

  int64_t num_samples() const override { return images_.samples; }
  int64_t num_batches() const override { return static_cast<int64_t>(batches_.size()); }
  absl::StatusOr<std::optional<loader::TrainingBatch>> Next() override;

 private:
  explicit MadeBatches(const Images& images) : images_(images) {}

  const Images images_;
  std::vector<batch::Batch> batches_;
  int64_t next_ = 0;
};

}  // namespace tidemill::gpu

#include "benchmarks/gpu/made_batches.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <thread>
#include <utility>

#include "base/numbers/random.h"
#include "loader/tensors.h"

namespace tidemill::gpu {
namespace {

// The mean of a third of an image, of which 27 classes have different ones.
double MeanOf(int64_t of_class, int64_t third) {
  const int64_t digit = third == 0 ? of_class : third == 1 ? of_class / 3 : of_class / 9;
  return 0.4 * static_cast<double>(digit % 3 - 1);
}

absl::StatusOr<batch::Batch> MakeBatch(const Images& images, int64_t from, int64_t to) {
  const int64_t width =
      std::accumulate(images.shape.begin(), images.shape.end(), int64_t{1}, std::multiplies<>());
  std::vector<int64_t> ordinals(static_cast<size_t>(to - from));
  std::iota(ordinals.begin(), ordinals.end(), from);
  std::vector<float> input;
  input.reserve(static_cast<size_t>((to - from) * width));
  std::vector<int64_t> target;
  for (const int64_t ordinal : ordinals) {
    const int64_t of_class = ordinal % images.classes;
    target.push_back(of_class);
    for (int64_t i = 0; i < width; ++i) {
      const double noise = RandomUnit({.seed = 5, .purpose = "gpu_test"}, ordinal * width + i);
      input.push_back(static_cast<float>(noise - 0.5 + MeanOf(of_class, 3 * i / width)));
    }
  }
  batch::Batch rows(to - from);
  RETURN_IF_ERROR(rows.Set(batch::MakeColumn<int64_t>("key", ordinals)));
  RETURN_IF_ERROR(rows.Set(batch::MakeColumn<int64_t>("ordinal", ordinals)));
  RETURN_IF_ERROR(rows.Set(batch::MakeColumn<float>("input", input, images.shape)));
  RETURN_IF_ERROR(rows.Set(batch::MakeColumn<int64_t>("target", target)));
  if (images.pinned) RETURN_IF_ERROR(loader::PinTensors(rows));
  return rows;
}

}  // namespace

absl::StatusOr<std::unique_ptr<MadeBatches>> MadeBatches::Make(const Images& images) {
  std::unique_ptr<MadeBatches> made(new MadeBatches(images));
  for (int64_t from = 0; from < images.samples; from += images.batch_size) {
    const int64_t to = std::min(from + images.batch_size, images.samples);
    ASSIGN_OR_RETURN(batch::Batch rows, MakeBatch(images, from, to));
    made->batches_.push_back(std::move(rows));
  }
  return made;
}

absl::StatusOr<std::optional<loader::TrainingBatch>> MadeBatches::Next() {
  if (next_ == num_batches() * images_.epochs) return std::optional<loader::TrainingBatch>();
  std::this_thread::sleep_for(images_.delay);
  loader::TrainingBatch batch{.epoch = next_ / num_batches(), .index = next_ % num_batches()};
  batch.rows = batches_[static_cast<size_t>(batch.index)];
  ++next_;
  return std::optional<loader::TrainingBatch>(std::move(batch));
}

}  // namespace tidemill::gpu

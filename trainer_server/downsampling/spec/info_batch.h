// Leaves out some of the samples that the model has learnt well already.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "config/config.h"
#include "trainer_server/downsampling/spec/method_spec.h"

namespace tidemill::trainer_server {

struct InfoBatch {
  static constexpr std::string_view kType = "info_batch";
  static constexpr std::string_view kDoc =
      "Leaves out some of the samples that are already learnt well. The losses that the training "
      "itself has seen tell which ones.";
  static constexpr std::string_view kRule =
      "before each epoch, the share `prune` of the samples whose last loss is below the mean is "
      "left out, drawn uniformly; from the epoch `until` x epochs on, all samples are trained on";
  static constexpr std::string_view kWeights =
      "1; for samples below the mean, (samples there) / (samples kept there): the sum over an "
      "epoch stays unbiased";
  static constexpr std::string_view kCost = "only four bytes for each sample";
  static constexpr std::string_view kSource =
      "Qin et al., InfoBatch: Lossless Training Speed Up by Unbiased Dynamic Data Pruning (ICLR "
      "2024)";
  double prune = 0.5;
  double until = 0.875;
  int64_t warmup_triggers = 0;

  void Fields(auto&& field) {
    field("prune", prune, "Share of the samples learnt well to leave out.",
          {.min = 0, .max = 0.99});
    field("until", until, "Share of the epochs in which samples are left out.",
          {.min = 0, .max = 1});
    field("warmup_triggers", warmup_triggers,
          "This many triggers at the beginning train on everything.", {.min = 0});
  }
  friend bool operator==(const InfoBatch&, const InfoBatch&) = default;
};

std::unique_ptr<const LossMethod> MakeMethod(const InfoBatch& spec);

template <>
class DownsamplingOf<InfoBatch> final : public DownsamplingBase<InfoBatch> {
 protected:
  int64_t WarmupTriggers() const override { return spec_.warmup_triggers; }
};

}  // namespace tidemill::trainer_server

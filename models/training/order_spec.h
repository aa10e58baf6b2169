// The `order` of a `training` section: in which order the samples of an epoch are visited.
//
//   order: full
//   order: {type: block, samples: 4096, window: 262_144}
#pragma once

#include <string_view>
#include <variant>

#include "config/config.h"

namespace tidemill::models {

struct NoOrder {
  static constexpr std::string_view kType = "none";
  static constexpr std::string_view kDoc = "As the samples stand in the stream.";
  void Fields(auto&&) {}
  friend bool operator==(const NoOrder&, const NoOrder&) = default;
};

struct FullOrder {
  static constexpr std::string_view kType = "full";
  static constexpr std::string_view kDoc =
      "Anew in each epoch, each order of all samples being as likely as another.";
  void Fields(auto&&) {}
  friend bool operator==(const FullOrder&, const FullOrder&) = default;
};

struct BlockOrder {
  static constexpr std::string_view kType = "block";
  static constexpr std::string_view kDoc =
      "Blocks of neighbours in a new random order, and the samples of a few blocks at a time among "
      "themselves: for data on slow disks or far away, where neighbours are cheaper to read.";
  config::Count samples{4096};
  config::Count window{65'536};
  void Fields(auto&& field) {
    field("samples", samples, "Neighbours in a block.");
    field("window", window, "Samples that are shuffled among themselves.");
  }
  void Check(config::Problems& problems) const {
    if (samples.value < 1) problems.Add("samples", "must be at least 1", "write 4096");
    if (window.value < 1) problems.Add("window", "must be at least 1", "write 65_536");
  }
  friend bool operator==(const BlockOrder&, const BlockOrder&) = default;
};

struct ReservoirOrder {
  static constexpr std::string_view kType = "reservoir";
  static constexpr std::string_view kDoc =
      "Through a buffer, from which a random sample leaves as the next of the stream enters: early "
      "samples stay early, neighbours part.";
  config::Count samples{65'536};
  void Fields(auto&& field) { field("samples", samples, "Samples in the buffer."); }
  void Check(config::Problems& problems) const {
    if (samples.value < 1 || samples.value > 100'000'000) {
      problems.Add("samples", "must be between 1 and 1e8", "write 65_536");
    }
  }
  friend bool operator==(const ReservoirOrder&, const ReservoirOrder&) = default;
};

using OrderSpec = std::variant<FullOrder, NoOrder, BlockOrder, ReservoirOrder>;

}  // namespace tidemill::models

// The `mix` of a `training` section: batches from several sources, in given shares.
//
//   mix:
//     mode: stratified
//     sources:
//       - {classes: [1], weight: 1}
//       - {weight: 3}
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"

#include "config/config.h"

namespace tidemill::models {

enum class MixMode { kStratified, kRandom };

struct MixSource {
  static constexpr std::string_view kDoc =
      "Some of the samples: those of some classes, of some files, or of both. Without either, all "
      "samples that belong to no earlier source.";
  std::vector<int64_t> classes = {};
  std::string files = {};
  double weight = 1;

  void Fields(auto&& field) {
    field("classes", classes, "Class labels.", {.example = "[0, 3]"});
    field("files", files,
          "Files below the dataset's folder. This is a pattern: * is any text without /, ** any "
          "text.",
          {.example = "\"2026-*/**\""});
    field("weight", weight, "The source's share of each batch, in proportion to the other weights.",
          {.min = 1e-9, .max = 1e9});
  }
  friend bool operator==(const MixSource&, const MixSource&) = default;
};

struct Mix {
  static constexpr std::string_view kDoc =
      "Fills batches from several sources, in given shares. An epoch has as many samples as the "
      "training set. A source with too few samples for its share begins again, in a new order.";
  std::vector<MixSource> sources = {};
  MixMode mode = MixMode::kStratified;

  void Fields(auto&& field) {
    field("sources", sources,
          "Where samples come from. A sample belongs to the first source that it fits.",
          {.required = true});
    field("mode", mode,
          "`stratified`: each batch has its share of each source, to within one sample. `random`: "
          "each sample is drawn from a random source, so the shares hold on average.");
  }
  void Check(config::Problems& problems) const {
    if (sources.empty() || sources.size() > 64) {
      problems.Add("sources", "must be 1 to 64", "");
    }
    for (size_t i = 0; i < sources.size(); ++i) {
      if (!std::isfinite(sources[i].weight)) {
        problems.Add(fmt::format("sources[{}].weight", i), "is not finite", "");
      }
    }
  }
  friend bool operator==(const Mix&, const Mix&) = default;
};

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::MixMode> {
  static constexpr std::pair<tidemill::models::MixMode, std::string_view> kNames[] = {
      {tidemill::models::MixMode::kStratified, "stratified"},
      {tidemill::models::MixMode::kRandom, "random"}};
};

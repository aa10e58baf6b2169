// The `start_from` of a `training` section: the weights with which a network begins that has no
// model of an earlier trigger.
//
//   start_from: {model: 17}
//   start_from:
//     file: resnet50.safetensors
//     layers: [{modules: "fc.*", take: never}, {modules: "*"}]
//   start_from: {folder: bert, layers: [{modules: "*", from: "bert.*"}]}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"

namespace tidemill::models {

enum class Take { kAlways, kIfFound, kNever };

// Which arrays of the network begin with which arrays of the weights.
struct StartLayers {
  std::string modules = "*";
  std::string from = {};
  Take take = Take::kAlways;

  void Fields(auto&& field) {
    field("modules", modules,
          "Which parameters and buffers of the network: a pattern with * and ? for their names.",
          {.min = 1, .required = true, .example = "\"layer*\""});
    field("from", from,
          "Their names in the weights, where these differ: a pattern whose * stands for what the * "
          "of `modules` stands for.",
          {.example = "\"encoder.layer*\""});
    field("take", take,
          "always: each must be among the weights, with its shape. if_found: one that is not keeps "
          "its random start. never: all keep it.");
  }
  void Check(config::Problems& problems) const;
  friend bool operator==(const StartLayers&, const StartLayers&) = default;
};

struct StartFrom {
  static constexpr std::string_view kDoc =
      "The weights with which the first training begins, and each training without warm_start. A "
      "training that follows a model of the run begins with that model.";
  std::optional<int64_t> model = std::nullopt;
  std::string file = {};
  std::string folder = {};
  std::vector<std::string> kept = {};
  std::vector<StartLayers> layers = {};

  void Fields(auto&& field) {
    field("model", model, "A stored model, by its number.", {.min = 1, .example = "17"});
    field("file", file,
          "A safetensors file, below the pipeline's folder or a folder with data. `tidemill run` "
          "sends it (1 GiB at most), and the stack keeps it.",
          {.example = "resnet50.safetensors"});
    field("folder", folder,
          "A folder in the layout of hubs of models: model.safetensors, or "
          "model.safetensors.index.json and the files that it names.",
          {.example = "minilm"});
    field(
        "kept", kept,
        "The files as the stack keeps them, by their digests. `tidemill run` writes this in place "
        "of `file` and `folder`.");
    field(
        "layers", layers,
        "Which arrays are taken. The first entry whose pattern matches a name holds for it; "
        "arrays that no entry matches keep their random start. By default all are taken, and each "
        "must be there.");
  }
  void Check(config::Problems& problems) const;
  // Returns `layers` or their default.
  std::vector<StartLayers> Layers() const;
  friend bool operator==(const StartFrom&, const StartFrom&) = default;
};

// Returns the entry that holds for an array of a network; nullptr when none does.
const StartLayers* LayersOf(const std::vector<StartLayers>& layers, const std::string& name);

// Returns the name in the weights of an array of a network that the entry's `modules` match.
std::string NameIn(const StartLayers& layers, const std::string& name);

}  // namespace tidemill::models

template <>
struct tidemill::config::EnumNames<tidemill::models::Take> {
  using Type = tidemill::models::Take;
  static constexpr std::pair<Type, std::string_view> kNames[] = {
      {Type::kAlways, "always"}, {Type::kIfFound, "if_found"}, {Type::kNever, "never"}};
};

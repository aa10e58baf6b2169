#include "models/training/start_from_spec.h"

#include <fnmatch.h>

#include <algorithm>

namespace tidemill::models {

void StartLayers::Check(config::Problems& problems) const {
  if (from.empty()) return;
  const auto stars = std::ranges::count(modules, '*');
  if (std::ranges::count(from, '*') != stars || stars > 1 || modules.find('?') != modules.npos) {
    problems.Add("from", "needs one * where `modules` has one, and no other",
                 "write {modules: \"layer1.*\", from: \"encoder.1.*\"}");
  }
  if (take == Take::kNever) {
    problems.Add("from", "cannot be used with take: never", "leave one out");
  }
}

void StartFrom::Check(config::Problems& problems) const {
  const int named =
      (model ? 1 : 0) + (file.empty() ? 0 : 1) + (folder.empty() ? 0 : 1) + (kept.empty() ? 0 : 1);
  if (named != 1) {
    problems.Add("", "needs one of model, file and folder", "write file: weights.safetensors");
  }
  const auto takes_none = [](const StartLayers& one) { return one.take == Take::kNever; };
  if (!layers.empty() && std::ranges::all_of(layers, takes_none)) {
    problems.Add("layers", "takes nothing: arrays that no entry matches keep their random start",
                 "add {modules: \"*\"} as the last entry");
  }
}

std::vector<StartLayers> StartFrom::Layers() const {
  if (!layers.empty()) return layers;
  return {StartLayers()};
}

const StartLayers* LayersOf(const std::vector<StartLayers>& layers, const std::string& name) {
  for (const StartLayers& one : layers) {
    if (fnmatch(one.modules.c_str(), name.c_str(), 0) == 0) return &one;
  }
  return nullptr;
}

std::string NameIn(const StartLayers& layers, const std::string& name) {
  if (layers.from.empty()) return name;
  const size_t star = layers.modules.find('*');
  if (star == std::string::npos) return layers.from;
  const size_t rest = layers.modules.size() - star - 1;
  std::string found = layers.from;
  return found.replace(found.find('*'), 1, name.substr(star, name.size() - star - rest));
}

}  // namespace tidemill::models

// The part of DiskFiles that finds the files of weights.
#include <filesystem>
#include <set>
#include <utility>

#include "fmt/format.h"
#include "nlohmann/json.hpp"

#include "base/files.h"
#include "models/torch/safetensors.h"
#include "supervisor/pipeline/disk_files.h"

namespace tidemill::supervisor {

namespace fs = std::filesystem;

std::optional<DiskFiles::Network> DiskFiles::LookAtWeights(const std::string& name,
                                                           std::string_view field,
                                                           config::Problems& problems,
                                                           std::vector<std::string>& arrays) const {
  std::string head;
  auto network = Digest(name, field, problems, [&head](std::string_view bytes) {
    const auto needed = models::HeaderBytes(head.empty() ? bytes : std::string_view(head));
    if (!needed.ok() || std::ssize(head) >= *needed) return;
    head += bytes.substr(0, static_cast<size_t>(*needed) - head.size());
  });
  if (!network) return std::nullopt;
  const auto file = models::ReadTensorHeader(head, network->size_bytes);
  if (!file.ok()) {
    problems.Add(
        field,
        fmt::format("{} is not a safetensors file: {}", name, std::string(file.status().message())),
        "write it with safetensors.torch.save_file(module.state_dict(), path)");
    return std::nullopt;
  }
  for (const auto& [array, tensor] : file->tensors) arrays.push_back(array);
  return network;
}

std::optional<std::vector<std::string>> DiskFiles::FilesOf(const std::string& folder,
                                                           std::string_view field,
                                                           config::Problems& problems) const {
  constexpr char kSingle[] = "model.safetensors";
  constexpr char kIndex[] = "model.safetensors.index.json";
  constexpr size_t kMostIndexBytes = size_t{16} << 20;
  const fs::path within(folder);
  if (files::Exists((fs::path(base_folder_) / within / kSingle).string())) {
    return std::vector<std::string>{within / kSingle};
  }
  if (!files::Exists((fs::path(base_folder_) / within / kIndex).string())) {
    problems.Add(field, fmt::format("{} holds neither {} nor {}", folder, kSingle, kIndex),
                 "name the folder of a model as a hub lays it out, or write file: FILE");
    return std::nullopt;
  }
  const auto text = ReadOnce(within / kIndex, kMostIndexBytes, field, problems);
  if (!text) return std::nullopt;
  const auto json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  std::set<std::string> names;
  if (json.is_object() && json.contains("weight_map") && json["weight_map"].is_object()) {
    for (const auto& [array, file] : json["weight_map"].items()) {
      if (file.is_string()) names.insert(file.get<std::string>());
    }
  }
  if (names.empty()) {
    problems.Add(field, fmt::format("{} has no weight_map", (within / kIndex).string()),
                 "write it again with save_pretrained()");
    return std::nullopt;
  }
  std::vector<std::string> all;
  for (const std::string& name : names) all.push_back(within / name);
  return all;
}

std::optional<PipelineFiles::Weights> DiskFiles::KeepWeights(const models::StartFrom& start_from,
                                                             std::string_view field,
                                                             config::Problems& problems) {
  const bool is_folder = !start_from.folder.empty();
  std::optional<std::vector<std::string>> names = std::vector<std::string>{start_from.file};
  if (is_folder) names = FilesOf(start_from.folder, field, problems);
  if (!names) return std::nullopt;
  Weights weights;
  std::vector<Network> found;
  for (const std::string& name : *names) {
    auto file = LookAtWeights(name, field, problems, weights.arrays);
    if (!file) return std::nullopt;
    weights.kept.push_back(fmt::format("{}{}", kKeptFile, file->digest));
    found.push_back(*std::move(file));
  }
  weights_ = std::move(found);
  return weights;
}

}  // namespace tidemill::supervisor

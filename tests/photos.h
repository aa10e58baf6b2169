// Small photographs of noise in files, and pipelines over them, for tests of what is kept of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "fmt/format.h"

#include "transform/testing/image_files.h"

namespace tidemill::tests {

// Writes photograph `number` of a folder, which is made where it is missing, and its class: 0 or 1
// by turns. Equal seeds are equal pixels.
inline void WritePhoto(const std::string& folder, int number, uint32_t seed) {
  std::filesystem::create_directories(folder);
  const std::string path = fmt::format("{}/{:03}", folder, number);
  std::ofstream(path + ".number") << number % 2 << "\n";
  std::ofstream(path + ".png") << transform::testing::EncodePng(
      transform::testing::Noise(60, 80, 3, seed));
}

// Returns an entry of `datasets` in a pipeline. The folder of the photographs has the dataset's
// name.
inline std::string PhotosDataset(const std::string& folder, const std::string& name) {
  return fmt::format(R"(  {1}:
    path: {0}/{1}
    files: "*.png"
    format: {{type: single_file}}
    event_time: {{row: {{start: "2024-01-01T00:00:00Z", step: 1s}}}}
    label: {{sidecar: .number, kind: class}}
    settle: 1ms
)",
                     folder, name);
}

// The first ops of a graph: what they make can be kept after `resize`.
inline constexpr char kPhotosOps[] = R"(    - decode_image: {height: 60, width: 80}
    - resize: {height: 12, width: 16}
    - random_crop: {height: 8, width: 8}
    - cast: {columns: [image], dtype: float32}
)";

struct PhotosPipeline {
  std::string workers = {};  // What follows the name of the dataset in `preprocess`.
  int trigger = 100;         // In samples.
  int epochs = 2;
};

// Returns a pipeline over the dataset `photos` in a folder.
inline std::string PhotosPipelineText(const std::string& folder, const PhotosPipeline& pipeline) {
  return fmt::format(R"(version: 1
name: photos
datasets:
{}preprocess:
  dataset: photos{}
  graph:
{}    - reshape: {{column: image, shape: [192]}}
    - stack: {{columns: [image], into: input}}
    - label: {{into: target}}
trigger: {{type: amount, samples: {}}}
selection: {{type: all_data}}
model: {{type: mlp, hidden: [8], outputs: 2}}
training: {{epochs: {}, batch_size: 16, seed: 5}}
)",
                     PhotosDataset(folder, "photos"), pipeline.workers, kPhotosOps,
                     pipeline.trigger, pipeline.epochs);
}

}  // namespace tidemill::tests

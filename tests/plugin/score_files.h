// Score plug-ins of tests, as a pipeline has them once it was submitted.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "gtest/gtest.h"

#include "base/files.h"
#include "config/config.h"
#include "models/training/downsampling_spec.h"

namespace tidemill::tests {

// Wherever they lie.
class ScoreFiles final : public config::NamedFiles {
 public:
  std::optional<std::string> Read(const std::string& name, size_t most, std::string_view key,
                                  config::Problems& problems) override {
    std::string folder = name.ends_with(".so") ? PLUGIN_OBJECTS : PLUGIN_SOURCES;
    if (!std::filesystem::exists(folder + "/" + name)) folder = PLUGIN_EXAMPLES;
    auto bytes = files::Read(folder + "/" + name, most);
    if (bytes.ok()) return *std::move(bytes);
    problems.Add(key, std::string(bytes.status().message()));
    return std::nullopt;
  }
};

inline absl::StatusOr<models::DownsamplingSpec> SubmittedScore(const std::string& yaml) {
  auto decoded = config::Decode<models::DownsamplingSpec>(
      {.text = yaml, .name = "downsampling", .variables = {}});
  ScoreFiles files;
  if (decoded.problems.empty()) decoded.value->TakeFiles(files, decoded.problems);
  RETURN_IF_ERROR(decoded.problems.ToStatus());
  return std::move(decoded.value);
}

}  // namespace tidemill::tests

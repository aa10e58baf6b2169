// What generated datasets share: their start, their classes, and how their files are written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace tidemill::storage::testing {

inline constexpr int64_t kStart = 1'704'067'200;  // 2024-01-01T00:00:00Z.
inline constexpr int64_t kMicros = 1'000'000;
inline constexpr const char* kClasses[] = {"cat", "dog", "owl"};

// Also makes the folders above the file.
inline void WriteFile(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace tidemill::storage::testing

// The folder of a benchmark's data, and the amount of that data.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "fmt/format.h"

namespace tidemill::benchmarks {

// A folder of this process below $TIDEMILL_BENCH_FOLDER or /tmp. The destructor removes it.
class BenchFolder {
 public:
  explicit BenchFolder(const std::string& name) {
    const char* const root = std::getenv("TIDEMILL_BENCH_FOLDER");
    path_ = fmt::format("{}/tidemill_{}.{}", root == nullptr ? "/tmp" : root, name, ::getpid());
    std::filesystem::create_directories(path_);
  }
  ~BenchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  BenchFolder(const BenchFolder&) = delete;
  BenchFolder& operator=(const BenchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Returns $TIDEMILL_BENCH_SAMPLES, written 10000000 or 1e7, or `otherwise`. Ends the program when
// it is not a number.
inline int64_t NumSamples(int64_t otherwise) {
  const char* const text = std::getenv("TIDEMILL_BENCH_SAMPLES");
  if (text == nullptr) return otherwise;
  char* end = nullptr;
  const double asked = std::strtod(text, &end);
  if (*end == '\0' && asked >= 1 && asked <= 1e12) return static_cast<int64_t>(asked);
  fmt::print(stderr, "TIDEMILL_BENCH_SAMPLES={} is not a number of samples, such as 1e6\n", text);
  std::exit(2);
}

}  // namespace tidemill::benchmarks

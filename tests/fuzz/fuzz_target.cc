#include "tests/fuzz/fuzz_target.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* const folder = std::getenv("TIDEMILL_FUZZ_SEEDS");
  if (folder == nullptr) return 0;
  int number = 0;
  for (const std::string& seed : tidemill::fuzz::Seeds()) {
    std::ofstream(std::string(folder) + "/seed" + std::to_string(number++), std::ios::binary)
        << seed;
  }
  std::exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tidemill::fuzz::Try({reinterpret_cast<const char*>(data), size});
  return 0;
}

namespace tidemill::fuzz {

void Promise(bool kept, const char* what) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

}  // namespace tidemill::fuzz

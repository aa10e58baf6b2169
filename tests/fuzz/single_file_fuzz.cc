#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/indexing.h"

namespace tidemill::fuzz {

std::vector<std::string> Seeds() { return {"an image", std::string(1 << 12, 'x'), "\x1f\x8b\x08"}; }

void Try(std::string_view input) {
  TryFormat("format: {type: single_file, max_file: 1MiB}\n", input);
}

}  // namespace tidemill::fuzz

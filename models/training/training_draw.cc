#include "models/training/training_draw.h"

#include <charconv>

#include "base/digest.h"

namespace tidemill::models {

int64_t DrawOf(const std::string& training_set_digest) {
  constexpr size_t kDigits = 15;  // 60 bits.
  const std::string digest = Sha256("draw " + training_set_digest);
  int64_t draw = 0;
  std::from_chars(digest.data(), digest.data() + kDigits, draw, /*base=*/16);
  return draw | 1;
}

}  // namespace tidemill::models

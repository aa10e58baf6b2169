#include "models/training/orders/epoch_order.h"

namespace tidemill::models {

int64_t Below(int64_t end, uint64_t bits) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<int64_t>((static_cast<Wide>(bits) * static_cast<uint64_t>(end)) >> 64);
}

}  // namespace tidemill::models

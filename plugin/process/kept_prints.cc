#include "plugin/process/kept_prints.h"

#include <algorithm>
#include <utility>

#include "base/mutex.h"
#include "base/printable.h"

namespace tidemill::plugin {
namespace {

struct Kept {
  Mutex mutex;
  size_t most ABSL_GUARDED_BY(mutex) = 0;
  std::string text ABSL_GUARDED_BY(mutex);
  bool is_cut ABSL_GUARDED_BY(mutex) = false;
};

Kept& OfThisProcess() {
  static auto* const kept = new Kept();
  return *kept;
}

}  // namespace

void KeepPrints(size_t most) {
  Kept& kept = OfThisProcess();
  MutexLock lock(kept.mutex);
  kept.most = most;
}

bool KeepsPrints() {
  Kept& kept = OfThisProcess();
  MutexLock lock(kept.mutex);
  return kept.most > 0;
}

void AddPrint(std::string_view bytes) {
  Kept& kept = OfThisProcess();
  MutexLock lock(kept.mutex);
  const size_t room = kept.most - std::min(kept.most, kept.text.size());
  kept.text += bytes.substr(0, room);
  kept.is_cut |= kept.most > 0 && bytes.size() > room;
}

std::string TakePrints() {
  Kept& kept = OfThisProcess();
  MutexLock lock(kept.mutex);
  std::string text = Printable(std::exchange(kept.text, ""), "\n\t");
  if (std::exchange(kept.is_cut, false)) text += "...\n";
  kept.most = 0;
  return text;
}

}  // namespace tidemill::plugin

#include "trainer_server/known_threads.h"

#include <algorithm>

#include "base/digest.h"
#include "base/logs/log.h"
#include "trainer_server/folders/job_folder.h"

namespace tidemill::trainer_server {
namespace {

constexpr char kKnownFile[] = "known_threads.json";
constexpr int kMostKinds = 256;

auto FindKind(auto& kinds, std::string_view kind) {
  return std::find_if(kinds.begin(), kinds.end(),
                      [&](const auto& known) { return known.kind() == kind; });
}

}  // namespace

std::string KindOf(const v1::StartTrainingRequest& request, int num_cores) {
  std::string text = std::to_string(num_cores);
  for (const std::string* part :
       {&request.dataset_spec(), &request.graph(), &request.model(), &request.training()}) {
    text += '\0';
    text += *part;
  }
  return Sha256(text);
}

void KnownThreads::ReadOnce() {
  if (is_read_) return;
  is_read_ = true;
  const absl::Status read = ReadMessage(folder_, kKnownFile, known_);
  if (read.ok()) return;
  known_.Clear();
  if (absl::IsNotFound(read)) return;
  log::Warn("known numbers of threads are damaged and are found again",
            {{"error", read.ToString()}});
}

int KnownThreads::Find(std::string_view kind) {
  MutexLock lock(mutex_);
  ReadOnce();
  const auto known = FindKind(known_.kinds(), kind);
  return known == known_.kinds().end() ? 0 : known->threads();
}

absl::Status KnownThreads::Remember(std::string_view kind, int threads) {
  // Held while the file is written: a training ends rarely.
  MutexLock lock(mutex_);
  ReadOnce();
  auto& kinds = *known_.mutable_kinds();
  const auto known = FindKind(kinds, kind);
  if (known != kinds.end()) {
    if (known->threads() == threads) return absl::OkStatus();
    kinds.erase(known);
  }
  while (kinds.size() >= kMostKinds) kinds.erase(kinds.begin());
  v1::KnownThreads::Kind& added = *kinds.Add();
  added.set_kind(std::string(kind));
  added.set_threads(threads);
  return WriteMessage(folder_, kKnownFile, known_);
}

}  // namespace tidemill::trainer_server

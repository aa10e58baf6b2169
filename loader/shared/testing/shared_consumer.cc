// A consumer of a shared stream in its own process, for tests:
//
//   shared_consumer FOLDER window|strict BATCH_SIZE EPOCHS DIE_AT
//
// It writes the digest of each batch in a line. With DIE_AT >= 0 it is killed in the middle of
// reading that sample, which is in the middle of making a chunk.
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "loader/shared/testing/shared_set.h"

namespace tidemill::loader {
namespace {

int Consume(char** arguments) {
  const bool is_strict = std::string_view(arguments[2]) == "strict";
  const int64_t die_at = std::atoll(arguments[5]);
  BatchParts parts = testing::SharedParts(testing::SharingIn(arguments[1], is_strict));
  const int64_t last_key = die_at < 0 ? -1 : parts.set->keys[static_cast<size_t>(die_at)];
  parts.reader = [last_key](std::span<const int64_t> keys, const SampleSink& sink) {
    for (const int64_t key : keys) {
      if (key == last_key) raise(SIGKILL);
    }
    return testing::ReadSamples(keys, sink);
  };
  const BatchPlan plan = testing::Plan(std::atoll(arguments[3]), std::atoll(arguments[4]));
  auto stream = BatchStream::Create(parts, plan, {.num_threads = 2, .bytes_ahead = 4 << 20});
  if (!stream.ok()) return 1;
  for (;;) {
    auto batch = (*stream)->Next();
    if (!batch.ok()) return 1;
    if (!*batch) return 0;
    std::puts(testing::DigestOf(**batch).c_str());
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace tidemill::loader

int main(int argc, char** argv) { return argc == 6 ? tidemill::loader::Consume(argv) : 2; }

// What a stream gives, as bytes, so that tests compare streams by content.
#pragma once

#include <string>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "batch/wire.h"
#include "loader/batches/batch_stream.h"

namespace tidemill::loader::testing {

// Returns a text for each batch: its rows, its holes and their reason.
inline std::vector<std::string> BytesOf(const BatchParts& parts, const BatchPlan& plan) {
  auto stream = BatchStream::Create(parts, plan, {.num_threads = 3});
  EXPECT_THAT(stream, tidemill::testing::IsOk());
  std::vector<std::string> all;
  while (stream.ok()) {
    auto next = (*stream)->Next();
    EXPECT_THAT(next, tidemill::testing::IsOk());
    if (!next.ok() || !*next) break;
    const TrainingBatch& batch = **next;
    all.push_back(fmt::format("{} {} {} {}", batch.num_skipped, batch.num_filtered, batch.reason,
                              batch::Encode(batch.rows)));
  }
  return all;
}

}  // namespace tidemill::loader::testing

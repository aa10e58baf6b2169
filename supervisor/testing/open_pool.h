// A pool with room for every job of a test.
#pragma once

#include <memory>
#include <utility>

#include "gtest/gtest.h"

#include "base/testing/status_matchers.h"
#include "db/database.h"
#include "supervisor/pool/pool.h"

namespace tidemill::supervisor::testing {

// Opens the pool of a database. A trainer server and an evaluator are registered, which are never
// lost.
inline std::unique_ptr<Pool> OpenPool(db::Database& database) {
  constexpr Duration kForever{int64_t{3'600'000'000} * 24};
  constexpr int kSlots = 100;
  auto pool = Pool::Open(database, kForever);
  EXPECT_THAT(pool, ::tidemill::testing::IsOk());
  if (!pool.ok()) return nullptr;
  for (const auto& [kind, host] : {std::pair{v1::MEMBER_KIND_TRAINER_SERVER, "trainer"},
                                   std::pair{v1::MEMBER_KIND_EVALUATOR, "evaluator"}}) {
    v1::RegisterMemberRequest request;
    request.mutable_command()->set_request_id(host);
    request.set_kind(kind);
    request.set_host(host);
    request.set_endpoint(host);
    for (const char* const device : {"fit", "cpu"}) {
      v1::SlotOffer& slot = *request.mutable_offer()->add_slots();
      slot.set_device(device);
      slot.set_count(kSlots);
    }
    EXPECT_THAT((*pool)->Register(request), ::tidemill::testing::IsOk());
  }
  return *std::move(pool);
}

}  // namespace tidemill::supervisor::testing

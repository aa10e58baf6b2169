#include "loader/bad_samples.h"

#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemill::loader {
namespace {

// What was recorded, how often.
struct Store {
  Mutex mutex;
  std::map<int64_t, std::string> reasons ABSL_GUARDED_BY(mutex);
  int num_recorded ABSL_GUARDED_BY(mutex) = 0;
  int num_failures ABSL_GUARDED_BY(mutex) = 0;

  BadSamples::Record Recorder() {
    return [this](std::span<const int64_t> keys, std::span<const std::string> given) {
      MutexLock lock(mutex);
      if (num_failures > 0) {
        --num_failures;
        return Unavailable("away");
      }
      for (size_t i = 0; i < keys.size(); ++i) reasons[keys[i]] = given[i];
      num_recorded += static_cast<int>(keys.size());
      return absl::OkStatus();
    };
  }
};

TEST(BadSamples, EachIsRecordedOnceWithItsFirstReason) {
  Store store;
  {
    BadSamples bad(store.Recorder());
    bad.Add({{{.key = 3, .reason = "no number"}, {.key = 5, .reason = "gone"}}});
    bad.Add({{{.key = 3, .reason = "again"}}});
  }
  MutexLock lock(store.mutex);
  EXPECT_EQ(store.reasons, (std::map<int64_t, std::string>{{3, "no number"}, {5, "gone"}}));
  EXPECT_EQ(store.num_recorded, 2);
}

TEST(BadSamples, AreNotThoseThatWereDeleted) {
  Store store;
  {
    BadSamples bad(store.Recorder());
    bad.Add({{{.key = 3, .reason = "was deleted", .deleted = true}, {.key = 5, .reason = "gone"}}});
    bad.Add({{{.key = 3, .reason = "was deleted", .deleted = true}}});
    EXPECT_EQ(bad.num_deleted(), 1);
  }
  MutexLock lock(store.mutex);
  EXPECT_EQ(store.reasons, (std::map<int64_t, std::string>{{5, "gone"}}));
}

TEST(BadSamples, ManyAreRecordedInParts) {
  Store store;
  {
    BadSamples bad(store.Recorder());
    std::vector<Unreadable> many;
    for (int64_t key = 0; key < 4321; ++key) many.push_back({key, "bad"});
    bad.Add(many);
  }
  MutexLock lock(store.mutex);
  EXPECT_EQ(store.reasons.size(), 4321u);
}

TEST(BadSamples, AStoreThatIsAwayForAWhileLosesNothing) {
  Store store;
  {
    MutexLock lock(store.mutex);
    store.num_failures = 1;
  }
  {
    BadSamples bad(store.Recorder());
    bad.Add({{{.key = 1, .reason = "bad"}}});
    // The first attempt fails, whoever makes it; the task or the end makes another.
    while (true) {
      MutexLock lock(store.mutex);
      if (store.num_failures == 0) break;
    }
  }
  MutexLock lock(store.mutex);
  EXPECT_EQ(store.reasons.size(), 1u);
}

}  // namespace
}  // namespace tidemill::loader

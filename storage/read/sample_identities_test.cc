#include "storage/read/sample_identities.h"

#include <fstream>
#include <set>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"
#include "storage/testing/generated_dataset.h"
#include "storage/testing/served_dataset.h"

namespace tidemill::storage {
namespace {

using ::testing::Contains;
using testing::MakeCsv;
using testing::MakeSmallRecords;
using testing::NewCommand;
using ::testing::Not;
using testing::Shuffled;
using testing::Storage;
using tidemill::testing::IsOk;

std::vector<uint64_t> Identify(const Storage& storage, const std::vector<int64_t>& keys) {
  auto identities = storage.service.FindIdentities(storage.id, keys);
  EXPECT_THAT(identities, IsOk());
  return identities.ok() ? *std::move(identities) : std::vector<uint64_t>();
}

TEST(FindIdentities, NamesEachRecordInTheOrderAskedAndAlwaysAlike) {
  Storage storage;
  storage.Register(MakeCsv(storage.process.data_folder(), 3000));
  const std::vector<int64_t> keys = storage.SortedKeys();
  const std::vector<uint64_t> identities = Identify(storage, keys);
  EXPECT_EQ(std::set<uint64_t>(identities.begin(), identities.end()).size(), keys.size());
  EXPECT_THAT(identities, Not(Contains(0)));
  std::map<int64_t, uint64_t> by_key;
  for (size_t i = 0; i < keys.size(); ++i) by_key[keys[i]] = identities[i];
  const std::vector<int64_t> shuffled = Shuffled(keys, 5);
  const std::vector<uint64_t> again = Identify(storage, shuffled);
  for (size_t i = 0; i < shuffled.size(); ++i) EXPECT_EQ(again[i], by_key[shuffled[i]]);
}

TEST(FindIdentities, ADeletedOrUnknownSampleHasNone) {
  Storage storage;
  storage.Register(MakeCsv(storage.process.data_folder(), 100));
  std::vector<int64_t> keys = storage.SortedKeys();
  ASSERT_THAT(storage.operate.DeleteSamples(storage.id, {{keys[7]}}, NewCommand()), IsOk());
  keys.push_back(keys.back() + 12345);
  const std::vector<uint64_t> identities = Identify(storage, keys);
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(identities[i] == 0, i == 7 || i + 1 == keys.size()) << i;
  }
}

TEST(FindIdentities, TakesMoreKeysThanOneCallMay) {
  Storage storage;
  storage.Register(MakeSmallRecords(storage.process.data_folder(), 200'000));
  const std::vector<uint64_t> identities = Identify(storage, storage.SortedKeys());
  EXPECT_EQ(identities.size(), 200'000u);
  EXPECT_THAT(identities, Not(Contains(0)));
}

}  // namespace
}  // namespace tidemill::storage

#include "storage/testing/served_dataset.h"

#include <algorithm>
#include <random>
#include <utility>

#include "gmock/gmock.h"

#include "base/testing/status_matchers.h"

namespace tidemill::storage::testing {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using tidemill::testing::IsOk;

namespace {

template <typename T>
std::optional<T> LabelAt(const batch::Batch& rows, std::string_view name, int64_t row) {
  const batch::Column* column = rows.Find(name);
  if (column == nullptr || !column->IsValid(row)) return std::nullopt;
  return column->Values<T>()[static_cast<size_t>(row)];
}

}  // namespace

void AppendTo(std::vector<Sample>& samples, const batch::Batch& rows) {
  const batch::Column* payload = rows.Find(batch::kPayloadColumn);
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    samples.push_back(
        {.key = rows.keys()[static_cast<size_t>(row)],
         .event_time =
             rows.Find(batch::kEventTimeColumn)->Values<int64_t>()[static_cast<size_t>(row)],
         .class_label = LabelAt<int64_t>(rows, batch::kClassLabelColumn, row),
         .real_label = LabelAt<double>(rows, batch::kRealLabelColumn, row),
         .payload = payload ? std::string(payload->Bytes(row)) : ""});
  }
}

void AppendTo(ReadResult& result, const batch::Batch& rows,
              const std::vector<v1::MissingSample>& missing) {
  AppendTo(result.samples, rows);
  for (const v1::MissingSample& sample : missing) {
    result.missing[sample.sample_key()] = sample.reason();
    ++result.num_missing;
  }
  ++result.num_blocks;
}

rpc::v1::Command NewCommand() {
  rpc::v1::Command command;
  command.set_request_id(rpc::NewRequestId());
  return command;
}

Storage::Storage(StorageSettings settings)
    : process(std::move(settings)),
      service(process.ClientAs(rpc::v1::ROLE_SERVICE)),
      operate(process.ClientAs(rpc::v1::ROLE_OPERATOR)) {
  process.Start();
}

void Storage::Register(const GeneratedDataset& dataset) {
  const auto registered = service.RegisterDataset(dataset.name, dataset.spec, NewCommand());
  ASSERT_THAT(registered, IsOk());
  id = {registered->dataset_id()};
  Sync();
}

void Storage::Sync() {
  const auto synced = service.SyncDataset(id, {});
  ASSERT_THAT(synced, IsOk());
  snapshot = *synced;
}

v1::ListSamplesRequest Storage::ListRequest() const {
  v1::ListSamplesRequest request;
  *request.mutable_snapshot() = snapshot;
  return request;
}

std::vector<Sample> Storage::List(const v1::ListSamplesRequest& request) const {
  std::vector<Sample> samples;
  EXPECT_THAT(service.ListSamples(request,
                                  [&](const batch::Batch& rows) {
                                    AppendTo(samples, rows);
                                    return absl::OkStatus();
                                  }),
              IsOk());
  return samples;
}

std::vector<int64_t> Storage::SortedKeys() const {
  std::vector<int64_t> keys;
  for (const Sample& sample : List(ListRequest())) keys.push_back(sample.key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

ReadResult Storage::Read(const std::vector<int64_t>& keys,
                         const std::function<void()>& after_first_block) const {
  ReadResult result;
  EXPECT_THAT(service.ReadSamples(
                  id, keys,
                  [&](const batch::Batch& rows, const std::vector<v1::MissingSample>& missing) {
                    AppendTo(result, rows, missing);
                    if (result.num_blocks == 1 && after_first_block) after_first_block();
                    return absl::OkStatus();
                  }),
              IsOk());
  return result;
}

std::vector<int64_t> Shuffled(std::vector<int64_t> keys, uint32_t seed) {
  std::shuffle(keys.begin(), keys.end(), std::mt19937(seed));
  return keys;
}

std::map<int64_t, const ExpectedSample*> ByKey(const GeneratedDataset& dataset,
                                               const std::vector<int64_t>& keys) {
  std::map<int64_t, const ExpectedSample*> expected;
  for (size_t i = 0; i < keys.size(); ++i) expected[keys[i]] = &dataset.samples[i];
  return expected;
}

bool IsAsExpected(const Sample& sample, const ExpectedSample& expected) {
  return sample.payload == expected.payload && sample.event_time == expected.event_time &&
         sample.class_label == expected.class_label && sample.real_label == expected.real_label;
}

void ExpectRight(const GeneratedDataset& dataset, const std::vector<int64_t>& sorted_keys,
                 const std::vector<int64_t>& asked, const ReadResult& result) {
  const auto expected = ByKey(dataset, sorted_keys);
  ASSERT_THAT(result.missing, IsEmpty());
  ASSERT_THAT(result.samples, SizeIs(asked.size()));
  int64_t num_wrong = 0;
  for (size_t i = 0; i < asked.size(); ++i) {
    ASSERT_EQ(result.samples[i].key, asked[i]);
    num_wrong += IsAsExpected(result.samples[i], *expected.at(asked[i])) ? 0 : 1;
  }
  EXPECT_EQ(num_wrong, 0);
}

void ExpectServesEverySample(const GeneratedDataset& dataset, Storage& storage) {
  storage.Register(dataset);
  const std::vector<int64_t> keys = storage.SortedKeys();
  ASSERT_THAT(keys, SizeIs(dataset.samples.size()));
  const std::vector<int64_t> asked = Shuffled(keys, 1);
  ExpectRight(dataset, keys, asked, storage.Read(asked));
}

}  // namespace tidemill::storage::testing

#include "benchmarks/shuffled_reads.h"

#include <random>

namespace tidemill::benchmarks {

namespace {

constexpr size_t kNumRequests = 24;

}  // namespace

ShuffledReads::ShuffledReads(const ServedRecords& records) : requests_(kNumRequests) {
  std::mt19937_64 random(1);
  for (std::vector<int64_t>& keys : requests_) {
    keys.resize(kKeysPerRead);
    for (int64_t& key : keys) {
      key = records.first_key() +
            static_cast<int64_t>(random() % static_cast<uint64_t>(records.num_samples()));
    }
  }
}

void CheckContent(const ServedRecords& records, const std::vector<int64_t>& keys) {
  size_t at = 0;
  Require(records.client().ReadSamples(
      records.dataset(), keys,
      [&](const batch::Batch& rows, const std::vector<storage::v1::MissingSample>& missing) {
        if (!missing.empty()) return Internal("{}", missing.front().reason());
        const batch::Column& payload = *rows.Find(batch::kPayloadColumn);
        const auto labels = rows.Find(batch::kClassLabelColumn)->Values<int64_t>();
        const auto times = rows.Find(batch::kEventTimeColumn)->Values<int64_t>();
        for (int64_t row = 0; row < rows.num_rows(); ++row) {
          const auto place = static_cast<size_t>(row);
          const int64_t key = keys[at++];
          const int64_t i = key - records.first_key();
          if (rows.keys()[place] != key || payload.Bytes(row) != ServedRecords::PayloadOf(i) ||
              labels[place] != ServedRecords::LabelOf(i) ||
              times[place] != kFirstEventTime + i * kEventTimeStep) {
            return Internal("sample {} came back as another", i);
          }
        }
        return absl::OkStatus();
      }));
  if (at != keys.size()) Fail("samples are missing");
}

double Read(const ServedRecords& records, std::span<const int64_t> keys) {
  size_t num_rows = 0, num_bytes = 0;
  Require(records.client().ReadSamples(
      records.dataset(), keys,
      [&](const batch::Batch& rows, const std::vector<storage::v1::MissingSample>&) {
        num_rows += rows.keys().size();
        num_bytes += rows.Find(batch::kPayloadColumn)->data.size();
        return absl::OkStatus();
      }));
  if (num_rows != keys.size() || num_bytes != keys.size() * kPayloadBytes) {
    Fail("samples are missing");
  }
  return static_cast<double>(num_rows);
}

}  // namespace tidemill::benchmarks

#include "benchmarks/served_records.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "rpc/channel.h"

namespace tidemill::benchmarks {
namespace {

// Numbers that tell their sample and their place in it.
void FillRecord(int64_t i, uint64_t* record) {
  uint64_t state = static_cast<uint64_t>(i) * 0x9E3779B97F4A7C15U + 1;
  for (size_t place = 0; place < kRecordBytes / sizeof(uint64_t); ++place) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    record[place] = state;
  }
  const auto label = static_cast<uint32_t>(ServedRecords::LabelOf(i));
  std::memcpy(record, &label, kLabelBytes);
}

}  // namespace

int64_t ServedRecords::LabelOf(int64_t i) { return i * 2'654'435'761 % 1009; }

std::string ServedRecords::PayloadOf(int64_t i) {
  uint64_t record[kRecordBytes / sizeof(uint64_t)];
  FillRecord(i, record);
  return {reinterpret_cast<const char*>(record) + kLabelBytes, kPayloadBytes};
}

ServedRecords::ServedRecords(int64_t num_samples, Served served)
    : num_samples_(num_samples),
      folder_("served"),
      process_({.tcp = served == Served::kOverTcp, .block_bytes = "2MiB", .root = folder_.path()}),
      client_(process_.ClientAs(rpc::v1::ROLE_SERVICE)),
      file_(process_.data_folder() + "/records.bin") {
  WriteFile();
  process_.Start();
  rpc::v1::Command command;
  command.set_request_id(rpc::NewRequestId());
  const auto registered =
      client_.RegisterDataset("records",
                              fmt::format(R"(path: {}
files: "*.bin"
format: {{type: binary, record_bytes: {}}}
event_time: {{row: {{start: "2017-07-14T02:40:00Z", step: 1ms}}}}
label: {{kind: class, record: {{offset: 0, width: {}}}}}
settle: 1ms
)",
                                          process_.data_folder(), kRecordBytes, kLabelBytes),
                              command);
  Require(registered.status());
  const auto synced = client_.SyncDataset({registered->dataset_id()}, {});
  Require(synced.status());
  snapshot_ = *synced;
  first_key_ = snapshot_.committed_key() - num_samples_ + 1;
}

void ServedRecords::WriteFile() const {
  std::ofstream file(file_, std::ios::binary);
  std::vector<uint64_t> record(kRecordBytes / sizeof(uint64_t));
  for (int64_t i = 0; i < num_samples_; ++i) {
    FillRecord(i, record.data());
    file.write(reinterpret_cast<const char*>(record.data()), kRecordBytes);
  }
  if (!file.flush()) Fail("cannot write " + file_);
}

void ServedRecords::Restart() {
  process_.Kill();
  process_.Start();
}

}  // namespace tidemill::benchmarks

// Encoding a sample block for the wire, against one memcpy of its bytes.
#include <cstring>
#include <string>
#include <vector>

#include "batch/batch.h"
#include "batch/wire.h"
#include "benchmarks/paired.h"

namespace tidemill {
namespace {

constexpr int64_t kRows = 16'384;
constexpr int64_t kRecordBytes = 160;
constexpr int kBlocks = 64;

batch::Batch MakeBlock() {
  batch::Batch block(kRows);
  std::vector<int64_t> keys(kRows);
  for (int64_t row = 0; row < kRows; ++row) keys[row] = row;
  const std::string bytes(kRecordBytes, 'x');
  const std::vector<std::string_view> payload(kRows, bytes);
  block.Set(batch::MakeColumn<int64_t>(batch::kKeyColumn, keys)).IgnoreError();
  block.Set(batch::MakeColumn<int64_t>(batch::kClassLabelColumn, keys)).IgnoreError();
  block.Set(batch::MakeBinaryColumn(batch::kPayloadColumn, payload)).IgnoreError();
  return block;
}

}  // namespace
}  // namespace tidemill

int main() {
  using namespace tidemill;  // NOLINT: a program of one function.
  const batch::Batch block = MakeBlock();
  const size_t size = batch::EncodedSize(block);
  const std::string source(size, 'x');
  const auto bytes = static_cast<double>(size) * kBlocks;
  const auto encode = [&] {
    size_t done = 0;
    for (int i = 0; i < kBlocks; ++i) done += batch::Encode(block).size();
    return static_cast<double>(done);
  };
  const auto copy = [&] {
    for (int i = 0; i < kBlocks; ++i) {
      std::string target(size, '\0');
      std::memcpy(target.data(), source.data(), size);
      if (target[size - 1] != 'x') return 0.0;
    }
    return bytes;
  };
  benchmarks::Report(benchmarks::Measure("batch_encode_vs_memcpy", "GB/s", 1e9, encode, copy));
}

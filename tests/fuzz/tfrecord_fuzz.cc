#include <cstring>

#include "records/crc32c.h"
#include "storage/testing/tfrecord_writer.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/indexing.h"

namespace tidemill::fuzz {

namespace {

constexpr char kSpec[] = R"(
format: {type: tfrecord, max_record: 4KiB}
event_time: {column: t, format: unix}
label: {column: y}
append: true
)";

void PutSum(std::string& bytes, size_t at, std::string_view of) {
  const uint32_t sum = MaskCrc32c(Crc32c(of));
  std::memcpy(bytes.data() + at, &sum, sizeof(sum));
}

// The input with the checksums that its records should have.
std::string Mend(std::string_view input) {
  std::string bytes(input);
  for (size_t at = 0; at + 12 <= bytes.size();) {
    uint64_t length = 0;
    std::memcpy(&length, bytes.data() + at, sizeof(length));
    PutSum(bytes, at + 8, std::string_view(bytes).substr(at, 8));
    at += 12;
    if (length > bytes.size() - at || bytes.size() - at - length < 4) break;
    PutSum(bytes, at + length, std::string_view(bytes).substr(at, length));
    at += length + 4;
  }
  return bytes;
}

}  // namespace

std::vector<std::string> Seeds() {
  using storage::testing::TfExample;
  using storage::testing::TfRecord;
  return {TfRecord(TfExample({.ints = {{"y", 3}, {"t", 1000}}, .bytes = {{"x", "image"}}})) +
              TfRecord(TfExample({.ints = {{"y", 300}}, .bytes = {{"t", "5"}}})),
          TfRecord("no example") + TfRecord(""), TfRecord(std::string(5000, 'x')) + TfRecord("a")};
}

void Try(std::string_view input) {
  TryFormat(kSpec, input);
  TryFormat(kSpec, Mend(input));
}

}  // namespace tidemill::fuzz

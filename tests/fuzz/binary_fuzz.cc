#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/indexing.h"

namespace tidemill::fuzz {

std::vector<std::string> Seeds() {
  return {std::string("HEAD\0\x01\x3f\x80\0\0abcdef\x40\0\0\0gh", 22), "HEAD", "HEADshort"};
}

void Try(std::string_view input) {
  TryFormat(R"(
format: {type: binary, header_bytes: 4, record_bytes: 8}
event_time: {row: {start: 2020-01-01, step: 1h}}
label: {kind: real, record: {offset: 2, width: 4, encoding: float, endianness: big}}
append: true
)",
            input);
}

}  // namespace tidemill::fuzz

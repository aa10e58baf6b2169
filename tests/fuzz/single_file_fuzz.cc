#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/indexing.h"

namespace tidemill::fuzz {

std::vector<std::string> Seeds() {
  using std::string_literals::operator""s;
  return {"an image", std::string(1 << 12, 'x'), "\x1f\x8b\x08",
          "\xff\xd8\xff\xe1\0\x48"
          "Exif\0\0MM\0*\0\0\0\x08\0\x01\x87\x69\0\x04\0\0\0\x01\0\0\0\x1a\0\0\0\0"s +
              "\0\x01\x90\x03\0\x02\0\0\0\x14\0\0\0\x2c\0\0\0\0"s + "2020:12:31 21:25:00\0"s};
}

void Try(std::string_view input) {
  TryFormat("format: {type: single_file, max_file: 1MiB}\n", input);
  TryFormat("format: single_file\nevent_time: {exif: true, time_zone: Europe/Zurich}\n", input);
}

}  // namespace tidemill::fuzz

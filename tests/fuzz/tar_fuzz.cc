#include "storage/testing/tar_writer.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/indexing.h"

namespace tidemill::fuzz {

std::vector<std::string> Seeds() {
  using storage::testing::LongNames;
  using storage::testing::TarEnd;
  using storage::testing::TarMemberBytes;
  const std::string long_name(120, 'n');
  std::vector<std::string> seeds;
  for (const LongNames names : {LongNames::kPax, LongNames::kGnu}) {
    seeds.push_back(TarMemberBytes({"a.jpg", "image"}) + TarMemberBytes({"a.json", "{\"y\": 1}"}) +
                    TarMemberBytes({long_name + ".jpg", "more"}, names) +
                    TarMemberBytes({long_name + ".json", "{\"y\": 2}"}, names) + TarEnd());
  }
  seeds.push_back(TarMemberBytes({"d/", "", '5'}) + TarMemberBytes({"d/b.png", "x", 'S'}));
  return seeds;
}

// A header that was changed has a wrong checksum; with it put right the fuzzer gets further.
void Try(std::string_view input) {
  std::string fixed(input);
  for (size_t at = 0; at + 512 <= fixed.size(); at += 512) {
    if (fixed.compare(at + 257, 5, "ustar") != 0) continue;
    uint32_t sum = 8 * ' ';
    for (size_t i = 0; i < 512; ++i) {
      if (i < 148 || i >= 156) sum += static_cast<unsigned char>(fixed[at + i]);
    }
    for (size_t i = 0; i < 7; ++i) {
      fixed[at + 148 + i] = static_cast<char>('0' + (sum >> (3 * (6 - i)) & 7));
    }
    fixed[at + 155] = '\0';
  }
  for (const std::string_view bytes : {input, std::string_view(fixed)}) {
    TryFormat(R"(
format: {type: tar, payload: [jpg, png], max_member: 1MiB}
label: {member: json, column: y}
)",
              bytes);
  }
}

}  // namespace tidemill::fuzz

#include "records/crc32c.h"

#include <random>
#include <string>

#include "gtest/gtest.h"

namespace tidemill {
namespace {

std::string Counting(int from, int step) {
  std::string bytes;
  for (int i = 0; i < 32; ++i) bytes += static_cast<char>(from + step * i);
  return bytes;
}

// The read command of RFC 3720, appendix B.4.
const std::string kIscsiRead(
    "\x01\xc0\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x14\x00\x00\x00\x00\x00\x04"
    "\x00\x00\x00\x00\x14\x00\x00\x00\x18\x28\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00"
    "\x00\x00",
    48);

TEST(Crc32c, IsWhatRfc3720Says) {
  EXPECT_EQ(Crc32c(""), 0U);
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  EXPECT_EQ(Crc32c(Counting(0, 1)), 0x46dd794eU);
  EXPECT_EQ(Crc32c(Counting(31, -1)), 0x113fdb5cU);
  EXPECT_EQ(Crc32c(kIscsiRead), 0xd9963a56U);
}

TEST(Crc32c, TheTableAgreesWithTheInstructionOnEveryLengthAndAlignment) {
  std::mt19937 random(7);
  std::string bytes;
  while (bytes.size() < 300) bytes += static_cast<char>(random());
  for (size_t from = 0; from < 9; ++from) {
    for (size_t size = 0; from + size <= bytes.size(); ++size) {
      const std::string_view part = std::string_view(bytes).substr(from, size);
      ASSERT_EQ(ExtendCrc32c(0x1234, part), ExtendCrc32cByTable(0x1234, part))
          << from << " " << size;
    }
  }
}

TEST(Crc32c, ContinuesWhereItEnded) {
  const std::string bytes = Counting(3, 5) + Counting(100, 9);
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    EXPECT_EQ(ExtendCrc32c(Crc32c(bytes.substr(0, cut)), bytes.substr(cut)), Crc32c(bytes));
  }
}

TEST(Crc32c, IsMaskedAsTfRecordStoresIt) {
  // The first twelve bytes of an event file of TensorBoard: a length of 24, then 0x224b7fa3.
  EXPECT_EQ(MaskCrc32c(Crc32c(std::string_view("\x18\0\0\0\0\0\0\0", 8))), 0x224b7fa3U);
}

}  // namespace
}  // namespace tidemill

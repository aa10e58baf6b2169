#include "records/exif.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace tidemill {
namespace {

using std::string_literals::operator""s;

std::string Number(uint32_t number, int size, bool little) {
  std::string bytes;
  for (int i = 0; i < size; ++i) {
    bytes += static_cast<char>(number >> (8 * (little ? i : size - 1 - i)));
  }
  return bytes;
}

// A block with an orientation, and a directory with the three texts of the time.
std::string Block(bool little) {
  const auto two = [&](uint32_t number) { return Number(number, 2, little); };
  const auto four = [&](uint32_t number) { return Number(number, 4, little); };
  const std::string taken = "2020:12:31 21:25:00\0"s, offset = "+01:00\0"s;
  std::string block = (little ? "II" : "MM") + two(42) + four(8);
  block += two(2) + two(0x0112) + two(3) + four(1) + two(6) + two(0);
  block += two(0x8769) + two(4) + four(1) + four(38) + four(0);  // Ends at 38.
  block += two(3) + two(0x9003) + two(2) + four(20) + four(80);
  block += two(0x9011) + two(2) + four(7) + four(100);
  block += two(0x9291) + two(2) + four(4) + "745\0"s + four(0);  // Ends at 80.
  return block + taken + offset;
}

std::string Jpeg(const std::string& block) {
  const std::string segment = "Exif\0\0"s + block;
  return "\xff\xd8\xff\xe0\0\x04JF\xff\xff\xe1"s +
         Number(static_cast<uint32_t>(segment.size() + 2), 2, false) + segment + "\xff\xda\0\x02"s;
}

std::string Png(const std::string& block) {
  return "\x89PNG\r\n\x1a\n\0\0\0\x01IHDRxcccc"s +
         Number(static_cast<uint32_t>(block.size()), 4, false) + "eXIf" + block + "cccc";
}

TEST(Exif, IsReadFromJpegAndPngInBothOrdersOfBytes) {
  for (const bool little : {false, true}) {
    for (const std::string& file : {Jpeg(Block(little)), Png(Block(little))}) {
      const auto exif = ReadExif(file);
      ASSERT_TRUE(exif.has_value());
      EXPECT_EQ(exif->orientation, 6);
      EXPECT_EQ(exif->taken_at, "2020:12:31 21:25:00");
      EXPECT_EQ(exif->fraction, "745");
      EXPECT_EQ(exif->offset, "+01:00");
    }
  }
}

TEST(Exif, IsNotThereInOtherFiles) {
  EXPECT_FALSE(ReadExif(""));
  EXPECT_FALSE(ReadExif(Block(true)));
  EXPECT_FALSE(ReadExif("\xff\xd8\xff\xda\0\x02"s)) << "the pixels begin";
  EXPECT_FALSE(ReadExif("\xff\xd8\xff\xe1\0\0"s));
  EXPECT_FALSE(ReadExif(Jpeg("MM\0+\0\0\0\x08"s))) << "another magic number";
  std::string odd = Jpeg(Block(false));
  odd[odd.find("\x01\x12"s) + 9] = 9;
  EXPECT_EQ(ReadExif(odd)->orientation, 1) << "there is no orientation 9";
}

TEST(Exif, SurvivesTruncationsAndRandomDamage) {
  std::mt19937 random(3);
  for (const std::string& file :
       {Jpeg(Block(false)), Png(Block(true)), Jpeg(Block(true)), Png(Block(false))}) {
    for (size_t size = 0; size < file.size(); ++size) ReadExif(file.substr(0, size));
    for (int round = 0; round < 20'000; ++round) {
      std::string damaged = file;
      for (uint32_t flips = 1 + random() % 6; flips > 0; --flips) {
        damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      const auto exif = ReadExif(damaged);
      if (!exif) continue;
      ASSERT_GE(exif->orientation, 1);
      ASSERT_LE(exif->orientation, 8);
      ASSERT_LE(exif->taken_at.size(), 64U);
    }
  }
}

}  // namespace
}  // namespace tidemill

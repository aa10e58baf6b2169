#include "transform/ops/images/image_decoder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "base/testing/status_matchers.h"
#include "transform/ops/images/resize.h"
#include "transform/testing/image_files.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using testing::BigEndian;
using testing::ChecksumOf;
using testing::EncodeDeepPng;
using testing::EncodeJpeg;
using testing::EncodePng;
using ::testing::HasSubstr;
using testing::Noise;
using testing::StoredImage;
using testing::Waves;
using testing::WithChunk;
using testing::WithExif;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

// The decoded pixels; fails the test when there are none.
std::vector<uint8_t> Decode(const std::string& file, const ImageShape& shape) {
  std::vector<uint8_t> pixels(shape.Size());
  EXPECT_THAT(DecodeImage(file, shape, Orientation::kIgnore, pixels), IsOk());
  return pixels;
}

absl::Status Failure(const std::string& file, const ImageShape& shape) {
  std::vector<uint8_t> pixels(shape.Size());
  return DecodeImage(file, shape, Orientation::kIgnore, pixels);
}

TEST(DecodeImage, ReadsPngColoursExactlyChannelAfterChannel) {
  const StoredImage image = Noise(5, 7, 3, 1);
  const std::vector<uint8_t> pixels = Decode(EncodePng(image), {3, 5, 7});
  for (int channel = 0; channel < 3; ++channel) {
    for (int y = 0; y < 5; ++y) {
      for (int x = 0; x < 7; ++x) {
        ASSERT_EQ(pixels[(channel * 5 + y) * 7 + x], image.At(channel, y, x));
      }
    }
  }
}

TEST(DecodeImage, ReadsGreyPngAsGreyAndAsColours) {
  const StoredImage image = Noise(4, 3, 1, 2);
  EXPECT_EQ(Decode(EncodePng(image), {1, 4, 3}), image.pixels);
  const std::vector<uint8_t> colours = Decode(EncodePng(image), {3, 4, 3});
  for (int i = 0; i < 36; ++i) ASSERT_EQ(colours[i], image.pixels[i % 12]);
}

TEST(DecodeImage, DropsAlpha) {
  const StoredImage image = Noise(6, 6, 4, 3);
  const std::vector<uint8_t> pixels = Decode(EncodePng(image), {3, 6, 6});
  for (int i = 0; i < 36; ++i) ASSERT_EQ(pixels[36 + i], image.At(1, i / 6, i % 6));
}

TEST(DecodeImage, ReadsColoursAsTheirLuma) {
  const StoredImage image = Noise(6, 6, 3, 4);
  const std::vector<uint8_t> pixels = Decode(EncodePng(image), {1, 6, 6});
  for (int i = 0; i < 36; ++i) {
    const double luma = 0.299 * image.At(0, i / 6, i % 6) + 0.587 * image.At(1, i / 6, i % 6) +
                        0.114 * image.At(2, i / 6, i % 6);
    ASSERT_NEAR(pixels[i], luma, 0.51);
  }
}

TEST(DecodeImage, ReadsJpegUpToItsLoss) {
  for (const bool progressive : {false, true}) {
    const StoredImage image = Waves(24, 17, 3);
    const std::vector<uint8_t> pixels = Decode(EncodeJpeg(image, progressive), {3, 24, 17});
    for (int channel = 0; channel < 3; ++channel) {
      for (int i = 0; i < 24 * 17; ++i) {
        ASSERT_NEAR(pixels[channel * 24 * 17 + i], image.At(channel, i / 17, i % 17), 6);
      }
    }
  }
}

TEST(DecodeImage, ReadsJpegInTheColoursAskedFor) {
  const StoredImage image = Waves(16, 16, 1);
  const std::vector<uint8_t> grey = Decode(EncodeJpeg(image), {1, 16, 16});
  const std::vector<uint8_t> colours = Decode(EncodeJpeg(image), {3, 16, 16});
  for (int i = 0; i < 256; ++i) {
    ASSERT_NEAR(grey[i], image.pixels[i], 3);
    ASSERT_EQ(colours[512 + i], grey[i]);
  }
}

// Four inks, inverted as Adobe's programs write them, to a colour of one channel.
double ColourOfInks(const StoredImage& inks, int channel, int i) {
  const int width = inks.width;
  return inks.At(channel, i / width, i % width) * inks.At(3, i / width, i % width) / 255.0;
}

TEST(DecodeImage, ReadsTheInksOfAJpegAsColours) {
  const StoredImage inks = Waves(16, 24, 4);
  constexpr double kExact = 6;  // The loss of JPEG.
  for (const J_COLOR_SPACE stored : {JCS_CMYK, JCS_YCCK}) {
    const std::string file = EncodeJpeg(inks, /*progressive=*/false, stored);
    const std::vector<uint8_t> colours = Decode(file, {3, 16, 24});
    const std::vector<uint8_t> grey = Decode(file, {1, 16, 24});
    for (int i = 0; i < 16 * 24; ++i) {
      for (int channel = 0; channel < 3; ++channel) {
        ASSERT_NEAR(colours[channel * 16 * 24 + i], ColourOfInks(inks, channel, i), kExact);
      }
      const double luma =
          0.299 * colours[i] + 0.587 * colours[16 * 24 + i] + 0.114 * colours[2 * 16 * 24 + i];
      ASSERT_NEAR(grey[i], luma, 0.51);
    }
  }
}

TEST(DecodeImage, TurnsAnImageAsItsExifDataAskWhenItShall) {
  const StoredImage stored = Noise(2, 3, 1, 12);  // abc / def
  const std::vector<uint8_t>& p = stored.pixels;
  const uint8_t a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], f = p[5];
  const std::vector<std::vector<uint8_t>> upright = {
      {a, b, c, d, e, f}, {c, b, a, f, e, d}, {f, e, d, c, b, a}, {d, e, f, a, b, c},
      {a, d, b, e, c, f}, {d, a, e, b, f, c}, {f, c, e, b, d, a}, {c, f, b, e, a, d}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const std::string file = WithChunk(EncodePng(stored), static_cast<char>(orientation));
    std::vector<uint8_t> pixels(6);
    const ImageShape shape = orientation < 5 ? ImageShape{1, 2, 3} : ImageShape{1, 3, 2};
    EXPECT_THAT(DecodeImage(file, shape, Orientation::kApply, pixels), IsOk());
    EXPECT_EQ(pixels, upright[orientation - 1]) << orientation;
    EXPECT_EQ(Decode(file, {1, 2, 3}), p) << "ignored by default";
  }
}

TEST(DecodeImage, TurnsEveryChannelOfAJpeg) {
  const StoredImage image = Waves(8, 16, 3);
  const std::string file = WithExif(EncodeJpeg(image), 6);
  const std::vector<uint8_t> stored = Decode(file, {3, 8, 16});
  std::vector<uint8_t> pixels(3 * 8 * 16);
  EXPECT_THAT(DecodeImage(file, {3, 16, 8}, Orientation::kApply, pixels), IsOk());
  for (int channel = 0; channel < 3; ++channel) {
    for (int y = 0; y < 16; ++y) {
      for (int x = 0; x < 8; ++x) {
        ASSERT_EQ(pixels[(channel * 16 + y) * 8 + x], stored[(channel * 8 + 7 - x) * 16 + y]);
      }
    }
  }
  EXPECT_THAT(
      Failure(file, {3, 16, 8}),
      StatusIs(absl::StatusCode::kDataLoss,
               "the image is 8 high and 16 wide instead of 16 and 8; its Exif data rotate it: "
               "write orientation: apply"));
}

TEST(DecodeImage, NamesTheKindOfASoundFileThatItDoesNotDecode) {
  using std::string_literals::operator""s;
  const std::pair<std::string, std::string> kinds[] = {
      {"GIF89a", "a GIF image"},
      {"RIFF\x10\0\0\0WEBPVP8 "s, "a WebP image"},
      {"\0\0\0\x18"
       "ftypheic"s,
       "a HEIC image"},
      {"\0\0\0\x1c"
       "ftypavif"s,
       "an AVIF image"},
      {"II*\0\x08\0\0\0"s, "a TIFF image"},
      {"MM\0*\0\0\0\x08"s, "a TIFF image"},
      {"BM" + std::string(12, '\x01') + "\x28\0\0\0"s, "a BMP image"},
      {"P6\n8 8\n255\n", "a PNM image"},
      {"\0\0\0\x0cJXL \r\n\x87\n"s, "a JPEG XL image"},
      {std::string(128, '\0') + "DICM", "a DICOM image"}};
  for (const auto& [file, kind] : kinds) {
    EXPECT_THAT(
        Failure(file, {3, 8, 8}),
        StatusIs(absl::StatusCode::kDataLoss, kind + " is not decoded; convert it to PNG or JPEG"));
  }
}

TEST(DecodeImage, NamesRareKindsOfJpeg) {
  const std::string file = EncodeJpeg(Waves(8, 8, 3));
  const size_t frame = file.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  std::string deep = file;
  deep[frame + 4] = 12;
  EXPECT_THAT(Failure(deep, {3, 8, 8}),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a JPEG of 12 bits a sample")));
  for (const char process : {'\xc3', '\xc5', '\xcb', '\xcf'}) {
    std::string rare = file;
    rare[frame + 1] = process;
    EXPECT_THAT(Failure(rare, {3, 8, 8}),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("lossless, hierarchical or")));
  }
}

TEST(DecodeImage, RefusesOtherSizesAndOtherFiles) {
  std::vector<uint8_t> pixels(3 * 8 * 8);
  const ImageShape shape{3, 8, 8};
  for (const std::string& file : {EncodePng(Noise(9, 8, 3, 5)), EncodeJpeg(Waves(9, 8, 3))}) {
    EXPECT_THAT(
        DecodeImage(file, shape, Orientation::kIgnore, pixels),
        StatusIs(absl::StatusCode::kDataLoss, "the image is 9 high and 8 wide instead of 8 and 8"));
  }
  EXPECT_THAT(Failure("", shape), StatusIs(absl::StatusCode::kDataLoss, "the file is empty"));
  for (const char* file : {"GIF88a", "\x89PNG", "\xff\xd8", "BM is a word"}) {
    EXPECT_THAT(DecodeImage(file, shape, Orientation::kIgnore, pixels),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("neither a PNG nor a JPEG")));
  }
}

TEST(DecodeImage, RefusesAHugeImageByItsHeader) {
  std::string file = EncodePng(Noise(8, 8, 1, 6));
  const unsigned char size[] = {0x00, 0x01, 0x00, 0x00};  // 65,536 pixels wide and high.
  std::memcpy(file.data() + 16, size, 4);
  std::memcpy(file.data() + 20, size, 4);
  file.replace(29, 4, BigEndian(ChecksumOf(std::string_view(file).substr(12, 17))));
  std::vector<uint8_t> pixels(64);
  EXPECT_THAT(DecodeImage(file, {1, 8, 8}, Orientation::kIgnore, pixels),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("is larger than 64000000 pixels")));
}

TEST(DecodeImage, SurvivesEveryTruncationOfAFile) {
  std::vector<uint8_t> pixels(3 * 12 * 12);
  for (const std::string& file : {EncodePng(Noise(12, 12, 3, 7)), EncodeJpeg(Waves(12, 12, 3)),
                                  EncodeJpeg(Waves(12, 12, 3), /*progressive=*/true)}) {
    for (size_t size = 0; size < file.size() - 2; ++size) {
      const absl::Status status =
          DecodeImage(file.substr(0, size), {3, 12, 12}, Orientation::kApply, pixels);
      ASSERT_EQ(status.code(), absl::StatusCode::kDataLoss) << size << " of " << file.size();
    }
  }
}

TEST(DecodeImage, SurvivesRandomDamage) {
  std::mt19937 random(8);
  std::vector<uint8_t> pixels(3 * 12 * 12);
  int refused = 0;
  for (const std::string& file :
       {WithChunk(EncodePng(Noise(12, 12, 3, 9)), 6), WithExif(EncodeJpeg(Waves(12, 12, 3)), 5),
        EncodeJpeg(Waves(12, 12, 4)), EncodeJpeg(Waves(12, 12, 3), /*progressive=*/true)}) {
    for (int round = 0; round < 3000; ++round) {
      std::string damaged = file;
      for (uint32_t flips = 1 + random() % 8; flips > 0; --flips) {
        damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      const absl::Status status = DecodeImage(damaged, {3, 12, 12}, Orientation::kApply, pixels);
      refused += status.ok() ? 0 : 1;
      ASSERT_TRUE(status.ok() || status.code() == absl::StatusCode::kDataLoss) << status;
    }
  }
  EXPECT_GT(refused, 3000) << "a PNG's checksums alone refuse a third";
}

TEST(DecodeImage, MakesDamagedFilesBadSamplesAndKeepsTheOthers) {
  const StoredImage image = Noise(4, 4, 1, 10);
  const absl::StatusOr<Graph> graph = Graph::Build(
      testing::Spec(DecodeImageSpec{.height = 4, .width = 4, .channels = 1}, StackSpec{}),
      {.payload = PayloadKind::kFile});
  ASSERT_THAT(graph, IsOk());
  EXPECT_EQ(graph->input().shape, std::vector<int64_t>({1, 4, 4}));
  const absl::StatusOr<Transformed> result = graph->Run(
      testing::MakeSamples({"junk", EncodePng(image), EncodePng(Noise(4, 5, 1, 11))}), nullptr);
  ASSERT_THAT(result, IsOk());
  const std::vector<float> numbers = testing::Numbers<float>(result->batch, "input");
  EXPECT_EQ(std::vector<uint8_t>(numbers.begin(), numbers.end()), image.pixels);
  ASSERT_EQ(result->bad.size(), 2);
  EXPECT_EQ(result->bad[0].reason, "column image: the file of 4 bytes is neither a PNG nor a JPEG");
}

TEST(DecodeImage, StretchesImagesOfAllSizesAsResizeDoesWithAntialias) {
  const StoredImage image = Noise(9, 14, 3, 12);
  const auto resized = Graph::Build(
      testing::Spec(DecodeImageSpec{.height = 9, .width = 14},
                    ResizeSpec{.height = 4, .width = 6, .antialias = true}, StackSpec{}),
      {.payload = PayloadKind::kFile});
  const auto stretched = Graph::Build(
      testing::Spec(DecodeImageSpec{.height = 4, .width = 6, .fit = ImageFit::kStretch},
                    StackSpec{}),
      {.payload = PayloadKind::kFile});
  ASSERT_THAT(resized, IsOk());
  ASSERT_THAT(stretched, IsOk());
  const std::string fits = EncodePng(Noise(4, 6, 3, 13));
  const auto expected = resized->Run(testing::MakeSamples({EncodePng(image)}), nullptr);
  const auto made = stretched->Run(testing::MakeSamples({EncodePng(image), "junk", fits}), nullptr);
  ASSERT_THAT(expected, IsOk());
  ASSERT_THAT(made, IsOk());
  ASSERT_EQ(made->bad.size(), 1);
  const std::vector<float> numbers = testing::Numbers<float>(made->batch, "input");
  ASSERT_EQ(numbers.size(), 2 * 3 * 4 * 6);
  EXPECT_EQ(std::vector<float>(numbers.begin(), numbers.begin() + 3 * 4 * 6),
            testing::Numbers<float>(expected->batch, "input"));
}

TEST(DecodeImage, KeepsTheUpperHalfOf16Bits) {
  std::mt19937 random(30);
  for (const int channels : {1, 2, 3, 4}) {
    std::vector<uint16_t> deep(5 * 7 * channels);
    for (uint16_t& pixel : deep) pixel = static_cast<uint16_t>(random());
    deep[0] = 0xFFFF;
    deep[channels] = 0x00FF;
    const int colours = channels < 3 ? 1 : 3;
    const std::vector<uint8_t> pixels =
        Decode(EncodeDeepPng(5, 7, channels, deep), {colours, 5, 7});
    for (int channel = 0; channel < colours; ++channel) {
      for (int i = 0; i < 5 * 7; ++i) {
        ASSERT_EQ(pixels[channel * 5 * 7 + i], deep[i * channels + channel] >> 8)
            << channels << " channels";
      }
    }
  }
}

TEST(ReadImageHeader, KnowsSidesAndColours) {
  for (const int channels : {1, 3}) {
    for (const std::string& file :
         {EncodePng(Noise(5, 7, channels, 1)), EncodeJpeg(Waves(5, 7, channels))}) {
      const auto shape = ReadImageHeader(file);
      ASSERT_THAT(shape, IsOk());
      EXPECT_EQ(shape->channels, channels);
      EXPECT_EQ(shape->height, 5);
      EXPECT_EQ(shape->width, 7);
      for (size_t size = 0; size < 20; ++size) {
        EXPECT_FALSE(ReadImageHeader(file.substr(0, size)).ok()) << size;
      }
    }
  }
}

}  // namespace
}  // namespace tidemill::transform

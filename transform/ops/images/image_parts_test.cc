// Ops that make only the pixels that later ops need, against those that make all of them.
#include <gtest/gtest.h>
#include <jpeglib.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

#include "base/testing/status_matchers.h"
#include "transform/graph.h"
#include "transform/ops/images/crop.h"
#include "transform/ops/images/decode_image.h"
#include "transform/ops/images/flip.h"
#include "transform/ops/images/image_decoder.h"
#include "transform/ops/images/resampling.h"
#include "transform/ops/images/resize.h"
#include "transform/ops/stack.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using tidemill::testing::IsOk;

struct JpegKind {
  int channels = 3;  // 1 (grey), 3 or 4 (inks).
  // How many samples of light there are for one of colour, along rows and along columns.
  int along_rows = 1;
  int along_columns = 1;
  bool is_progressive = false;
};

constexpr JpegKind kJpegKinds[] = {{},
                                   {.along_rows = 2},
                                   {.along_rows = 2, .along_columns = 2},
                                   {.along_rows = 4},
                                   {.along_columns = 2},
                                   {.along_rows = 2, .along_columns = 2, .is_progressive = true},
                                   {.channels = 1},
                                   {.channels = 4}};

// A photograph of noise, in which every pixel differs from its neighbours.
std::string NoisyJpeg(const JpegKind& kind, int64_t height, int64_t width, std::mt19937& random) {
  jpeg_compress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type.
  jpeg_mem_dest(&jpeg, &bytes, &size);
  jpeg.image_width = static_cast<JDIMENSION>(width);
  jpeg.image_height = static_cast<JDIMENSION>(height);
  jpeg.input_components = kind.channels;
  jpeg.in_color_space = kind.channels == 1   ? JCS_GRAYSCALE
                        : kind.channels == 4 ? JCS_CMYK
                                             : JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg.comp_info[0].h_samp_factor = kind.along_rows;
  jpeg.comp_info[0].v_samp_factor = kind.along_columns;
  jpeg_set_quality(&jpeg, 85, TRUE);
  if (kind.is_progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  std::vector<uint8_t> pixels(static_cast<size_t>(width * kind.channels));
  while (jpeg.next_scanline < jpeg.image_height) {
    for (uint8_t& pixel : pixels) pixel = static_cast<uint8_t>(random());
    JSAMPROW row = pixels.data();
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  std::string file(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&jpeg);
  std::free(bytes);
  return file;
}

ImagePart RandomPart(int64_t height, int64_t width, std::mt19937& random) {
  const auto draw = [&](int64_t from, int64_t to) {
    return from + static_cast<int64_t>(random() % static_cast<uint64_t>(to - from));
  };
  ImagePart part;
  part.top = draw(0, height);
  part.bottom = draw(part.top, height) + 1;
  part.left = draw(0, width);
  part.right = draw(part.left, width) + 1;
  return part;
}

// The pixels of a part, row after row, channel after channel.
template <typename T>
std::vector<T> PixelsIn(const ImagePart& part, const std::vector<T>& image, const ImageSize& size) {
  std::vector<T> pixels;
  for (int64_t channel = 0; channel < size.channels; ++channel) {
    for (int64_t y = part.top; y < part.bottom; ++y) {
      const auto row = image.begin() + (channel * size.height + y) * size.width;
      pixels.insert(pixels.end(), row + part.left, row + part.right);
    }
  }
  return pixels;
}

TEST(ImageParts, OfJpegsAreEqualToThoseOfTheWholeImage) {
  std::mt19937 random(1);
  for (const JpegKind& kind : kJpegKinds) {
    for (int round = 0; round < 12; ++round) {
      const ImageShape shape{kind.channels == 1 ? 1 : 3, 20 + static_cast<int64_t>(random() % 120),
                             20 + static_cast<int64_t>(random() % 120)};
      const std::string file = NoisyJpeg(kind, shape.height, shape.width, random);
      std::vector<uint8_t> whole(shape.Size());
      ASSERT_THAT(DecodeImage(file, shape, Orientation::kIgnore, whole), IsOk());
      for (int n = 0; n < 8; ++n) {
        const ImagePart part = RandomPart(shape.height, shape.width, random);
        std::vector<uint8_t> made(shape.Size());
        ASSERT_THAT(DecodeImage(file, shape, Orientation::kIgnore, part, made), IsOk());
        const ImageSize size{shape.channels, shape.height, shape.width};
        ASSERT_EQ(PixelsIn(part, made, size), PixelsIn(part, whole, size))
            << kind.channels << " channels " << kind.along_rows << "x" << kind.along_columns << " "
            << shape.height << "x" << shape.width << " from " << part.top << ", " << part.left;
      }
    }
  }
}

TEST(ImageParts, OfDamagedFilesAreRefusedWhereTheWholeImageIs) {
  std::mt19937 random(2);
  int refused = 0;
  const ImageShape shape{3, 64, 64};
  const ImagePart part{24, 32, 24, 32};
  std::vector<uint8_t> pixels(shape.Size());
  for (const JpegKind& kind : {kJpegKinds[0], kJpegKinds[2], kJpegKinds[5]}) {
    const std::string file = NoisyJpeg(kind, shape.height, shape.width, random);
    for (int round = 0; round < 1000; ++round) {
      std::string damaged = file;
      damaged[random() % file.size()] = static_cast<char>(random());
      if (round % 4 == 0) damaged.resize(file.size() / 2 + random() % (file.size() / 2));
      const absl::Status whole = DecodeImage(damaged, shape, Orientation::kIgnore, pixels);
      ASSERT_EQ(DecodeImage(damaged, shape, Orientation::kIgnore, part, pixels), whole) << round;
      refused += whole.ok() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 500);
}

template <typename T>
void ExpectEqualParts(const ImageSize& from, const ImageSize& to, ResamplingFilter filter,
                      std::mt19937& random) {
  std::vector<T> image(static_cast<size_t>(from.Numbers()));
  for (T& number : image) number = static_cast<T>(random() % 256);
  std::vector<T> whole(static_cast<size_t>(to.Numbers()));
  const Resampling resampling(from, to, filter);
  std::vector<T> between(static_cast<size_t>(resampling.BetweenSize()));
  resampling.Run(image.data(), between.data(), whole.data());
  for (int round = 0; round < 20; ++round) {
    const ImagePart part = RandomPart(to.height, to.width, random);
    const Resampling partial(from, to, filter, part);
    // What is not read may hold anything.
    std::vector<T> read = image;
    const ImagePart& needed = partial.part_read();
    for (int64_t i = 0; i < from.Numbers(); ++i) {
      const int64_t x = i % from.width;
      const int64_t y = i / from.width % from.height;
      const bool is_read =
          y >= needed.top && y < needed.bottom && x >= needed.left && x < needed.right;
      if (!is_read) read[static_cast<size_t>(i)] = T{77};
    }
    std::vector<T> made(whole.size());
    partial.Run(read.data(), between.data(), made.data());
    ASSERT_EQ(PixelsIn(part, made, to), PixelsIn(part, whole, to));
  }
}

TEST(ImageParts, AreScaledAsInTheWholeImage) {
  std::mt19937 random(3);
  for (const ResamplingFilter filter : {ResamplingFilter::kTriangle, ResamplingFilter::kCubic}) {
    for (const auto& [height, width] :
         {std::pair<int64_t, int64_t>{40, 31}, {40, 50}, {70, 50}, {30, 61}, {90, 17}, {9, 7}}) {
      ExpectEqualParts<uint8_t>({3, 61, 50}, {3, height, width}, filter, random);
      ExpectEqualParts<float>({2, 61, 50}, {2, height, width}, filter, random);
    }
  }
}

TEST(ImageParts, AreAllThatAGraphMakesBeforeACropAndChangeNothing) {
  std::mt19937 random(4);
  const DecodeImageSpec decode{.height = 75, .width = 100};
  const ResizeSpec resize{.height = 51, .width = 68, .antialias = true};
  const CropSpec crop{.height = 40, .width = 30};
  const CropSpec corner{.height = 8, .width = 9, .offset = {0, 3}, .into = "corner"};
  const StackSpec stack{.columns = {"image"}};
  std::vector<std::string> files;
  for (int i = 0; i < 4; ++i) files.push_back(NoisyJpeg(kJpegKinds[2], 75, 100, random));
  files[1].resize(files[1].size() - 40);
  for (const GraphSpec& spec :
       {testing::Spec(decode, resize, crop, stack), testing::Spec(decode, crop, stack),
        testing::Spec(decode, resize, FlipSpec{}, crop, stack),
        // Two ops read the image: all of it is made.
        testing::Spec(decode, corner, resize, stack),
        testing::Spec(decode, resize, corner, stack)}) {
    std::vector<Transformed> made;
    for (const Rewriting rewriting : {Rewriting::kOn, Rewriting::kOff}) {
      const auto graph =
          Graph::Build(spec, {.payload = PayloadKind::kFile}, Fusion::kOn, rewriting);
      ASSERT_THAT(graph, IsOk());
      auto result = graph->Run(testing::MakeSamples(files), nullptr);
      ASSERT_THAT(result, IsOk());
      made.push_back(*std::move(result));
    }
    ASSERT_EQ(made[0].bad.size(), 1);
    ASSERT_EQ(made[1].bad.size(), 1);
    EXPECT_EQ(made[0].bad[0].reason, made[1].bad[0].reason);
    EXPECT_EQ(testing::Numbers<float>(made[0].batch, "input"),
              testing::Numbers<float>(made[1].batch, "input"));
  }
}

}  // namespace
}  // namespace tidemill::transform

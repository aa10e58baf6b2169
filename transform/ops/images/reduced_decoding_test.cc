#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/testing/status_matchers.h"
#include "transform/ops/images/image_decoder.h"
#include "transform/testing/image_files.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using testing::EncodeJpeg;
using testing::EncodePng;
using testing::Scene;
using testing::StoredImage;
using testing::Waves;
using testing::WithExif;
using tidemill::testing::IsOk;

// By how much bytes differ on average, and at most.
struct Difference {
  double mean = 0;
  int most = 0;
};

Difference DifferenceOf(const std::vector<uint8_t>& left, const std::vector<uint8_t>& right) {
  EXPECT_EQ(left.size(), right.size());
  Difference difference;
  for (size_t i = 0; i < left.size(); ++i) {
    const int here = std::abs(left[i] - right[i]);
    difference.most = std::max(difference.most, here);
    difference.mean += here;
  }
  difference.mean /= static_cast<double>(left.size());
  return difference;
}

// The means of squares of pixels.
std::vector<uint8_t> Means(const std::vector<uint8_t>& image, const ImageShape& shape,
                           int64_t side) {
  std::vector<uint8_t> means;
  for (int64_t row = 0; row < shape.channels * shape.height; row += side) {
    for (int64_t x = 0; x < shape.width; x += side) {
      int64_t sum = side * side / 2;
      for (int64_t i = 0; i < side * side; ++i) {
        sum += image[(row + i / side) * shape.width + x + i % side];
      }
      means.push_back(static_cast<uint8_t>(sum / (side * side)));
    }
  }
  return means;
}

TEST(DecodeReduced, MakesAboutTheMeanOfThePixelsThatOneStandsFor) {
  for (const int eighths : {1, 2, 4}) {
    for (const int channels : {1, 3, 4}) {
      for (const bool progressive : {false, true}) {
        const std::string file = EncodeJpeg(Scene(104, 152, channels, 20), progressive);
        const ImageShape shape{channels == 1 ? 1 : 3, 104, 152};
        std::vector<uint8_t> whole(shape.Size());
        ASSERT_THAT(DecodeImage(file, shape, Orientation::kIgnore, whole), IsOk());
        std::vector<uint8_t> made(ReducedShape(shape, eighths).Size());
        ASSERT_THAT(DecodeReduced(file, shape, eighths, Orientation::kIgnore, made), IsOk());
        const Difference difference = DifferenceOf(made, Means(whole, shape, 8 / eighths));
        EXPECT_LT(difference.mean, 0.5) << eighths << " " << channels;
        EXPECT_LT(difference.most, 4) << eighths << " " << channels;
      }
    }
  }
}

TEST(DecodeReduced, ScalesAPngAsAWholeImage) {
  const std::string file = EncodePng(Scene(21, 35, 3, 21));
  std::vector<uint8_t> made(3 * 6 * 9);
  ASSERT_THAT(DecodeReduced(file, {3, 21, 35}, 2, Orientation::kIgnore, made), IsOk());
  std::vector<uint8_t> scaled(made.size());
  ASSERT_THAT(DecodeStretched(file, {3, 6, 9}, Orientation::kIgnore, false, scaled), IsOk());
  EXPECT_EQ(made, scaled);
}

TEST(DecodeReduced, TurnsWhatItHasReduced) {
  const std::string file = WithExif(EncodeJpeg(Scene(40, 64, 3, 22)), 6);
  std::vector<uint8_t> stored(3 * 10 * 16);
  std::vector<uint8_t> turned(3 * 16 * 10);
  ASSERT_THAT(DecodeReduced(file, {3, 40, 64}, 2, Orientation::kIgnore, stored), IsOk());
  ASSERT_THAT(DecodeReduced(file, {3, 64, 40}, 2, Orientation::kApply, turned), IsOk());
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 10; ++x) ASSERT_EQ(turned[y * 10 + x], stored[(9 - x) * 16 + y]);
  }
}

TEST(DecodeReduced, SurvivesEveryTruncationOfAFile) {
  std::vector<uint8_t> pixels(3 * 3 * 3);
  for (const bool progressive : {false, true}) {
    const std::string file = EncodeJpeg(Waves(12, 12, 3), progressive);
    for (size_t size = 0; size < file.size() - 2; ++size) {
      ASSERT_EQ(
          DecodeReduced(file.substr(0, size), {3, 12, 12}, 2, Orientation::kIgnore, pixels).code(),
          absl::StatusCode::kDataLoss);
    }
  }
}

// What a graph makes of files.
std::vector<uint8_t> BytesMade(const GraphSpec& spec, const std::vector<std::string>& files,
                               Rewriting rewriting = Rewriting::kOn) {
  const auto graph = Graph::Build(spec, {.payload = PayloadKind::kFile}, Fusion::kOn, rewriting);
  EXPECT_THAT(graph, IsOk());
  const auto made = graph->Run(testing::MakeSamples(files), nullptr);
  EXPECT_THAT(made, IsOk());
  const std::vector<float> numbers = testing::Numbers<float>(made->batch, "input");
  return {numbers.begin(), numbers.end()};
}

TEST(DecodeImage, DecodesSmallerImagesWhereAResizeFollowsAndItShall) {
  const auto spec = [](bool reduced, bool antialias) {
    return testing::Spec(DecodeImageSpec{.height = 203, .width = 298, .reduced = reduced},
                         ResizeSpec{.height = 50, .width = 60, .antialias = antialias},
                         StackSpec{});
  };
  const std::vector<std::string> files = {EncodeJpeg(Scene(203, 298, 3, 23)), "junk",
                                          EncodePng(Scene(203, 298, 3, 24))};
  const auto graph = Graph::Build(spec(true, true), {.payload = PayloadKind::kFile});
  ASSERT_THAT(graph, IsOk());
  ASSERT_EQ(graph->rewrites().size(), 1);
  EXPECT_EQ(graph->rewrites()[0].kind, RewriteKind::kReduced);
  EXPECT_EQ(graph->rewrites()[0].reason,
            "op 1 (decode_image) decodes images at 51 x 75 pixels instead of 203 x 298: op 2 "
            "(resize) makes 50 x 60 of them, and `reduced` accepts that they differ a little");
  EXPECT_EQ(graph->op_columns()[0].makes[0].shape, std::vector<int64_t>({3, 51, 75}));
  const std::vector<uint8_t> whole = BytesMade(spec(false, true), files);
  const std::vector<uint8_t> reduced = BytesMade(spec(true, true), files);
  ASSERT_EQ(whole.size(), 2 * 3 * 50 * 60);
  EXPECT_NE(reduced, whole);
  const Difference difference = DifferenceOf(reduced, whole);
  EXPECT_LT(difference.mean, 1.5);
  EXPECT_LT(difference.most, 10);
  EXPECT_EQ(BytesMade(spec(true, true), files, Rewriting::kOff), whole);
  // Without antialias, the pixels between those that are read do not count.
  EXPECT_EQ(BytesMade(spec(true, false), files), BytesMade(spec(false, false), files));
}

TEST(DecodeImage, DecodesWholeImagesWhereOtherOpsSeeThem) {
  const DecodeImageSpec decode{.height = 64, .width = 64, .reduced = true};
  const ResizeSpec resize{.height = 8, .width = 8, .antialias = true};
  ResizeSpec copy = resize;
  copy.into = "small";
  ResizeSpec slightly = resize;
  slightly.height = 40;
  for (const GraphSpec& spec :
       {testing::Spec(decode, copy, StackSpec{.columns = {"small"}}),
        testing::Spec(decode, CropSpec{.height = 32, .width = 32}, resize, StackSpec{}),
        testing::Spec(decode, slightly, StackSpec{}), testing::Spec(decode, StackSpec{})}) {
    const auto graph = Graph::Build(spec, {.payload = PayloadKind::kFile});
    ASSERT_THAT(graph, IsOk());
    EXPECT_EQ(graph->rewrites(), std::vector<Rewrite>());
  }
}

TEST(DecodeImage, StretchesReducedImagesToAboutTheSame) {
  const auto spec = [](bool reduced) {
    return testing::Spec(DecodeImageSpec{.height = 30,
                                         .width = 40,
                                         .orientation = Orientation::kApply,
                                         .fit = ImageFit::kStretch,
                                         .reduced = reduced},
                         StackSpec{});
  };
  const std::vector<std::string> files = {
      EncodeJpeg(Scene(203, 298, 3, 23)), WithExif(EncodeJpeg(Scene(298, 203, 3, 25)), 8),
      EncodeJpeg(Scene(31, 300, 3, 26)), EncodeJpeg(Scene(20, 30, 3, 27))};
  const std::vector<uint8_t> whole = BytesMade(spec(false), files);
  const std::vector<uint8_t> reduced = BytesMade(spec(true), files);
  const auto image = [](const std::vector<uint8_t>& all, int n) {
    const auto first = all.begin() + static_cast<ptrdiff_t>(n) * 3 * 30 * 40;
    return std::vector<uint8_t>(first, first + ptrdiff_t{3} * 30 * 40);
  };
  for (int n = 0; n < 2; ++n) {
    EXPECT_NE(image(reduced, n), image(whole, n));
    const Difference difference = DifferenceOf(image(reduced, n), image(whole, n));
    EXPECT_LT(difference.mean, 1.5) << n;
    EXPECT_LT(difference.most, 10) << n;
  }
  // Half of the height, or of the image, would be too small.
  for (int n = 2; n < 4; ++n) EXPECT_EQ(image(reduced, n), image(whole, n));
}

}  // namespace
}  // namespace tidemill::transform

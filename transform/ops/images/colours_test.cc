#include "transform/ops/images/colours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "transform/testing/images.h"

namespace tidemill::transform {
namespace {

using ::testing::ElementsAre;
using testing::Images;
using testing::RandomImages;

// Worked out by hand with torchvision's definitions. Grey is 0.2989 * 200 + 0.587 * 100 + 0.114 *
// 50 = 124.18 for the first pixel and 0.2989 * 10 + 0.587 * 20 + 0.114 * 250 = 43.229 for the
// second; their whole numbers are 124 and 43, and the mean is 83.5.
constexpr uint8_t kPixels[] = {200, 10, 100, 20, 50, 250};  // Red, green and blue of two pixels.
const ImageSize kTwoPixels{.channels = 3, .height = 1, .width = 2};

std::vector<uint8_t> Pixels() { return {std::begin(kPixels), std::end(kPixels)}; }

TEST(Colours, OfBytesAreThoseOfTorchvision) {
  std::vector<uint8_t> image = Pixels();
  ChangeBrightness<uint8_t>(1.25, 255, image);
  EXPECT_THAT(image, ElementsAre(250, 12, 125, 25, 62, 255));
  image = Pixels();
  // 1.5 * 200 - 41.75 = 258.25, 1.5 * 10 - 41.75 = -26.75, 1.5 * 100 - 41.75 = 108.25 ...
  ChangeContrast<uint8_t>(1.5, 255, kTwoPixels, image);
  EXPECT_THAT(image, ElementsAre(255, 0, 108, 0, 33, 255));
  image = Pixels();
  // 0.5 * (200 + 124) = 162, 0.5 * (10 + 43) = 26.5, 0.5 * (100 + 124) = 112 ...
  ChangeSaturation<uint8_t>(0.5, 255, kTwoPixels, image);
  EXPECT_THAT(image, ElementsAre(162, 26, 112, 31, 87, 146));
}

TEST(Colours, OfFloatsAreNotCutOff) {
  std::vector<double> image(std::begin(kPixels), std::end(kPixels));
  ChangeSaturation<double>(0.5, 255, kTwoPixels, image);
  EXPECT_NEAR(image[0], 0.5 * (200 + 124.18), 1e-9);
  EXPECT_NEAR(image[1], 0.5 * (10 + 43.229), 1e-9);
  image.assign(std::begin(kPixels), std::end(kPixels));
  ChangeContrast<double>(0.5, 255, kTwoPixels, image);
  EXPECT_NEAR(image[5], 0.5 * 250 + 0.5 * (124.18 + 43.229) / 2, 1e-9);
}

TEST(Colours, OfGreyImagesHaveNoSaturation) {
  std::vector<uint8_t> image = {7, 200};
  const ImageSize size{.channels = 1, .height = 1, .width = 2};
  ChangeSaturation<uint8_t>(0, 255, size, image);
  EXPECT_THAT(image, ElementsAre(7, 200));
  // Their mean is that of the pixels themselves.
  ChangeContrast<uint8_t>(0, 255, size, image);
  EXPECT_THAT(image, ElementsAre(103, 103));
}

// A colour as torchvision computes it: by the hue, the saturation and the value of the pixel.
std::array<double, 3> TurnedAsTorchvisionDoes(double red, double green, double blue, double share) {
  const double value = std::max({red, green, blue});
  const double range = value - std::min({red, green, blue});
  const double divisor = range == 0 ? 1 : range;
  const double saturation = value == 0 ? 0 : range / value;
  const double r = (value - red) / divisor;
  const double g = (value - green) / divisor;
  const double b = (value - blue) / divisor;
  const double sixths = value == red ? b - g : value == green ? 2 + r - b : 4 + g - r;
  double hue = std::fmod(sixths / 6 + 1, 1) + share;
  hue -= std::floor(hue);
  const auto sector = static_cast<int>(std::floor(hue * 6));
  const double rest = hue * 6 - sector;
  const double p = value * (1 - saturation);
  const double q = value * (1 - saturation * rest);
  const double t = value * (1 - saturation * (1 - rest));
  const std::array<double, 3> colours[] = {{value, t, p}, {q, value, p}, {p, value, t},
                                           {p, q, value}, {t, p, value}, {value, p, q}};
  return colours[sector % 6];
}

TEST(Colours, TurnHuesAsTorchvisionDoes) {
  const Images images = RandomImages(1, 3, 64, 64);
  const ImageSize size{.channels = 3, .height = 64, .width = 64};
  for (const double share : {-0.5, -0.3, -0.01, 0.0, 0.02, 1.0 / 6, 0.25, 0.5}) {
    std::vector<uint8_t> bytes(images.pixels.begin(), images.pixels.end());
    std::vector<double> reals;
    for (const double pixel : images.pixels) reals.push_back(pixel / 255);
    ChangeHue<uint8_t>(share, 255, size, bytes);
    ChangeHue<double>(share, 1, size, reals);
    if (share == 0) {
      EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), images.pixels.begin()));
    }
    for (int64_t i = 0; i < 64 * 64; ++i) {
      const auto expected =
          TurnedAsTorchvisionDoes(images.pixels[i] / 255, images.pixels[64 * 64 + i] / 255,
                                  images.pixels[2 * 64 * 64 + i] / 255, share);
      for (int channel = 0; channel < 3; ++channel) {
        const int64_t at = channel * 64 * 64 + i;
        ASSERT_NEAR(bytes[at], std::floor(expected[channel] * 255.999), 1) << share << " at " << i;
        ASSERT_NEAR(reals[at], expected[channel], 1e-12);
      }
    }
  }
}

TEST(Colours, TurnRedToGreenByAThird) {
  std::vector<uint8_t> image = {255, 7, 0, 7, 0, 7};  // Red, and grey.
  ChangeHue<uint8_t>(1.0 / 3, 255, kTwoPixels, image);
  EXPECT_THAT(image, ElementsAre(0, 7, 255, 7, 0, 7));
  std::vector<uint8_t> grey = {7, 200};
  ChangeHue<uint8_t>(0.4, 255, {.channels = 1, .height = 1, .width = 2}, grey);
  EXPECT_THAT(grey, ElementsAre(7, 200));
}

}  // namespace
}  // namespace tidemill::transform

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "transform/testing/images.h"

namespace tidemill::transform {
namespace {

using ::testing::HasSubstr;
using testing::Images;
using testing::kRecords;
using testing::MakeImages;
using testing::RandomImages;
using testing::RunOp;
using testing::Spec;
using testing::Training;
using tidemill::testing::StatusIs;

constexpr double kRed = 0.2989;
constexpr double kGreen = 0.587;
constexpr double kBlue = 0.114;
// Wide enough that nothing is held back.
constexpr double kNoWhite = 1e6;

double GreyAt(const Images& images, int64_t n, int64_t y, int64_t x) {
  if (images.channels == 1) return images.At(n, 0, y, x);
  return kRed * images.At(n, 0, y, x) + kGreen * images.At(n, 1, y, x) +
         kBlue * images.At(n, 2, y, x);
}

double MeanGreyOf(const Images& images, int64_t n) {
  double sum = 0;
  for (int64_t y = 0; y < images.height; ++y) {
    for (int64_t x = 0; x < images.width; ++x) sum += GreyAt(images, n, y, x);
  }
  return sum / static_cast<double>(images.height * images.width);
}

// The factors of each image, from what the op makes with one of its settings alone.
struct Factors {
  std::vector<double> brightness;
  std::vector<double> contrast;
  std::vector<double> saturation;
};

// By how much two numbers of each image are further apart in `made`. They have to differ.
std::vector<double> Stretching(const std::vector<double>& made, const Images& images, int64_t first,
                               int64_t second) {
  std::vector<double> factors;
  for (int64_t n = 0; n < images.Count(); ++n) {
    const int64_t at = n * images.Numbers();
    factors.push_back((made[at + first] - made[at + second]) /
                      (images.pixels[at + first] - images.pixels[at + second]));
  }
  return factors;
}

Factors FactorsOf(const ColourJitterSpec& spec, const Images& images) {
  const auto alone = [&](double ColourJitterSpec::*setting) {
    ColourJitterSpec one{.white = spec.white};
    one.*setting = spec.*setting;
    return RunOp(one, images, RecordType::kFloat32, Training());
  };
  // Both mix all pixels with one number; the saturation mixes those of one place with one.
  const int64_t plane = images.height * images.width;
  return {Stretching(alone(&ColourJitterSpec::brightness), images, 0, 1),
          Stretching(alone(&ColourJitterSpec::contrast), images, 0, 1),
          Stretching(alone(&ColourJitterSpec::saturation), images, 0, plane)};
}

// The colours at the first two places differ, and none of them becomes black.
Images Colourful(int64_t count) {
  Images images = RandomImages(count, 3, 4, 5);
  for (int64_t n = 0; n < count; ++n) {
    images.pixels[n * 60] = 250;
    images.pixels[n * 60 + 1] = 100;
    images.pixels[n * 60 + 20] = 120;
  }
  return images;
}

TEST(ColourJitter, ChangesBrightnessThenContrastThenSaturation) {
  const Images images = Colourful(50);
  const ColourJitterSpec spec{
      .brightness = 0.4, .contrast = 0.6, .saturation = 0.9, .white = kNoWhite};
  const Factors factors = FactorsOf(spec, images);
  Images expected = images;
  for (int64_t n = 0; n < images.Count(); ++n) {
    const auto change = [&](auto colour) {
      const Images before = expected;
      for (int64_t i = 0; i < 60; ++i) {
        expected.pixels[n * 60 + i] = std::max(0.0, colour(before, i, before.pixels[n * 60 + i]));
      }
    };
    change([&](const Images&, int64_t, double pixel) { return factors.brightness[n] * pixel; });
    change([&](const Images& before, int64_t, double pixel) {
      return factors.contrast[n] * pixel + (1 - factors.contrast[n]) * MeanGreyOf(before, n);
    });
    change([&](const Images& before, int64_t i, double pixel) {
      return factors.saturation[n] * pixel +
             (1 - factors.saturation[n]) * GreyAt(before, n, i % 20 / 5, i % 5);
    });
  }
  const std::vector<double> made = RunOp(spec, images, RecordType::kFloat32, Training());
  ASSERT_EQ(made.size(), expected.pixels.size());
  for (size_t i = 0; i < made.size(); ++i) ASSERT_NEAR(made[i], expected.pixels[i], 0.02) << i;
}

TEST(ColourJitter, DrawsEachFactorUniformlyAroundOne) {
  constexpr int kCount = 2000;
  const Images images = Colourful(kCount);
  const ColourJitterSpec spec{
      .brightness = 0.05, .contrast = 0.05, .saturation = 0.02, .white = kNoWhite};
  const Factors factors = FactorsOf(spec, images);
  const auto check = [](std::vector<double> drawn, double range) {
    std::sort(drawn.begin(), drawn.end());
    EXPECT_GE(drawn.front(), 1 - range - 1e-5);
    EXPECT_LE(drawn.back(), 1 + range + 1e-5);
    // The greatest distance from the uniform distribution, by Kolmogorov; 1.95 at one in a
    // thousand.
    double distance = 0;
    for (size_t i = 0; i < drawn.size(); ++i) {
      const double share = (drawn[i] - (1 - range)) / (2 * range);
      distance = std::max(distance, std::abs(share - (static_cast<double>(i) + 0.5) / kCount));
    }
    EXPECT_LT(distance * std::sqrt(kCount), 1.95);
  };
  check(factors.brightness, 0.05);
  check(factors.contrast, 0.05);
  check(factors.saturation, 0.02);
  // Factors that are drawn apart: the sum is within four standard deviations of zero.
  double together = 0;
  for (int n = 0; n < kCount; ++n) {
    together += (factors.brightness[n] - 1) * (factors.contrast[n] - 1) * 3 / (0.05 * 0.05);
  }
  EXPECT_LT(std::abs(together) / std::sqrt(kCount), 4);
}

TEST(ColourJitter, HoldsNumbersBetweenBlackAndWhite) {
  const Images images = RandomImages(200, 3, 4, 5);
  const ColourJitterSpec spec{.brightness = 1, .contrast = 1, .saturation = 1};
  const std::vector<double> bytes = RunOp(spec, images, RecordType::kUInt8, Training());
  EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), 255);
  EXPECT_EQ(*std::min_element(bytes.begin(), bytes.end()), 0);
  ColourJitterSpec floats = spec;
  floats.white = 100;
  const std::vector<double> made = RunOp(floats, images, RecordType::kFloat32, Training());
  EXPECT_EQ(*std::max_element(made.begin(), made.end()), 100);
}

TEST(ColourJitter, ChangesNothingWhenNobodyTrains) {
  const Images images = RandomImages(20, 3, 4, 5);
  const ColourJitterSpec spec{.brightness = 0.9, .contrast = 0.9, .saturation = 0.9, .hue = 0.5};
  EXPECT_EQ(RunOp(spec, images, RecordType::kUInt8), images.pixels);
  EXPECT_NE(RunOp(spec, images, RecordType::kUInt8, Training()), images.pixels);
  EXPECT_NE(RunOp(spec, images, RecordType::kUInt8, Training(1)),
            RunOp(spec, images, RecordType::kUInt8, Training()));
}

TEST(ColourJitter, DrawsTheHueUniformlyAndApartFromTheFactors) {
  constexpr int kCount = 2000;
  // The only colour is red: its hue is 0.
  const Images images = MakeImages(
      kCount, 3, 1, 1, [](auto, int64_t channel, auto...) { return channel == 0 ? 1 : 0; });
  const ColourJitterSpec spec{.hue = 0.1, .white = 1};
  const std::vector<double> made = RunOp(spec, images, RecordType::kFloat32, Training());
  int sides = 0;
  double sum = 0;
  for (int n = 0; n < kCount; ++n) {
    ASSERT_EQ(made[n * 3], 1);
    // Towards green or towards blue, by six times the share.
    const double share = (made[n * 3 + 1] - made[n * 3 + 2]) / 6;
    ASSERT_LE(std::abs(share), 0.1 + 1e-6);
    sides += share > 0 ? 1 : 0;
    sum += std::abs(share);
  }
  EXPECT_NEAR(sides, kCount / 2, 6 * std::sqrt(kCount / 4));
  EXPECT_NEAR(sum / kCount, 0.05, 6 * 0.1 / std::sqrt(12.0 * kCount));
  ColourJitterSpec both = spec;
  both.brightness = 0.5;
  const std::vector<double> darker = RunOp(both, images, RecordType::kFloat32, Training());
  for (int n = 0; n < kCount; ++n) {
    if (darker[n * 3] < 1) {
      ASSERT_NEAR(darker[n * 3 + 1] / darker[n * 3], made[n * 3 + 1], 1e-5);
    }
  }
}

TEST(ColourJitter, TakesGreyImagesWithoutSaturation) {
  const Images images = RandomImages(50, 1, 4, 5);
  EXPECT_EQ(
      RunOp(ColourJitterSpec{.saturation = 1, .hue = 0.5}, images, RecordType::kUInt8, Training()),
      images.pixels);
  EXPECT_NE(RunOp(ColourJitterSpec{.contrast = 1}, images, RecordType::kUInt8, Training()),
            images.pixels);
}

// The first problem of a graph with one op after images of a type and shape.
template <typename Op>
std::string ProblemWith(const Op& op, RecordType type, std::vector<int64_t> shape) {
  const ParseRecordSpec parse{
      .fields = {{.name = "image", .dtype = type, .shape = std::move(shape)}}};
  const auto problems = Graph::Check(Spec(parse, op, StackSpec{}), kRecords);
  return problems.empty() ? "" : problems[0].field + ": " + problems[0].message;
}

TEST(ColourJitter, SaysWhichImagesItCannotChange) {
  const ColourJitterSpec jitter{.brightness = 0.5};
  EXPECT_EQ(ProblemWith(jitter, RecordType::kUInt8, {3, 4, 5}), "");
  EXPECT_EQ(ProblemWith(jitter, RecordType::kUInt8, {4, 5}), "");
  EXPECT_EQ(ProblemWith(jitter, RecordType::kUInt8, {4, 5, 6}),
            "column: column image has 4 channels, not 1 or 3");
  EXPECT_EQ(ProblemWith(jitter, RecordType::kFloat32, {3, 4, 5}),
            "white: is missing: column image is float32, which does not say how bright white is");
  EXPECT_EQ(ProblemWith(jitter, RecordType::kInt64, {3, 4, 5}),
            "column: column image is int64, not uint8 or floats");
  EXPECT_EQ(
      ProblemWith(ColourJitterSpec{.brightness = 0.5, .white = 1}, RecordType::kUInt8, {3, 4, 5}),
      "white: is 1, but in uint8 white is 255");
  for (const auto& [yaml, message] :
       {std::pair("{}", "changes nothing"), std::pair("{contrast: 1.5}", "contrast"),
        std::pair("{contrast: 0.5, white: 0}", "is not a finite number above 0")}) {
    EXPECT_THAT(config::Read<GraphSpec>(std::string("- colour_jitter: ") + yaml + "\n", "g"),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(message)));
  }
}

// The erased part of image n: where it is not one.
struct Erased {
  int64_t top = 0;
  int64_t left = 0;
  int64_t height = 0;
  int64_t width = 0;
};

Erased ErasedOf(const Images& made, int64_t n) {
  Erased part{.top = made.height, .left = made.width};
  int64_t bottom = -1;
  int64_t right = -1;
  int64_t count = 0;
  for (int64_t y = 0; y < made.height; ++y) {
    for (int64_t x = 0; x < made.width; ++x) {
      if (made.At(n, 0, y, x) == 1) continue;
      ++count;
      part.top = std::min(part.top, y);
      part.left = std::min(part.left, x);
      bottom = std::max(bottom, y);
      right = std::max(right, x);
    }
  }
  if (count == 0) return {};
  part.height = bottom - part.top + 1;
  part.width = right - part.left + 1;
  EXPECT_EQ(part.height * part.width, count) << "the part of image " << n << " is not a rectangle";
  return part;
}

// The means over all parts that are lower and narrower than the image, which is what drawing others
// again leaves.
struct MeanPart {
  double area = 0;
  double log_aspect = 0;
};

MeanPart MeanErased(const RandomErasingSpec& spec, double height, double width) {
  constexpr int kSteps = 500;
  MeanPart sum;
  int count = 0;
  for (int i = 0; i < kSteps * kSteps; ++i) {
    const double area = spec.min_area + (spec.max_area - spec.min_area) * (i / kSteps) / kSteps;
    const double aspect = spec.min_aspect * std::pow(spec.max_aspect / spec.min_aspect,
                                                     static_cast<double>(i % kSteps) / kSteps);
    const double down = std::round(std::sqrt(area * height * width * aspect));
    const double across = std::round(std::sqrt(area * height * width / aspect));
    if (down >= height || across >= width) continue;
    ++count;
    sum.area += down * across / (height * width);
    sum.log_aspect += std::log(down / across);
  }
  return {sum.area / count, sum.log_aspect / count};
}

// What the op makes of images of ones.
Images Erase(const RandomErasingSpec& spec, int64_t count, int64_t height, int64_t width,
             RecordType type = RecordType::kUInt8) {
  Images images = MakeImages(count, 2, height, width, [](auto...) { return 1.0; });
  images.pixels = RunOp(spec, images, type, Training());
  return images;
}

TEST(RandomErasing, WritesOverARectangleOfTheAreaAndAspectDrawn) {
  constexpr int kCount = 1000;
  constexpr double kArea = 40 * 60;
  const RandomErasingSpec spec{.probability = 0.75,
                               .min_area = 0.1,
                               .max_area = 0.3,
                               .min_aspect = 0.5,
                               .max_aspect = 4,
                               .value = 7};
  const Images made = Erase(spec, kCount, 40, 60);
  int erased = 0;
  double sum_area = 0;
  double sum_log_aspect = 0;
  double sum_place = 0;
  for (int64_t n = 0; n < kCount; ++n) {
    const Erased part = ErasedOf(made, n);
    if (part.height == 0) continue;
    ++erased;
    ASSERT_EQ(made.At(n, 0, part.top, part.left), 7);
    const auto first = made.pixels.begin() + n * 2 * 40 * 60;
    ASSERT_TRUE(std::equal(first, first + 40 * 60, first + 40 * 60)) << "channels of image " << n;
    const auto height = static_cast<double>(part.height);
    const auto width = static_cast<double>(part.width);
    // Sides are rounded by half a pixel.
    EXPECT_GE((height + 0.5) * (width + 0.5), 0.1 * kArea);
    EXPECT_LE((height - 0.5) * (width - 0.5), 0.3 * kArea);
    EXPECT_GE((height + 0.5) / (width - 0.5), 0.5);
    EXPECT_LE((height - 0.5) / (width + 0.5), 4);
    sum_area += height * width / kArea;
    sum_log_aspect += std::log(height / width);
    sum_place += static_cast<double>(part.left) / (60 - width);
  }
  // Six standard deviations.
  EXPECT_NEAR(erased, 0.75 * kCount, 6 * std::sqrt(kCount * 0.75 * 0.25));
  EXPECT_NEAR(sum_place / erased, 0.5, 6 * std::sqrt(1.0 / 12 / erased));
  const MeanPart expected = MeanErased(spec, 40, 60);
  EXPECT_NEAR(sum_area / erased, expected.area, 6 * 0.06 / std::sqrt(erased));
  EXPECT_NEAR(sum_log_aspect / erased, expected.log_aspect, 6 * 0.6 / std::sqrt(erased));
}

TEST(RandomErasing, TakesEveryPlaceAboutAsOften) {
  constexpr int kCount = 4000;
  // 2 of 4 by 2 of 5 pixels: a fifth of the area, as high as wide.
  const RandomErasingSpec spec{
      .probability = 1, .min_area = 0.2, .max_area = 0.2, .min_aspect = 1, .max_aspect = 1};
  const Images made = Erase(spec, kCount, 4, 5, RecordType::kFloat32);
  std::map<std::pair<int64_t, int64_t>, int> places;
  for (int64_t n = 0; n < kCount; ++n) {
    const Erased part = ErasedOf(made, n);
    ASSERT_EQ(part.height, 2);
    ASSERT_EQ(part.width, 2);
    ++places[{part.top, part.left}];
  }
  EXPECT_EQ(places.size(), 12) << "3 places down and 4 across";
  // Binomial with mean 333: six standard deviations are 105.
  for (const auto& [place, count] : places) EXPECT_NEAR(count, kCount / 12, 105);
}

TEST(RandomErasing, GivesUpAfterTenTries) {
  // No part of the whole area is lower and narrower than a square.
  const Images whole = Erase({.probability = 1, .min_area = 1, .max_area = 1}, 50, 8, 8);
  for (const double pixel : whole.pixels) ASSERT_EQ(pixel, 1);
  // The height of half of the area is below 15.5, and so less than 16, for one aspect in ten.
  constexpr int kCount = 2000;
  const double logarithm = std::log(2.0 * 15.5 / 16 * 15.5 / 16);
  const RandomErasingSpec rare{.probability = 1,
                               .min_area = 0.5,
                               .max_area = 0.5,
                               .min_aspect = 1,
                               .max_aspect = std::exp(10 * logarithm)};
  const Images made = Erase(rare, kCount, 16, 16);
  int erased = 0;
  for (int64_t n = 0; n < kCount; ++n) erased += ErasedOf(made, n).height > 0 ? 1 : 0;
  const double share = 1 - std::pow(0.9, 10);
  EXPECT_NEAR(erased, kCount * share, 6 * std::sqrt(kCount * share * (1 - share)));
}

TEST(RandomErasing, ChangesNothingWhenNobodyTrains) {
  const Images images = RandomImages(20, 3, 8, 8);
  const RandomErasingSpec spec{.probability = 1};
  EXPECT_EQ(RunOp(spec, images, RecordType::kUInt8), images.pixels);
  const std::vector<double> made = RunOp(spec, images, RecordType::kUInt8, Training());
  EXPECT_NE(made, images.pixels);
  EXPECT_NE(RunOp(spec, images, RecordType::kUInt8, Training(1)), made);
}

TEST(RandomErasing, SaysWhatItCannotWrite) {
  EXPECT_EQ(ProblemWith(RandomErasingSpec{.value = 0.5}, RecordType::kFloat32, {3, 4, 5}), "");
  EXPECT_EQ(ProblemWith(RandomErasingSpec{.value = 0.5}, RecordType::kUInt8, {3, 4, 5}),
            "value: is 0.5, but column image holds uint8");
  EXPECT_EQ(ProblemWith(RandomErasingSpec{}, RecordType::kUInt8, {60}),
            "column: column image does not hold images: its rows have the shape [60]");
  for (const auto& [yaml, message] :
       {std::pair("{min_area: 0.5}", "min_area: is greater than max_area"),
        std::pair("{max_aspect: 0.1}", "min_aspect: is greater than max_aspect"),
        std::pair("{min_aspect: 0}", "min_aspect"), std::pair("{value: .inf}", "is not finite")}) {
    EXPECT_THAT(config::Read<GraphSpec>(std::string("- random_erasing: ") + yaml + "\n", "g"),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(message)));
  }
}

}  // namespace
}  // namespace tidemill::transform

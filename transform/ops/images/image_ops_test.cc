#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <thread>

#include "fmt/format.h"

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "transform/testing/images.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Images;
using testing::kRecords;
using testing::MakeImages;
using testing::MakeSamples;
using testing::MustBuild;
using testing::Numbers;
using testing::RandomImages;
using testing::RecordsOf;
using testing::RunGraph;
using testing::RunOp;
using testing::SetOrdinals;
using testing::Spec;
using testing::Training;
using tidemill::testing::IsOk;
using tidemill::testing::StatusIs;

constexpr RecordType kTypes[] = {RecordType::kUInt8, RecordType::kFloat32};

TEST(Crop, TakesTheMiddleOrThePartAtAnOffset) {
  const Images images = RandomImages(9, 3, 7, 6);
  for (const RecordType type : kTypes) {
    const auto part = [&](int64_t top, int64_t left) {
      return MakeImages(9, 3, 4, 3,
                        [&](int64_t n, int64_t c, int64_t y, int64_t x) {
                          return images.At(n, c, top + y, left + x);
                        })
          .pixels;
    };
    EXPECT_EQ(RunOp(CropSpec{.height = 4, .width = 3}, images, type), part(1, 1));
    EXPECT_EQ(RunOp(CropSpec{.height = 4, .width = 3, .offset = {3, 0}}, images, type), part(3, 0));
  }
}

TEST(Flip, SwapsLeftAndRightOrTopAndBottom) {
  const Images images = RandomImages(9, 2, 5, 4);
  for (const RecordType type : kTypes) {
    EXPECT_EQ(RunOp(FlipSpec{}, images, type),
              MakeImages(9, 2, 5, 4, [&](int64_t n, int64_t c, int64_t y, int64_t x) {
                return images.At(n, c, y, 3 - x);
              }).pixels);
    EXPECT_EQ(RunOp(FlipSpec{.direction = FlipDirection::kVertical}, images, type),
              MakeImages(9, 2, 5, 4, [&](int64_t n, int64_t c, int64_t y, int64_t x) {
                return images.At(n, c, 4 - y, x);
              }).pixels);
  }
}

TEST(Pad, PutsNumbersAroundARow) {
  const Images images = RandomImages(8, 2, 3, 4);
  for (const RecordType type : kTypes) {
    const PadSpec pad{.column = "image", .before = {1, 0, 2}, .after = {0, 3, 1}, .value = 7};
    EXPECT_EQ(RunOp(pad, images, type),
              MakeImages(8, 3, 6, 7, [&](int64_t n, int64_t c, int64_t y, int64_t x) {
                const bool inside = c >= 1 && y < 3 && x >= 2 && x < 6;
                return inside ? images.At(n, c - 1, y, x - 2) : 7;
              }).pixels);
  }
}

TEST(Pad, MakesVectorsLonger) {
  const Transformed result = RunGraph(Spec(ParseRecordSpec{.fields = {{.name = "x", .shape = {2}}}},
                                           PadSpec{.column = "x", .after = {2}, .into = "longer"},
                                           StackSpec{.columns = {"longer"}}),
                                      kRecords, MakeSamples({"\1\2", "\3\4"}));
  EXPECT_THAT(Numbers<float>(result.batch, "input"), ElementsAre(1, 2, 0, 0, 3, 4, 0, 0));
}

// The value of channel c of image n at a point, by weighing every pixel with a tent around it.
double Interpolated(const Images& images, int64_t n, int64_t c, double y, double x) {
  y = std::clamp(y, 0.0, static_cast<double>(images.height - 1));
  x = std::clamp(x, 0.0, static_cast<double>(images.width - 1));
  double value = 0;
  for (int64_t row = 0; row < images.height; ++row) {
    for (int64_t column = 0; column < images.width; ++column) {
      const double weight = std::max(0.0, 1 - std::abs(y - static_cast<double>(row))) *
                            std::max(0.0, 1 - std::abs(x - static_cast<double>(column)));
      value += weight * images.At(n, c, row, column);
    }
  }
  return value;
}

TEST(Resize, InterpolatesBetweenTheCentresOfPixels) {
  struct Extent {
    int64_t height;
    int64_t width;
  };
  for (const auto& [from, to] :
       {std::pair(Extent{4, 6}, Extent{7, 5}), std::pair(Extent{1, 1}, Extent{3, 2}),
        std::pair(Extent{9, 8}, Extent{3, 4}), std::pair(Extent{5, 5}, Extent{5, 5})}) {
    const Images images = RandomImages(8, 2, from.height, from.width);
    const double down = static_cast<double>(from.height) / static_cast<double>(to.height);
    const double right = static_cast<double>(from.width) / static_cast<double>(to.width);
    for (const RecordType type : kTypes) {
      const std::vector<double> made =
          RunOp(ResizeSpec{.height = to.height, .width = to.width}, images, type);
      const std::vector<double> nearest = RunOp(
          ResizeSpec{.height = to.height, .width = to.width, .method = Interpolation::kNearest},
          images, type);
      size_t at = 0;
      MakeImages(8, 2, to.height, to.width, [&](int64_t n, int64_t c, int64_t y, int64_t x) {
        const double top = (static_cast<double>(y) + 0.5) * down;
        const double left = (static_cast<double>(x) + 0.5) * right;
        const double expected = Interpolated(images, n, c, top - 0.5, left - 0.5);
        EXPECT_NEAR(made[at], expected, type == RecordType::kUInt8 ? 0.5 + 1e-9 : 1e-4);
        EXPECT_EQ(nearest[at],
                  images.At(n, c, static_cast<int64_t>(top), static_cast<int64_t>(left)));
        ++at;
        return 0.0;
      });
    }
  }
}

// Images that show where they were cut: no two places of an image hold the same number.
Images Marked(int64_t count, int64_t height, int64_t width) {
  return MakeImages(count, 1, height, width, [&](int64_t, int64_t, int64_t y, int64_t x) {
    return static_cast<double>(1 + y * width + x);
  });
}

// How often a part was cut at each (top, left) of 5 x 6 images with a zero around them.
std::map<std::pair<int64_t, int64_t>, int> PlacesOf(const std::vector<double>& parts,
                                                    const Images& images) {
  std::map<std::pair<int64_t, int64_t>, int> places;
  for (int64_t n = 0; n < images.Count(); ++n) {
    int found = 0;
    for (int64_t top = -1; top <= 2; ++top) {
      for (int64_t left = -1; left <= 3; ++left) {
        bool same = true;
        for (int64_t i = 0; i < 16; ++i) {
          same &= parts[n * 16 + i] == images.AtOrZero(n, 0, top + i / 4, left + i % 4);
        }
        if (!same) continue;
        ++found;
        ++places[{top, left}];
      }
    }
    EXPECT_EQ(found, 1) << "image " << n;
  }
  return places;
}

TEST(RandomCrop, TakesEveryPlaceAboutAsOften) {
  constexpr int kCount = 4000;
  const Images images = Marked(kCount, 5, 6);
  const auto places = PlacesOf(
      RunOp(RandomCropSpec{.height = 4, .width = 4, .padding = 1}, images, kTypes[0], Training()),
      images);
  EXPECT_EQ(places.size(), 20) << "4 places down and 5 across";
  // Binomial with mean 200: six standard deviations are 83.
  for (const auto& [place, count] : places) EXPECT_NEAR(count, kCount / 20, 83);
}

TEST(RandomCrop, TakesTheMiddleWhenNobodyTrains) {
  const Images images = Marked(8, 5, 6);
  const auto places = PlacesOf(
      RunOp(RandomCropSpec{.height = 4, .width = 4, .padding = 1}, images, kTypes[0]), images);
  EXPECT_THAT(places, ElementsAre(std::pair(std::pair(0, 1), 8)));
}

TEST(RandomFlip, MirrorsTheShareOfItsProbabilityInTrainingOnly) {
  constexpr int kCount = 4000;
  const Images images = Marked(kCount, 1, 3);
  for (const double probability : {0.0, 0.25, 1.0}) {
    const RandomFlipSpec flip{.probability = probability};
    const std::vector<double> made = RunOp(flip, images, kTypes[1], Training());
    int flipped = 0;
    for (int n = 0; n < kCount; ++n) {
      flipped += made[n * 3] == 3 ? 1 : 0;
      ASSERT_EQ(made[n * 3] + made[n * 3 + 2], 4);
      ASSERT_EQ(made[n * 3 + 1], 2);
    }
    // Six standard deviations.
    const double deviation = std::sqrt(kCount * probability * (1 - probability));
    EXPECT_NEAR(flipped, kCount * probability, 6 * deviation);
    EXPECT_EQ(RunOp(flip, images, kTypes[1]), images.pixels);
  }
}

GraphSpec RandomGraph() {
  return Spec(ParseRecordSpec{.fields = {{.name = "image", .shape = {1, 5, 6}}}},
              RandomCropSpec{.height = 4, .width = 4, .padding = 1}, RandomFlipSpec{},
              RandomFlipSpec{.direction = FlipDirection::kVertical}, StackSpec{});
}

std::vector<float> RunRandom(const batch::Batch& samples, const RunContext& context) {
  return Numbers<float>(RunGraph(RandomGraph(), kRecords, samples, context).batch, "input");
}

TEST(RandomOps, DependOnSeedTriggerEpochAndOrdinalAlone) {
  batch::Batch samples = RecordsOf<uint8_t>(Marked(200, 5, 6));
  SetOrdinals(samples);
  // RunGraph cuts the samples in three ways and wants the same of each.
  const std::vector<float> made = RunRandom(samples, Training());
  EXPECT_EQ(RunRandom(samples, Training()), made);
  EXPECT_NE(RunRandom(samples, Training(1)), made);
  EXPECT_NE(RunRandom(samples, Training(0, 4)), made);
  EXPECT_NE(RunRandom(samples, Training(0, 3, 12)), made);
  // A sample keeps its draw whatever row it is in, and another ordinal has another.
  std::vector<int64_t> backwards(200);
  for (int64_t i = 0; i < 200; ++i) backwards[i] = 199 - i;
  const std::vector<float> turned = RunRandom(samples.Take(backwards), Training());
  for (int64_t i = 0; i < 200; ++i) {
    ASSERT_TRUE(std::equal(turned.begin() + i * 16, turned.begin() + (i + 1) * 16,
                           made.begin() + (199 - i) * 16));
  }
  batch::Batch moved = samples;
  std::vector<int64_t> ordinals(200);
  for (int64_t i = 0; i < 200; ++i) ordinals[i] = i;
  ASSERT_THAT(moved.Set(batch::MakeColumn<int64_t>(batch::kOrdinalColumn, ordinals)), IsOk());
  EXPECT_NE(RunRandom(moved, Training()), made);
}

TEST(RandomOps, AreTheSameOnManyThreads) {
  batch::Batch samples = RecordsOf<uint8_t>(Marked(100, 5, 6));
  SetOrdinals(samples);
  const std::vector<float> expected = RunRandom(samples, Training());
  const Graph graph = MustBuild(RandomGraph(), kRecords);
  std::vector<std::vector<float>> results(4);
  {
    std::vector<std::jthread> threads;
    for (std::vector<float>& result : results) {
      threads.emplace_back([&] {
        const absl::StatusOr<Transformed> made = graph.Run(samples, nullptr, Training());
        if (made.ok()) result = Numbers<float>(made->batch, "input");
      });
    }
  }
  for (const std::vector<float>& result : results) EXPECT_EQ(result, expected);
}

TEST(RandomOps, DrawApartFromEachOther) {
  const Images images = MakeImages(4000, 1, 2, 2, [](int64_t, int64_t, int64_t y, int64_t x) {
    return static_cast<double>(2 * y + x);
  });
  batch::Batch samples = RecordsOf<uint8_t>(images);
  SetOrdinals(samples);
  const std::vector<float> made = Numbers<float>(
      RunGraph(
          Spec(ParseRecordSpec{.fields = {{.name = "image", .shape = {2, 2}}}}, RandomFlipSpec{},
               RandomFlipSpec{.direction = FlipDirection::kVertical}, StackSpec{}),
          kRecords, samples, Training())
          .batch,
      "input");
  std::map<float, int> corners;
  for (size_t i = 0; i < made.size(); i += 4) ++corners[made[i]];
  ASSERT_EQ(corners.size(), 4);
  // Six standard deviations of a binomial with mean 1000 are 165.
  for (const auto& [corner, count] : corners) EXPECT_NEAR(count, 1000, 165);
}

TEST(RandomOps, NeedOrdinalsInTraining) {
  const Graph graph = MustBuild(RandomGraph(), kRecords);
  const batch::Batch samples = RecordsOf<uint8_t>(Marked(1, 5, 6));
  EXPECT_THAT(graph.Run(samples, nullptr), IsOk());
  EXPECT_THAT(graph.Run(samples, nullptr, Training()),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("op 2 (random_crop)")));
}

TEST(ImageOps, SayWhatIsWrong) {
  const ParseRecordSpec image{.fields = {{.name = "image", .shape = {3, 4, 5}}}};
  const ParseRecordSpec flat{.fields = {{.name = "image", .shape = {60}}}};
  const auto first = [](const GraphSpec& spec) {
    const auto problems = Graph::Check(spec, kRecords);
    return problems.empty() ? "" : problems[0].field + " " + problems[0].message;
  };
  EXPECT_EQ(first(Spec(flat, FlipSpec{}, StackSpec{})),
            "column column image does not hold images: its rows have the shape [60]");
  EXPECT_EQ(first(Spec(image, CropSpec{.height = 5, .width = 5}, StackSpec{})),
            "height goes beyond the images, which are 4 pixels high");
  EXPECT_EQ(first(Spec(image, CropSpec{.height = 4, .width = 4, .offset = {0, 2}}, StackSpec{})),
            "width goes beyond the images, which are 5 pixels wide");
  EXPECT_EQ(first(Spec(image, RandomCropSpec{.height = 7, .width = 5, .padding = 1}, StackSpec{})),
            "height goes beyond the images, which are 6 pixels high with padding");
  EXPECT_EQ(first(Spec(image, PadSpec{.column = "image", .before = {1}}, StackSpec{})),
            "before has 1 numbers, but the rows of column image have 3 dimensions");
  EXPECT_EQ(first(Spec(image, PadSpec{.column = "image", .before = {1, 1, 1}, .value = 0.5},
                       StackSpec{})),
            "value is 0.5, but column image holds uint8");
}

}  // namespace
}  // namespace tidemill::transform

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "transform/ops/images/resampling.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeSamples;
using testing::Numbers;
using testing::RunGraph;
using testing::Spec;
using tidemill::testing::StatusIs;

struct Size {
  int64_t height = 0;
  int64_t width = 0;
};

template <typename T>
std::vector<T> Pattern(const Size& size) {
  std::vector<T> pixels;
  for (int64_t y = 0; y < size.height; ++y) {
    for (int64_t x = 0; x < size.width; ++x) {
      pixels.push_back(static_cast<T>((x * 37 + y * 91 + x * y * 7) % 256));
    }
  }
  return pixels;
}

// Images of a single channel through the op.
template <typename T>
std::vector<float> Resized(const std::vector<std::vector<T>>& images, RecordType type,
                           const Size& from, const Size& to, Interpolation method) {
  std::vector<std::string> records;
  for (const std::vector<T>& image : images) {
    records.emplace_back(reinterpret_cast<const char*>(image.data()), image.size() * sizeof(T));
  }
  const Transformed made = RunGraph(
      Spec(
          ParseRecordSpec{
              .fields = {{.name = "image", .dtype = type, .shape = {from.height, from.width}}}},
          ResizeSpec{.height = to.height, .width = to.width, .method = method, .antialias = true},
          StackSpec{}),
      {.payload = PayloadKind::kRecord}, MakeSamples(records));
  EXPECT_THAT(made.bad, IsEmpty());
  return Numbers<float>(made.batch, "input");
}

struct PillowExample {
  Size from;
  Size to;
  Interpolation method;
  std::vector<float> pixels;
};

// Image.fromarray(pixels).resize((width, height), filter) of Pillow 9.4.
const PillowExample kOfPillow[] = {
    {{11, 13}, {4, 5}, Interpolation::kBilinear, {110, 124, 127, 118, 121, 122, 138,
                                                  143, 126, 137, 120, 126, 136, 128,
                                                  134, 150, 145, 113, 132, 126}},
    {{11, 13}, {4, 5}, Interpolation::kBicubic, {108, 124, 126, 116, 121, 122, 143, 142, 126, 139,
                                                 118, 125, 137, 127, 135, 154, 146, 110, 133, 124}},
    {{5, 4},
     {7, 9},
     Interpolation::kBilinear,
     {0,   6,   23,  39,  56,  72,  88,  105, 111, 52,  59,  77,  95,  114, 132, 150,
      168, 175, 117, 125, 145, 161, 150, 138, 154, 174, 182, 182, 191, 213, 222, 131,
      39,  48,  70,  79,  64,  74,  98,  119, 112, 104, 125, 149, 159, 56,  66,  93,
      120, 148, 175, 159, 137, 129, 108, 119, 148, 177, 206, 234, 164, 79,  47}},
    {{5, 4},
     {7, 9},
     Interpolation::kBicubic,
     {0,   0,   14,  33,  50,  66,  85,  101, 107, 43,  49,  66,  88,  114, 140, 162,
      179, 187, 120, 130, 154, 171, 159, 147, 163, 187, 197, 177, 190, 227, 228, 131,
      33,  34,  71,  84,  48,  59,  88,  110, 101, 94,  124, 162, 177, 41,  52,  78,
      112, 154, 185, 172, 141, 130, 107, 120, 149, 183, 229, 247, 168, 62,  19}},
    {{8, 64},
     {3, 4},
     Interpolation::kBilinear,
     {122, 128, 126, 130, 133, 126, 124, 129, 132, 134, 131, 138}},
    {{8, 64},
     {3, 4},
     Interpolation::kBicubic,
     {121, 129, 126, 129, 135, 126, 123, 128, 132, 134, 132, 140}},
};

// Many rows are scaled together, and a single one alone.
TEST(Antialias, MakesTheSameOfARowAloneAndAmongOthers) {
  constexpr int64_t kHeight = 39;
  for (const auto& [from, to] : {std::pair<int64_t, int64_t>{61, 61},
                                 {61, 97},
                                 {61, 44},
                                 {61, 30},
                                 {61, 26},
                                 {61, 20},
                                 {61, 9}}) {
    for (const ResamplingFilter filter : {ResamplingFilter::kTriangle, ResamplingFilter::kCubic}) {
      const std::vector<uint8_t> pixels = Pattern<uint8_t>({kHeight, from});
      const Resampling together({.height = kHeight, .width = from},
                                {.height = kHeight, .width = to}, filter);
      const Resampling alone({.height = 1, .width = from}, {.height = 1, .width = to}, filter);
      std::vector<uint8_t> between(kHeight * to);
      std::vector<uint8_t> made(kHeight * to);
      std::vector<uint8_t> expected(kHeight * to);
      together.Run(pixels.data(), between.data(), made.data());
      for (int64_t y = 0; y < kHeight; ++y) {
        alone.Run(&pixels[y * from], between.data(), &expected[y * to]);
      }
      EXPECT_EQ(made, expected) << from << " to " << to;
    }
  }
}

TEST(Antialias, MakesOfBytesWhatPillowMakesToTheLastBit) {
  for (const auto& [from, to, method, pixels] : kOfPillow) {
    EXPECT_THAT(Resized<uint8_t>({Pattern<uint8_t>(from)}, RecordType::kUInt8, from, to, method),
                ElementsAreArray(pixels))
        << from.height << "x" << from.width;
  }
}

// The weight that old pixel `i` has in new pixel `n` along a side, straight from the definition.
double WeightOf(int64_t i, int64_t n, int64_t from, int64_t to) {
  const double scale = std::max(1.0, static_cast<double>(from) / static_cast<double>(to));
  const auto weigh = [&](int64_t at) {
    const double centre =
        (static_cast<double>(n) + 0.5) * static_cast<double>(from) / static_cast<double>(to);
    return std::max(0.0, 1 - std::abs((static_cast<double>(at) + 0.5 - centre) / scale));
  };
  double total = 0;
  for (int64_t at = 0; at < from; ++at) total += weigh(at);
  return weigh(i) / total;
}

TEST(Antialias, IsTheMeanOfAllThatAPixelStandsForInFloats) {
  constexpr Size kFrom{11, 17};
  constexpr Size kTo{5, 6};
  std::vector<std::vector<float>> images(8, Pattern<float>(kFrom));
  for (size_t i = 0; i < images.size(); ++i) images[i][i * 7] += 1000;
  const std::vector<float> made =
      Resized<float>(images, RecordType::kFloat32, kFrom, kTo, Interpolation::kBilinear);
  size_t next = 0;
  for (const std::vector<float>& image : images) {
    for (int64_t y = 0; y < kTo.height; ++y) {
      for (int64_t x = 0; x < kTo.width; ++x) {
        double expected = 0;
        for (int64_t i = 0; i < std::ssize(image); ++i) {
          expected += static_cast<double>(image[i]) *
                      WeightOf(i / kFrom.width, y, kFrom.height, kTo.height) *
                      WeightOf(i % kFrom.width, x, kFrom.width, kTo.width);
        }
        EXPECT_NEAR(made[next++], expected, 1e-3);
      }
    }
  }
}

TEST(Antialias, LeavesASideAloneThatKeepsItsLength) {
  constexpr Size kSize{6, 7};
  std::vector<float> image = Pattern<float>(kSize);
  EXPECT_EQ(Resized<float>({image}, RecordType::kFloat32, kSize, kSize, Interpolation::kBicubic),
            image);
  const std::vector<uint8_t> bytes = Pattern<uint8_t>(kSize);
  EXPECT_EQ(Resized<uint8_t>({bytes}, RecordType::kUInt8, kSize, kSize, Interpolation::kBilinear),
            std::vector<float>(bytes.begin(), bytes.end()));
}

TEST(Antialias, WeighsEveryPixelSoThatAFlatImageStaysFlat) {
  for (const auto filter : {ResamplingFilter::kTriangle, ResamplingFilter::kCubic}) {
    for (const auto& [from, to] : {std::pair(500, 341), std::pair(7, 64), std::pair(65, 1)}) {
      const Taps taps = TapsOf(from, to, filter);
      const ByteTaps bytes = ByteTapsOf(taps, from);
      for (int64_t i = 0; i < to; ++i) {
        double sum = 0;
        int64_t byte_sum = 0;
        for (int64_t tap = 0; tap < taps.counts[i]; ++tap) {
          sum += taps.weights[i * taps.size + tap];
        }
        for (int64_t tap = 0; tap < bytes.size; ++tap) {
          byte_sum += bytes.weights[i * bytes.size + tap];
        }
        EXPECT_NEAR(sum, 1, 1e-12);
        EXPECT_NEAR(static_cast<double>(byte_sum), 1 << 22, static_cast<double>(bytes.size));
        EXPECT_LE(bytes.firsts[i] + bytes.size, from);
      }
    }
  }
}

TEST(Antialias, WorksWithSmoothFilters) {
  const auto read = [](std::string_view op) {
    return config::Read<PreprocessSpec>(
               "dataset: d\ngraph:\n  - resize: {height: 3, width: 3, " + std::string(op) + "}\n",
               "p.yaml")
        .status();
  };
  EXPECT_THAT(read("method: nearest, antialias: true"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("use bilinear or bicubic")));
  EXPECT_THAT(read("method: bicubic"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("write antialias: true")));
}

}  // namespace
}  // namespace tidemill::transform

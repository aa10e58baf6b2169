// What the tests of ops on images share.
#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "transform/testing/samples.h"

namespace tidemill::transform::testing {

// Images of whole numbers, which are exact in each type used here.
struct Images {
  int64_t channels = 1;
  int64_t height = 1;
  int64_t width = 1;
  std::vector<double> pixels = {};

  int64_t Numbers() const { return channels * height * width; }
  int64_t Count() const { return static_cast<int64_t>(pixels.size()) / Numbers(); }
  double At(int64_t image, int64_t channel, int64_t y, int64_t x) const {
    return pixels[((image * channels + channel) * height + y) * width + x];
  }
  // Zero beyond the edges.
  double AtOrZero(int64_t image, int64_t channel, int64_t y, int64_t x) const {
    const bool inside = y >= 0 && y < height && x >= 0 && x < width;
    return inside ? At(image, channel, y, x) : 0;
  }
};

inline Images RandomImages(int64_t count, int64_t channels, int64_t height, int64_t width) {
  std::mt19937 random(static_cast<uint32_t>(count * height + width));
  Images images{channels, height, width};
  for (int64_t i = 0; i < count * images.Numbers(); ++i) images.pixels.push_back(random() % 256);
  return images;
}

// Images whose pixels follow from where they are: value(image, channel, y, x).
template <typename Value>
Images MakeImages(int64_t count, int64_t channels, int64_t height, int64_t width, Value value) {
  Images images{channels, height, width};
  for (int64_t n = 0; n < count; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t y = 0; y < height; ++y) {
        for (int64_t x = 0; x < width; ++x) images.pixels.push_back(value(n, c, y, x));
      }
    }
  }
  return images;
}

template <typename T>
batch::Batch RecordsOf(const Images& images) {
  std::vector<std::string> payloads;
  for (int64_t n = 0; n < images.Count(); ++n) {
    std::vector<T> row(images.pixels.begin() + n * images.Numbers(),
                       images.pixels.begin() + (n + 1) * images.Numbers());
    payloads.emplace_back(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(T));
  }
  return MakeSamples(payloads);
}

// What an op makes of images, as uint8 or as float32.
template <typename Op>
std::vector<double> RunOp(const Op& op, const Images& images, RecordType type,
                          const RunContext& context = {}) {
  batch::Batch samples =
      type == RecordType::kUInt8 ? RecordsOf<uint8_t>(images) : RecordsOf<float>(images);
  SetOrdinals(samples);
  const ParseRecordSpec parse{
      .fields = {{.name = "image",
                  .dtype = type,
                  .shape = {images.channels, images.height, images.width}}}};
  const Transformed result = RunGraph(Spec(parse, op, StackSpec{}), kRecords, samples, context);
  EXPECT_THAT(result.bad, ::testing::IsEmpty());
  const std::vector<float> numbers = Numbers<float>(result.batch, "input");
  return {numbers.begin(), numbers.end()};
}

// A training, whose ops draw.
inline RunContext Training(int64_t epoch = 0, int64_t trigger = 3, int64_t seed = 11) {
  return {.training = true, .seed = seed, .trigger = trigger, .epoch = epoch};
}

}  // namespace tidemill::transform::testing

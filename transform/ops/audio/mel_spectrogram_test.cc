#include "transform/ops/audio/mel_spectrogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/testing/status_matchers.h"
#include "config/config.h"
#include "transform/ops/records/parse_record.h"
#include "transform/testing/mel_vectors.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using ::testing::HasSubstr;
using testing::kRecords;
using testing::MakeSamples;
using testing::Numbers;
using testing::RunGraph;
using testing::Spec;
using tidemill::testing::StatusIs;

// Two tones and noise of a linear congruential generator.
std::vector<float> MelSound() {
  constexpr double kRate = 16000;
  std::vector<float> samples;
  uint32_t state = 1;
  for (int i = 0; i < 3200; ++i) {
    state = state * 1664525 + 1013904223;
    samples.push_back(static_cast<float>(0.5 * std::sin(2 * std::numbers::pi * 440 * i / kRate) +
                                         0.25 * std::sin(2 * std::numbers::pi * 3000 * i / kRate) +
                                         0.1 * (state * 0x1p-32 - 0.5)));
  }
  return samples;
}

std::string BytesOfSound(const std::vector<float>& sound) {
  return {reinterpret_cast<const char*>(sound.data()), sound.size() * sizeof(float)};
}

ParseRecordSpec ParseSounds(std::vector<int64_t> shape, RecordType type = RecordType::kFloat32) {
  return {.fields = {{.name = "audio", .dtype = type, .shape = std::move(shape)}}};
}

// What the op makes of sounds of one channel.
std::vector<float> MelOfSounds(const MelSpectrogramSpec& spec,
                               const std::vector<std::vector<float>>& sounds) {
  std::vector<std::string> records;
  for (const std::vector<float>& sound : sounds) records.push_back(BytesOfSound(sound));
  const Transformed made = RunGraph(Spec(ParseSounds({std::ssize(sounds[0])}), spec, StackSpec{}),
                                    kRecords, MakeSamples(records));
  EXPECT_THAT(made.bad, ::testing::IsEmpty());
  return Numbers<float>(made.batch, "input");
}

MelSpectrogramSpec Htk() { return {.sample_rate = 16000, .mels = 12, .log = false}; }

// To within a millionth of the loudest.
void ExpectNear(const std::vector<float>& made, std::span<const double> expected) {
  ASSERT_EQ(made.size(), expected.size());
  const double loudest = *std::max_element(expected.begin(), expected.end());
  for (size_t i = 0; i < made.size(); ++i) {
    ASSERT_NEAR(made[i], expected[i], 1e-6 * loudest + 1e-6 * expected[i]) << i;
  }
}

TEST(MelSpectrogram, IsWhatNumpyComputes) {
  ExpectNear(MelOfSounds(Htk(), {MelSound()}), testing::kHtkVector);
  ExpectNear(MelOfSounds({.sample_rate = 16000,
                          .fft_size = 512,
                          .hop = 200,
                          .mels = 12,
                          .scale = MelScale::kSlaney,
                          .min_frequency = 50,
                          .max_frequency = 7600,
                          .centre = false,
                          .log = false},
                         {MelSound()}),
             testing::kSlaneyVector);
  MelSpectrogramSpec odd = Htk();
  odd.fft_size = 375;
  odd.hop = 500;
  ExpectNear(MelOfSounds(odd, {MelSound()}), testing::kOddVector);
}

TEST(MelSpectrogram, TakesLogarithmsAboveAFloor) {
  MelSpectrogramSpec spec = Htk();
  const std::vector<float> sums = MelOfSounds(spec, {MelSound()});
  spec.log = true;
  spec.floor = 1;
  const std::vector<float> logarithms = MelOfSounds(spec, {MelSound()});
  int held = 0;
  for (size_t i = 0; i < sums.size(); ++i) {
    held += sums[i] < 1 ? 1 : 0;
    ASSERT_NEAR(logarithms[i], std::log(std::max(sums[i], 1.0F)), 1e-6);
  }
  EXPECT_GT(held, 20);
  // Also of numbers far below one.
  spec.floor = 1e-10;
  const std::vector<float> silence = MelOfSounds(spec, {std::vector<float>(3200)});
  for (const float number : silence) ASSERT_FLOAT_EQ(number, std::log(1e-10F));
}

TEST(MelSpectrogram, TreatsChannelsAsSounds) {
  std::vector<float> left = MelSound();
  std::vector<float> right = left;
  std::reverse(right.begin(), right.end());
  const std::vector<float> apart = MelOfSounds(Htk(), {left, right});
  std::string record = BytesOfSound(left) + BytesOfSound(right);
  const Transformed made =
      RunGraph(Spec(ParseSounds({2, 3200}), Htk(), StackSpec{}), kRecords, MakeSamples({record}));
  EXPECT_EQ(Numbers<float>(made.batch, "input"), apart);
  EXPECT_EQ(made.batch.Find("input")->shape, std::vector<int64_t>({2, 12, 21}));
}

TEST(MelSpectrogram, MakesABadSampleOfWhatIsNotFinite) {
  std::vector<float> loud = MelSound();
  loud[100] = 1e30F;
  const Transformed made = RunGraph(Spec(ParseSounds({3200}), Htk(), StackSpec{}), kRecords,
                                    MakeSamples({BytesOfSound(loud), BytesOfSound(MelSound())}));
  ASSERT_EQ(made.bad.size(), 1);
  EXPECT_EQ(made.bad[0].row, 0);
  EXPECT_THAT(made.bad[0].reason, HasSubstr("column audio"));
  ExpectNear(Numbers<float>(made.batch, "input"), testing::kHtkVector);
}

TEST(MelFilters, OfSlaneyHaveTheAreaOne) {
  for (const MelFilter& filter :
       MelFilters(40, {.min_hertz = 0, .max_hertz = 8000}, MelScale::kSlaney, 8192, 16000)) {
    double area = 0;
    for (const float weight : filter.weights) area += weight * 16000.0 / 8192;
    EXPECT_NEAR(area, 1, 0.01);
  }
}

TEST(MelFilters, AreOnScalesThatTurnBack) {
  for (const MelScale scale : {MelScale::kHtk, MelScale::kSlaney}) {
    for (const double hertz : {0.0, 60.0, 999.0, 1000.0, 7777.0}) {
      EXPECT_NEAR(HertzOf(MelOf(hertz, scale), scale), hertz, 1e-9);
    }
  }
  // Both put 1000 Hz where their authors do.
  EXPECT_NEAR(MelOf(1000, MelScale::kHtk), 1000, 0.02);
  EXPECT_NEAR(MelOf(1000, MelScale::kSlaney), 15, 1e-12);
}

// The first problem of a graph with the op after sounds of a type and shape.
std::string SoundProblem(const MelSpectrogramSpec& spec, RecordType type,
                         std::vector<int64_t> shape) {
  const auto problems =
      Graph::Check(Spec(ParseSounds(std::move(shape), type), spec, StackSpec{}), kRecords);
  return problems.empty() ? "" : problems[0].field + ": " + problems[0].message;
}

TEST(MelSpectrogram, SaysWhatItCannotTake) {
  EXPECT_EQ(SoundProblem(Htk(), RecordType::kFloat64, {2, 201}), "");
  EXPECT_EQ(SoundProblem(Htk(), RecordType::kFloat32, {200}),
            "fft_size: is 400, but a sound has only 200 samples");
  EXPECT_EQ(SoundProblem(Htk(), RecordType::kInt16, {3200}),
            "column: column audio does not hold sounds: its rows are int32 with 1 dimensions");
  EXPECT_EQ(SoundProblem(Htk(), RecordType::kFloat32, {2, 2, 3200}),
            "column: column audio does not hold sounds: its rows are float32 with 3 dimensions");
  for (const auto& [yaml, message] :
       {std::pair("{sample_rate: 16000, fft_size: 441}", "has a prime factor above 5"),
        std::pair("{sample_rate: 16000, max_frequency: 8001}", "is above 8000 Hz"),
        std::pair("{sample_rate: 16000, min_frequency: 8000}", "is not below the largest"),
        std::pair("{fft_size: 400}", "sample_rate")}) {
    EXPECT_THAT(config::Read<GraphSpec>(std::string("- mel_spectrogram: ") + yaml + "\n", "g"),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(message)));
  }
}

}  // namespace
}  // namespace tidemill::transform

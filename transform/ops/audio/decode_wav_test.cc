#include "transform/ops/audio/decode_wav.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "transform/ops/audio/wav_file.h"
#include "transform/testing/samples.h"

namespace tidemill::transform {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Numbers;
using testing::RunGraph;
using testing::Spec;

template <typename T>
std::string BytesOf(T number) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &number, sizeof(T));
  return bytes;
}

template <typename T>
std::string BytesOf(const std::vector<T>& numbers) {
  std::string bytes;
  for (const T number : numbers) bytes += BytesOf(number);
  return bytes;
}

std::string Chunk(const std::string& id, const std::string& content) {
  const std::string padding(content.size() % 2, '\0');
  return id + BytesOf(static_cast<uint32_t>(content.size())) + content + padding;
}

std::string Riff(const std::string& chunks) {
  return "RIFF" + BytesOf(static_cast<uint32_t>(chunks.size() + 4)) + "WAVE" + chunks;
}

struct WavFormat {
  uint16_t coding = 1;
  uint16_t bits = 16;
  uint16_t channels = 1;
  uint32_t rate = 8000;
};

std::string FormatOf(const WavFormat& format) {
  const auto block = static_cast<uint16_t>(format.channels * (format.bits / 8));
  return BytesOf(format.coding) + BytesOf(format.channels) + BytesOf(format.rate) +
         BytesOf(format.rate * block) + BytesOf(block) + BytesOf(format.bits);
}

std::string Wav(const WavFormat& format, const std::string& data) {
  return Riff(Chunk("fmt ", FormatOf(format)) + Chunk("data", data));
}

// What the op makes of files, and why it does not.
struct Sounds {
  std::vector<float> samples;
  std::vector<std::string> reasons;
};

Sounds Decode(const std::vector<std::string>& files, DecodeWavSpec spec) {
  spec.into = "input";
  const Transformed made =
      RunGraph(Spec(std::move(spec)), {.payload = PayloadKind::kFile}, testing::MakeSamples(files));
  Sounds sounds{.samples = Numbers<float>(made.batch, "input"), .reasons = {}};
  for (const BadSample& bad : made.bad) sounds.reasons.push_back(bad.reason);
  return sounds;
}

DecodeWavSpec OfLength(int64_t length, int64_t channels = 1) {
  return {.sample_rate = 8000, .length = length, .channels = channels};
}

TEST(DecodeWav, ReadsSamplesOfEveryNumberOfBits) {
  const std::vector<std::string> files = {
      Wav({.bits = 8}, BytesOf<uint8_t>({0, 128, 255, 192})),
      Wav({.bits = 16}, BytesOf<int16_t>({-32768, 0, 32767, 16384})),
      Wav({.bits = 24}, std::string("\0\0\x80\0\0\0\xff\xff\x7f\0\0\x40", 12)),
      Wav({.bits = 32}, BytesOf<int32_t>({INT32_MIN, 0, INT32_MAX, 1 << 30})),
      Wav({.coding = 3, .bits = 32}, BytesOf<float>({-1, 0, 2.5F, 0.5F})),
      Wav({.coding = 3, .bits = 64}, BytesOf<double>({-1, 0, 2.5, 0.5}))};
  const Sounds made = Decode(files, OfLength(4));
  EXPECT_THAT(made.reasons, ::testing::IsEmpty());
  EXPECT_THAT(made.samples, ElementsAre(-1, 0, 127.0F / 128, 0.5F,          //
                                        -1, 0, 32767.0F / 32768, 0.5F,      //
                                        -1, 0, 8388607.0F / 8388608, 0.5F,  //
                                        -1, 0, 1, 0.5F,                     //
                                        -1, 0, 2.5F, 0.5F,                  //
                                        -1, 0, 2.5F, 0.5F));
}

TEST(DecodeWav, MixesChannelsToTheirMeanOrKeepsThem) {
  const std::string stereo =
      Wav({.channels = 2}, BytesOf<int16_t>({16384, 0, -16384, -16384, 8192, 24576}));
  EXPECT_THAT(Decode({stereo}, OfLength(3)).samples, ElementsAre(0.25F, -0.5F, 0.5F));
  EXPECT_THAT(Decode({stereo}, OfLength(3, 2)).samples,
              ElementsAre(0.5F, -0.5F, 0.25F, 0, -0.5F, 0.75F));
  EXPECT_THAT(
      Decode({stereo}, OfLength(3, 3)).reasons,
      ElementsAre("column input: the file has 2 channels instead of 3; channels: 1 mixes them"));
}

TEST(DecodeWav, FillsOrCutsSoundsOfAnotherLengthWhenItShall) {
  const std::vector<std::string> files = {Wav({}, BytesOf<int16_t>({16384, 8192})), Wav({}, ""),
                                          Wav({}, BytesOf<int16_t>({16384, 8192, 16384, 8192}))};
  DecodeWavSpec padded = OfLength(3);
  padded.fit = SoundFit::kPad;
  EXPECT_THAT(Decode(files, padded).samples,
              ElementsAre(0.5F, 0.25F, 0, 0, 0, 0, 0.5F, 0.25F, 0.5F));
  const Sounds exact = Decode(files, OfLength(4));
  EXPECT_THAT(exact.samples, ElementsAre(0.5F, 0.25F, 0.5F, 0.25F));
  EXPECT_THAT(exact.reasons,
              ElementsAre("column input: the file is 2 samples long instead of 4; cut it, or write "
                          "fit: pad",
                          "column input: the file is 0 samples long instead of 4; cut it, or write "
                          "fit: pad"));
}

TEST(DecodeWav, FindsTheSamplesAmongOtherChunks) {
  const std::string data = BytesOf<int16_t>({16384, 8192});
  const std::string format = Chunk("fmt ", FormatOf({}));
  // An extensible format names its coding in the first bytes of an identifier.
  const std::string guid("\x01\0\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71", 16);
  const std::string extensible = FormatOf({.coding = 0xFFFE}) + BytesOf<uint16_t>(22) +
                                 BytesOf<uint16_t>(16) + BytesOf<uint32_t>(4) + guid;
  const std::string open = "data" + BytesOf(0xFFFFFFFFU) + data;
  for (const std::string& file :
       {Riff(Chunk("LIST", "odd") + format + Chunk("fact", "four") + Chunk("data", data)),
        Riff(Chunk("fmt ", extensible) + Chunk("data", data)), Riff(format + open),
        Riff(format + Chunk("data", data) + Chunk("LIST", "more"))}) {
    const Sounds made = Decode({file}, OfLength(2));
    EXPECT_THAT(made.reasons, ::testing::IsEmpty());
    EXPECT_THAT(made.samples, ElementsAre(0.5F, 0.25F));
  }
}

TEST(DecodeWav, SaysWhatItDoesNotDecode) {
  const std::string data = BytesOf<int16_t>({1, 2});
  const std::string format = Chunk("fmt ", FormatOf({}));
  const float infinite = std::numeric_limits<float>::infinity();
  const std::pair<std::string, std::string> cases[] = {
      {"", "the file is empty"},
      {"fLaC", "a FLAC file is not decoded; convert it to a WAV file of PCM samples"},
      {"OggS", "an Ogg file is not decoded"},
      {"ID3", "an MP3 file is not decoded"},
      {"\xff\xfb", "an MP3 or AAC file is not decoded"},
      {"FORM\1\1\1\1"
       "AIFF",
       "an AIFF file is not decoded"},
      {"RIFX\1\1\1\1WAVE", "a big-endian WAV file is not decoded"},
      {"RF64\1\1\1\1WAVE", "a WAV file of 64 bits is not decoded"},
      {"hello", "the file of 5 bytes is not a WAV file"},
      {Wav({.coding = 2, .bits = 4}, data), "a WAV file of coding 0x0002 is not decoded"},
      {Wav({.coding = 0x55}, data), "a WAV file of coding 0x0055 is not decoded"},
      {Wav({.bits = 12}, data), "a WAV file of samples of 12 bits is not decoded"},
      {Wav({.coding = 3, .bits = 16}, data), "a WAV file of floats of 16 bits is not decoded"},
      {Wav({.channels = 0}, data), "it has no channels"},
      {Wav({.rate = 44100}, data), "the file has 44100 samples a second instead of 8000"},
      {Riff(format), "it has no samples"},
      {Riff(Chunk("data", data)), "its samples are before their format"},
      {Riff(Chunk("fmt ", "short") + Chunk("data", data)), "its format is cut off"},
      {Wav({}, data).substr(0, 46), "it ends early"},
      {Wav({.coding = 3, .bits = 32}, BytesOf<float>({infinite, 1})),
       "inf, which is not a finite number"}};
  for (const auto& [file, reason] : cases) {
    const Sounds made = Decode({file}, OfLength(2));
    ASSERT_EQ(made.reasons.size(), 1) << reason;
    EXPECT_THAT(made.reasons[0], HasSubstr(reason));
  }
}

TEST(ReadWav, SurvivesTruncationAndRandomDamage) {
  const std::string file = Wav({.bits = 24, .channels = 2}, std::string(60, '\x7f'));
  std::mt19937 random(2);
  std::vector<float> samples(1000);
  const auto read = [&](const std::string& damaged) {
    const auto wav = ReadWav(damaged);
    if (!wav.ok()) return;
    ASSERT_LE(wav->length * wav->channels * (wav->bits / 8), std::ssize(wav->data));
    ASSERT_LE(wav->length, 1000);
    MixDown(*wav, wav->length, samples.data());
  };
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(ReadWav(file.substr(0, size)).ok()) << size;
  }
  for (int round = 0; round < 20'000; ++round) {
    std::string damaged = file;
    for (uint32_t flips = 1 + random() % 4; flips > 0; --flips) {
      damaged[random() % 50] = static_cast<char>(random());
    }
    read(damaged);
  }
}

}  // namespace
}  // namespace tidemill::transform

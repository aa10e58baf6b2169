#include "transform/ops/audio/wav_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace tidemill::transform {
namespace {

static_assert(std::endian::native == std::endian::little, "WAV files are little-endian");

constexpr uint16_t kPcm = 1;
constexpr uint16_t kIeeeFloat = 3;
constexpr uint16_t kExtensible = 0xFFFE;
constexpr size_t kChunkHeader = 8;

template <typename T>
T NumberAt(std::string_view bytes, size_t at) {
  T number;
  std::memcpy(&number, bytes.data() + at, sizeof(T));
  return number;
}

// The kind of another file, by its first bytes.
std::optional<std::string_view> KindOfSound(std::string_view file) {
  const auto is_riff = [&](std::string_view id, std::string_view form) {
    return file.starts_with(id) && file.size() >= 12 && file.substr(8, 4) == form;
  };
  if (file.starts_with("fLaC")) return "a FLAC file";
  if (file.starts_with("OggS")) return "an Ogg file";
  if (file.starts_with("ID3")) return "an MP3 file";
  if (is_riff("FORM", "AIFF") || is_riff("FORM", "AIFC")) return "an AIFF file";
  if (is_riff("RIFX", "WAVE")) return "a big-endian WAV file";
  if (is_riff("RF64", "WAVE") || is_riff("BW64", "WAVE")) return "a WAV file of 64 bits";
  if (file.size() >= 8 && file.substr(4, 4) == "ftyp") return "an MP4 file";
  const bool is_frame = file.size() >= 2 && file[0] == '\xff' && (file[1] & 0xE0) == 0xE0;
  if (is_frame) return "an MP3 or AAC file";
  return std::nullopt;
}

absl::Status NoWav(std::string_view file) {
  if (file.empty()) return DataLoss("the file is empty");
  if (const std::optional<std::string_view> kind = KindOfSound(file)) {
    return DataLoss("{} is not decoded; convert it to a WAV file of PCM samples", *kind);
  }
  return DataLoss("the file of {} bytes is not a WAV file", file.size());
}

// The chunk `fmt `.
absl::StatusOr<WavFile> ReadFormat(std::string_view chunk) {
  constexpr size_t kShortest = 16, kSubformatAt = 24;
  if (chunk.size() < kShortest) return DataLoss("the WAV file is damaged: its format is cut off");
  auto coding = NumberAt<uint16_t>(chunk, 0);
  if (coding == kExtensible && chunk.size() >= kSubformatAt + sizeof(coding)) {
    coding = NumberAt<uint16_t>(chunk, kSubformatAt);
  }
  WavFile wav{.coding = coding == kIeeeFloat ? WavCoding::kFloat : WavCoding::kWhole,
              .bits = NumberAt<uint16_t>(chunk, 14),
              .channels = NumberAt<uint16_t>(chunk, 2),
              .sample_rate = NumberAt<uint32_t>(chunk, 4)};
  if (coding != kPcm && coding != kIeeeFloat) {
    return DataLoss("a WAV file of coding {:#06x} is not decoded; convert it to PCM samples",
                    coding);
  }
  const bool is_known = coding == kPcm
                            ? wav.bits == 8 || wav.bits == 16 || wav.bits == 24 || wav.bits == 32
                            : wav.bits == 32 || wav.bits == 64;
  if (!is_known) {
    return DataLoss("a WAV file of {} of {} bits is not decoded; convert it to 16 bits",
                    coding == kPcm ? "samples" : "floats", wav.bits);
  }
  if (wav.channels == 0) return DataLoss("the WAV file is damaged: it has no channels");
  if (NumberAt<uint16_t>(chunk, 12) != wav.channels * (wav.bits / 8)) {
    return DataLoss(
        "the WAV file is damaged: the size of its blocks does not fit {} channels of {} bits",
        wav.channels, wav.bits);
  }
  return wav;
}

// Calls body(place, sample) with the samples [0, length) of a channel, from the first.
template <typename Body>
void ForEachSample(const WavFile& wav, int64_t channel, int64_t length, Body body) {
  const int64_t bytes = wav.bits / 8;
  const int64_t step = bytes * wav.channels;
  const char* from = wav.data.data() + channel * bytes;
  const auto visit = [&](auto sample) {
    for (int64_t i = 0; i < length; ++i) body(i, sample(from + i * step));
  };
  const auto read = []<typename T>(const char* at, T number) {
    std::memcpy(&number, at, sizeof(T));
    return number;
  };
  if (wav.coding == WavCoding::kFloat && wav.bits == 32) {
    visit([&](const char* at) { return read(at, float{}); });
  } else if (wav.coding == WavCoding::kFloat) {
    visit([&](const char* at) { return static_cast<float>(read(at, double{})); });
  } else if (wav.bits == 8) {
    visit([&](const char* at) { return static_cast<float>(read(at, uint8_t{}) - 128) * 0x1p-7F; });
  } else if (wav.bits == 16) {
    visit([&](const char* at) { return static_cast<float>(read(at, int16_t{})) * 0x1p-15F; });
  } else if (wav.bits == 24) {
    visit([&](const char* at) {
      const int32_t number = read(at + 1, int16_t{}) * 256 + read(at, uint8_t{});
      return static_cast<float>(number) * 0x1p-23F;
    });
  } else {
    visit([&](const char* at) { return static_cast<float>(read(at, int32_t{})) * 0x1p-31F; });
  }
}

}  // namespace

absl::StatusOr<WavFile> ReadWav(std::string_view file) {
  constexpr size_t kRiffHeader = 12;
  if (!file.starts_with("RIFF") || file.size() < kRiffHeader || file.substr(8, 4) != "WAVE") {
    return NoWav(file);
  }
  std::optional<WavFile> wav;
  std::string_view rest = file.substr(kRiffHeader);
  while (rest.size() >= kChunkHeader) {
    const std::string_view id = rest.substr(0, 4);
    const size_t size = NumberAt<uint32_t>(rest, 4);
    rest.remove_prefix(kChunkHeader);
    if (id == "fmt ") {
      ASSIGN_OR_RETURN(wav, ReadFormat(rest.substr(0, size)));
    } else if (id == "data") {
      if (!wav) return DataLoss("the WAV file is damaged: its samples are before their format");
      // A file written to a pipe does not know its length.
      const bool is_open = size == 0xFFFFFFFF;
      if (!is_open && size > rest.size()) {
        return DataLoss("the WAV file is damaged: it ends early");
      }
      const int64_t block = wav->channels * (wav->bits / 8);
      wav->data = rest.substr(0, is_open ? rest.size() : size);
      wav->length = static_cast<int64_t>(wav->data.size()) / block;
      return *wav;
    }
    // Chunks begin at even places.
    rest.remove_prefix(std::min(rest.size(), size + size % 2));
  }
  return DataLoss("the WAV file is damaged: it has no samples");
}

void CopyChannel(const WavFile& wav, int64_t channel, int64_t length, float* out) {
  ForEachSample(wav, channel, length, [out](int64_t i, float sample) { out[i] = sample; });
}

void MixDown(const WavFile& wav, int64_t length, float* out) {
  CopyChannel(wav, 0, length, out);
  if (wav.channels == 1) return;
  for (int64_t channel = 1; channel < wav.channels; ++channel) {
    ForEachSample(wav, channel, length, [out](int64_t i, float sample) { out[i] += sample; });
  }
  const float share = 1 / static_cast<float>(wav.channels);
  for (int64_t i = 0; i < length; ++i) out[i] *= share;
}

}  // namespace tidemill::transform

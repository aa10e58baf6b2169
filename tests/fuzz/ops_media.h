// Graphs with ops on images and sounds, out of the fuzzer's bytes.
#pragma once

#include <utility>

#include "tests/fuzz/ops_graphs.h"

namespace tidemill::fuzz {

inline Case DecodeImageCase(Bytes& bytes) {
  Case made{.schema = {.payload = PayloadKind::kFile}};
  const ImageFit fit = Pick(bytes, {ImageFit::kExact, ImageFit::kStretch});
  // In a graph, `reduced` may change what is made of images of the exact size.
  const bool reduced = fit == ImageFit::kStretch && bytes.ConsumeBool();
  Add(made, DecodeImageSpec{.height = Small(bytes, 1, 4),
                            .width = Small(bytes, 1, 4),
                            .channels = Small(bytes, 1, 3),
                            .orientation = Pick(bytes, {Orientation::kIgnore, Orientation::kApply}),
                            .fit = fit,
                            .reduced = reduced});
  Add(made, StackSpec{});
  return made;
}

inline Case DecodeWavCase(Bytes& bytes) {
  Case made{.schema = {.payload = PayloadKind::kFile}};
  Add(made, DecodeWavSpec{.sample_rate = Small(bytes, 1, 4),
                          .length = Small(bytes, 1, 9),
                          .channels = Small(bytes, 1, 3),
                          .fit = Pick(bytes, {SoundFit::kExact, SoundFit::kPad})});
  Add(made, StackSpec{});
  return made;
}

inline Case MelSpectrogramCase(Bytes& bytes) {
  const int64_t channels = Small(bytes, 1, 2);
  Case made{.schema = {.payload = PayloadKind::kRecord}};
  Add(made,
      ParseRecordSpec{
          .fields = {{.name = "audio", .dtype = RecordType::kFloat32, .shape = {channels, 20}}}});
  MelSpectrogramSpec spec{.sample_rate = Small(bytes, 1, 100),
                          .fft_size = Small(bytes, 2, 40),
                          .hop = Small(bytes, 1, 9),
                          .mels = Small(bytes, 1, 9),
                          .scale = Pick(bytes, {MelScale::kHtk, MelScale::kSlaney}),
                          .min_frequency = Number(bytes),
                          .centre = bytes.ConsumeBool(),
                          .log = bytes.ConsumeBool()};
  if (bytes.ConsumeBool()) spec.max_frequency = Number(bytes);
  Add(made, std::move(spec));
  Add(made, StackSpec{});
  return made;
}

inline Case ColourJitterCase(Bytes& bytes) {
  ColourJitterSpec spec{.brightness = bytes.ConsumeProbability<double>(),
                        .contrast = bytes.ConsumeProbability<double>(),
                        .saturation = bytes.ConsumeProbability<double>(),
                        .hue = bytes.ConsumeProbability<double>() / 2};
  if (bytes.ConsumeBool()) spec.white = Number(bytes);
  return WithImages(bytes, spec);
}

inline Case RandomErasingCase(Bytes& bytes) {
  return WithImages(bytes, RandomErasingSpec{.probability = bytes.ConsumeProbability<double>(),
                                             .min_area = bytes.ConsumeProbability<double>(),
                                             .max_area = bytes.ConsumeProbability<double>(),
                                             .min_aspect = Number(bytes),
                                             .max_aspect = Number(bytes),
                                             .value = Number(bytes)});
}

}  // namespace tidemill::fuzz

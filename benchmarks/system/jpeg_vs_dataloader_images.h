// Photographs that never were: images with the contrasts, edges and noise that make JPEG files as
// large and as slow to decode as real ones.
#pragma once

#include <cstdint>
#include <string>

namespace tidemill::benchmarks {

// A JPEG file, a function of `seed`: octaves of smooth noise whose contrast falls with their
// frequency, shapes with hard edges, colours that change more slowly than brightness; 4:2:0,
// `quality` of libjpeg.
std::string MakePhotograph(uint32_t seed, int height, int width, int quality);

}  // namespace tidemill::benchmarks

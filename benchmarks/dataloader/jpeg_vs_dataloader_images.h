// Artificial photographs: images with contrasts, edges and noise, so that their JPEG files are as
// large and as slow to decode as real ones.
#pragma once

#include <cstdint>
#include <string>

namespace tidemill::benchmarks {

// Returns a JPEG file that is a function of `seed`. It has octaves of smooth noise whose contrast
// falls with their frequency, shapes with hard edges, and colours that change more slowly than
// brightness. Subsampling is 4:2:0; `quality` is libjpeg's.
std::string MakePhotograph(uint32_t seed, int height, int width, int quality);

}  // namespace tidemill::benchmarks

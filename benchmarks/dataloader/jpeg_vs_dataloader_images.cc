#include "benchmarks/dataloader/jpeg_vs_dataloader_images.h"

#include <jpeglib.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace tidemill::benchmarks {
namespace {

using Plane = std::vector<float>;

struct Painter {
  int height;
  int width;
  std::mt19937 random;

  float Unit() { return static_cast<float>(random() % 65'536) / 32'768 - 1; }

  // Adds noise that is smooth between points `step` apart.
  void AddOctave(int step, float contrast, Plane& plane) {
    const int columns = width / step + 2;
    std::vector<float> lattice(static_cast<size_t>(columns) * (height / step + 2));
    for (float& value : lattice) value = Unit() * contrast;
    for (int y = 0; y < height; ++y) {
      const float down = static_cast<float>(y % step) / static_cast<float>(step);
      const float* row = lattice.data() + static_cast<size_t>(y / step) * columns;
      for (int x = 0; x < width; ++x) {
        const float right = static_cast<float>(x % step) / static_cast<float>(step);
        const float* at = row + x / step;
        const float upper = at[0] + (at[1] - at[0]) * right;
        const float lower = at[columns] + (at[columns + 1] - at[columns]) * right;
        plane[static_cast<size_t>(y) * width + x] += upper + (lower - upper) * down;
      }
    }
  }

  // Makes an ellipse somewhere brighter or darker.
  void AddShape(Plane& plane) {
    const float change = Unit() * 50;
    const auto middle_y = static_cast<float>(random() % height);
    const auto middle_x = static_cast<float>(random() % width);
    const auto half_height = static_cast<float>(8 + random() % (height / 4));
    const auto half_width = static_cast<float>(8 + random() % (width / 4));
    for (int y = 0; y < height; ++y) {
      const float down = (static_cast<float>(y) - middle_y) / half_height;
      for (int x = 0; x < width; ++x) {
        const float right = (static_cast<float>(x) - middle_x) / half_width;
        if (down * down + right * right < 1) plane[static_cast<size_t>(y) * width + x] += change;
      }
    }
  }
};

std::string Encode(std::vector<uint8_t>& pixels, int height, int width, int quality) {
  jpeg_compress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &memory, &size);
  jpeg.image_height = height;
  jpeg.image_width = width;
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, quality, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  for (int y = 0; y < height; ++y) {
    JSAMPROW row = pixels.data() + static_cast<size_t>(y) * width * 3;
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  std::string file(reinterpret_cast<const char*>(memory), size);
  jpeg_destroy_compress(&jpeg);
  std::free(memory);
  return file;
}

}  // namespace

std::string MakePhotograph(uint32_t seed, int height, int width, int quality) {
  Painter painter{height, width, std::mt19937(seed)};
  const size_t size = static_cast<size_t>(height) * width;
  Plane light(size, 120);
  for (int step = 128; step >= 1; step /= 2) {
    painter.AddOctave(step, 8 * std::pow(static_cast<float>(step), 0.4F), light);
  }
  for (int shape = 0; shape < 12; ++shape) painter.AddShape(light);
  Plane tints[3] = {Plane(size), Plane(size), Plane(size)};
  for (Plane& tint : tints) {
    for (int step = 128; step >= 8; step /= 2) {
      painter.AddOctave(step, 1.5F * std::pow(static_cast<float>(step), 0.5F), tint);
    }
  }
  std::vector<uint8_t> pixels(size * 3);
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<uint8_t>(std::clamp(light[i / 3] + tints[i % 3][i / 3], 0.0F, 255.0F));
  }
  return Encode(pixels, height, width, quality);
}

}  // namespace tidemill::benchmarks

// Files of images for tests: PNG and JPEG of every kind that the decoder takes.
#pragma once

#include <jpeglib.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::transform::testing {

// Interleaved pixels.
struct StoredImage {
  int height = 0;
  int width = 0;
  int channels = 0;
  std::vector<uint8_t> pixels;

  uint8_t At(int channel, int y, int x) const {
    return pixels[(y * width + x) * channels + channel];
  }
};

inline StoredImage Noise(int height, int width, int channels, uint32_t seed) {
  std::mt19937 random(seed);
  StoredImage image{height, width, channels, std::vector<uint8_t>(height * width * channels)};
  for (uint8_t& pixel : image.pixels) pixel = static_cast<uint8_t>(random());
  return image;
}

// Slow waves, which JPEG hardly changes.
inline StoredImage Waves(int height, int width, int channels) {
  StoredImage image{height, width, channels, {}};
  for (int i = 0; i < height * width; ++i) {
    for (int channel = 0; channel < channels; ++channel) {
      image.pixels.push_back(
          static_cast<uint8_t>(60 + 2 * (i / width) + (i % width) + 30 * channel));
    }
  }
  return image;
}

inline std::string EncodePng(const StoredImage& image) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.width = image.width;
  png.height = image.height;
  constexpr png_uint_32 kFormats[] = {0, PNG_FORMAT_GRAY, 0, PNG_FORMAT_RGB, PNG_FORMAT_RGBA};
  png.format = kFormats[image.channels];
  png_alloc_size_t size = 0;
  png_image_write_to_memory(&png, nullptr, &size, 0, image.pixels.data(), 0, nullptr);
  std::string file(size, '\0');
  png_image_write_to_memory(&png, file.data(), &size, 0, image.pixels.data(), 0, nullptr);
  file.resize(size);
  return file;
}

// Exif data that hold an orientation, as a block of TIFF.
inline std::string ExifBlock(char orientation) {
  using std::string_literals::operator""s;
  return "MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0"s + orientation + "\0\0\0\0\0\0"s;
}

// A JPEG with Exif data.
inline std::string WithExif(const std::string& jpeg, char orientation) {
  using std::string_literals::operator""s;
  const std::string block = "Exif\0\0"s + ExifBlock(orientation);
  return jpeg.substr(0, 2) + "\xff\xe1\0"s + static_cast<char>(block.size() + 2) + block +
         jpeg.substr(2);
}

inline uint32_t ChecksumOf(std::string_view chunk) {
  png_uint_32 crc = 0xffffffff;
  for (const char byte : chunk) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320 & (0 - (crc & 1)));
  }
  return ~crc;
}

inline std::string BigEndian(uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

// A PNG with Exif data, right after its header.
inline std::string WithChunk(const std::string& png, char orientation) {
  const std::string block = ExifBlock(orientation);
  const std::string chunk = "eXIf" + block;
  return png.substr(0, 33) + BigEndian(static_cast<uint32_t>(block.size())) + chunk +
         BigEndian(ChecksumOf(chunk)) + png.substr(33);
}

inline std::string EncodeJpeg(const StoredImage& image, bool progressive = false,
                              J_COLOR_SPACE stored = JCS_UNKNOWN) {
  jpeg_compress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type.
  jpeg_mem_dest(&jpeg, &bytes, &size);
  jpeg.image_width = image.width;
  jpeg.image_height = image.height;
  jpeg.input_components = image.channels;
  jpeg.in_color_space = image.channels == 1   ? JCS_GRAYSCALE
                        : image.channels == 4 ? JCS_CMYK
                                              : JCS_RGB;
  jpeg_set_defaults(&jpeg);
  if (stored != JCS_UNKNOWN) jpeg_set_colorspace(&jpeg, stored);
  jpeg_set_quality(&jpeg, 98, TRUE);
  if (progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    auto* row = const_cast<JSAMPROW>(image.pixels.data() +
                                     jpeg.next_scanline * image.width * image.channels);
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  std::string file(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&jpeg);
  std::free(bytes);
  return file;
}

// A picture as cameras make them: large areas differ more than small ones.
inline StoredImage Scene(int height, int width, int channels, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> sums(height * width * channels, 128);
  for (int wave = 1; wave <= 30; ++wave) {
    const double down = static_cast<double>(random() % 1000) / 1000 * wave / 3;
    const double across = static_cast<double>(random() % 1000) / 1000 * wave / 3;
    const double phase = static_cast<double>(random() % 628) / 100;
    for (int i = 0; i < height * width; ++i) {
      const double turn = 6.283 * (down * (i / width) / height + across * (i % width) / width);
      for (int channel = 0; channel < channels; ++channel) {
        sums[i * channels + channel] += 45.0 / wave * std::sin(turn + phase + 0.3 * channel);
      }
    }
  }
  StoredImage image{height, width, channels, {}};
  for (const double sum : sums) {
    image.pixels.push_back(static_cast<uint8_t>(std::clamp(sum, 0.0, 255.0)));
  }
  return image;
}

// A PNG of 16 bits a channel.
inline std::string EncodeDeepPng(int height, int width, int channels,
                                 const std::vector<uint16_t>& pixels) {
  constexpr int kColourTypes[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                  PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGBA};
  std::string file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &file,
      [](png_structp to, png_bytep bytes, size_t size) {
        static_cast<std::string*>(png_get_io_ptr(to))
            ->append(reinterpret_cast<const char*>(bytes), size);
      },
      nullptr);
  png_set_IHDR(png, info, width, height, 16, kColourTypes[channels], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (int y = 0; y < height; ++y) {
    std::string row;
    for (int i = 0; i < width * channels; ++i) {
      const uint16_t pixel = pixels[y * width * channels + i];
      row += {static_cast<char>(pixel >> 8), static_cast<char>(pixel)};
    }
    png_write_row(png, reinterpret_cast<png_const_bytep>(row.data()));
  }
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return file;
}

}  // namespace tidemill::transform::testing

// Changes the brightness, contrast, saturation and hue of one image, as ColorJitter of torchvision
// defines them. For the first three, each pixel becomes a mixture:
//
//   factor * pixel + (1 - factor) * other
//
// `other` is black for the brightness, the mean of the image in grey for the contrast, and the
// pixel in grey for the saturation. The result is held between 0 and `white`. The fraction of a
// whole number is cut off.
//
// The hue of a pixel is turned around the circle of colours. Its largest and its smallest number
// stay, and so does the distance between them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "base/check.h"
#include "transform/engine/images.h"

namespace tidemill::transform {

// The numbers to compute with for pixels of type T. float holds those of bytes exactly.
template <typename T>
using PixelReal =
    std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, uint8_t>, float, double>;

template <typename T>
T Grey(T red, T green, T blue) {
  using Real = PixelReal<T>;
  return static_cast<T>(static_cast<Real>(0.2989) * static_cast<Real>(red) +
                        static_cast<Real>(0.587) * static_cast<Real>(green) +
                        static_cast<Real>(0.114) * static_cast<Real>(blue));
}

// The mixture of two numbers. Thread-safe.
template <typename T>
class Mixture {
 public:
  using Real = PixelReal<T>;

  Mixture(double factor, double white)
      : factor_(static_cast<Real>(factor)),
        rest_(static_cast<Real>(1 - factor)),
        white_(static_cast<Real>(white)) {}

  T operator()(T pixel, Real other) const {
    const Real mixed = factor_ * static_cast<Real>(pixel) + rest_ * other;
    return static_cast<T>(mixed < 0 ? Real{0} : mixed > white_ ? white_ : mixed);
  }

 private:
  const Real factor_;
  const Real rest_;
  const Real white_;
};

// Mixes all pixels with the same number.
template <typename T>
void MixWithNumber(const Mixture<T>& mixture, PixelReal<T> other, std::span<T> image) {
  if constexpr (std::is_same_v<T, uint8_t>) {
    // The 256 results are all that bytes need.
    std::array<uint8_t, 256> table;
    for (size_t i = 0; i < table.size(); ++i) table[i] = mixture(static_cast<uint8_t>(i), other);
    for (uint8_t& pixel : image) pixel = table[pixel];
  } else {
    for (T& pixel : image) pixel = mixture(pixel, other);
  }
}

template <typename T>
void ChangeBrightness(double factor, double white, std::span<T> image) {
  MixWithNumber(Mixture<T>(factor, white), PixelReal<T>{0}, image);
}

// The mean of an image in grey. An image has one channel, which is grey, or three.
template <typename T>
double MeanGrey(const ImageSize& size, std::span<const T> image) {
  const auto plane = static_cast<size_t>(size.height * size.width);
  // Bytes are whole numbers, which may be added in any order, and so several at once.
  std::conditional_t<std::is_same_v<T, uint8_t>, int64_t, double> sum = 0;
  if (size.channels == 1) {
    for (const T pixel : image) sum += static_cast<decltype(sum)>(pixel);
  } else {
    TIDEMILL_DCHECK(size.channels == 3 && image.size() == 3 * plane);
    for (size_t i = 0; i < plane; ++i) {
      sum += static_cast<decltype(sum)>(Grey(image[i], image[plane + i], image[2 * plane + i]));
    }
  }
  return static_cast<double>(sum) / static_cast<double>(plane);
}

template <typename T>
void ChangeContrast(double factor, double white, const ImageSize& size, std::span<T> image) {
  const double mean = MeanGrey(size, std::span<const T>(image));
  MixWithNumber(Mixture<T>(factor, white), static_cast<PixelReal<T>>(mean), image);
}

// Leaves an image of one channel unchanged.
template <typename T>
void ChangeSaturation(double factor, double white, const ImageSize& size, std::span<T> image) {
  if (size.channels == 1) return;
  const auto plane = static_cast<size_t>(size.height * size.width);
  TIDEMILL_DCHECK(size.channels == 3 && image.size() == 3 * plane);
  const Mixture<T> mixture(factor, white);
  T* __restrict const red = image.data();
  T* __restrict const green = red + plane;
  T* __restrict const blue = green + plane;
  for (size_t i = 0; i < plane; ++i) {
    const auto grey = static_cast<PixelReal<T>>(Grey(red[i], green[i], blue[i]));
    red[i] = mixture(red[i], grey);
    green[i] = mixture(green[i], grey);
    blue[i] = mixture(blue[i], grey);
  }
}

// Turns hues by a share of the circle in [-0.5, 0.5]. Leaves an image of one channel unchanged.
// torchvision computes the hue, the saturation and the value of a pixel, and a colour from them.
// This computes the same colour without the saturation, and without a case for each sixth of the
// circle: so several pixels at once. Bytes differ from torchvision's by 1 at most.
template <typename T>
void ChangeHue(double share, double white, const ImageSize& size, std::span<T> image) {
  using Real = PixelReal<T>;
  if (size.channels == 1) return;
  const auto plane = static_cast<size_t>(size.height * size.width);
  TIDEMILL_DCHECK(size.channels == 3 && image.size() == 3 * plane);
  T* __restrict const red = image.data();
  T* __restrict const green = red + plane;
  T* __restrict const blue = green + plane;
  // Sixths of the circle, at least 0.
  const Real turn = static_cast<Real>(6 * (share < 0 ? share + 1 : share));
  const Real limit = static_cast<Real>(white);
  // torchvision multiplies numbers up to 1 by this. Its fraction keeps whole numbers from being cut
  // off to those below them.
  constexpr Real kScale = std::is_same_v<T, uint8_t> ? Real(255.999) / Real(255) : Real(1);
  for (size_t i = 0; i < plane; ++i) {
    const auto r = static_cast<Real>(red[i]);
    const auto g = static_cast<Real>(green[i]);
    const auto b = static_cast<Real>(blue[i]);
    const Real rg = r > g ? r : g;
    const Real largest = rg > b ? rg : b;
    const Real rg_least = r < g ? r : g;
    const Real range = largest - (rg_least < b ? rg_least : b);
    const Real divisor = range > 0 ? range : Real(1);
    // Where the colour is on the circle: red at 0, green at 2, blue at 4.
    const Real from = r == largest ? Real(0) : g == largest ? Real(2) : Real(4);
    const Real difference = r == largest ? g - b : g == largest ? b - r : r - g;
    const Real hue = from + difference / divisor + turn;  // In [-1, 11].
    const auto channel = [&](Real offset) {
      Real distance = hue + offset;
      distance -= distance >= 6 ? Real(6) : Real(0);
      distance -= distance >= 6 ? Real(6) : Real(0);
      const Real to_four = 4 - distance;
      Real part = distance < to_four ? distance : to_four;
      part = part < 0 ? Real(0) : part > 1 ? Real(1) : part;
      const Real made = (largest - range * part) * kScale;
      return static_cast<T>(made < 0 ? Real(0) : made > limit ? limit : made);
    };
    red[i] = channel(5);
    green[i] = channel(3);
    blue[i] = channel(1);
  }
}

}  // namespace tidemill::transform

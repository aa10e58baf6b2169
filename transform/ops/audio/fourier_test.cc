#include "transform/ops/audio/fourier.h"

#include <gtest/gtest.h>

#include <complex>
#include <numbers>
#include <random>
#include <vector>

namespace tidemill::transform {
namespace {

constexpr int64_t kLanes = FourierTransform::kLanes;

TEST(FourierTransform, TakesSizesWithoutLargePrimeFactors) {
  for (const int64_t size : {2, 3, 4, 5, 6, 400, 512, 1024, 375, 65536}) {
    EXPECT_TRUE(FourierTransform::Takes(size)) << size;
  }
  for (const int64_t size : {-4, 0, 1, 7, 14, 441, 65537, 131072}) {
    EXPECT_FALSE(FourierTransform::Takes(size)) << size;
  }
}

TEST(FourierTransform, IsTheSumOfTurnedNumbersInEachLane) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (const int64_t size : {2, 3, 4, 5, 6, 8, 9, 10, 16, 20, 25, 27, 45, 60, 64, 400}) {
    const auto count = static_cast<size_t>(size * kLanes);
    std::vector<float> real(count);
    std::vector<float> imaginary(count);
    for (float& number : real) number = uniform(random);
    for (float& number : imaginary) number = uniform(random);
    const std::vector<float> in_real = real;
    const std::vector<float> in_imaginary = imaginary;
    std::vector<float> spare_real(count);
    std::vector<float> spare_imaginary(count);
    FourierTransform(size).Run(real.data(), imaginary.data(), spare_real.data(),
                               spare_imaginary.data());
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      for (int64_t k = 0; k < size; ++k) {
        std::complex<double> sum = 0;
        for (int64_t i = 0; i < size; ++i) {
          const auto at = static_cast<size_t>(i * kLanes + lane);
          const double turn =
              -2 * std::numbers::pi * static_cast<double>(i * k % size) / static_cast<double>(size);
          sum += std::complex<double>(in_real[at], in_imaginary[at]) * std::polar(1.0, turn);
        }
        const auto at = static_cast<size_t>(k * kLanes + lane);
        ASSERT_NEAR(real[at], sum.real(), 1e-5 * std::sqrt(size)) << size << " " << k;
        ASSERT_NEAR(imaginary[at], sum.imag(), 1e-5 * std::sqrt(size)) << size << " " << k;
      }
    }
  }
}

}  // namespace
}  // namespace tidemill::transform

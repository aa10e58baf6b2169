// Random graphs over random samples, for tests that compare two ways to run a graph.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "batch/batch.h"
#include "transform/graph.h"

namespace tidemill::transform::testing {

struct RandomCase {
  SampleSchema schema;
  GraphSpec spec;
  batch::Batch samples;
};

// Makes a case of a seed: an even one has columns of numbers in text, an odd one images in records.
// Some samples are bad in one way or another, some are filtered, and some ops do nothing.
class RandomCases {
 public:
  explicit RandomCases(uint32_t seed) : random_(seed), has_images_(seed % 2 == 1) {}

  RandomCase Make(int64_t num_samples);

 private:
  int64_t Below(int64_t end) { return static_cast<int64_t>(random_() % end); }
  template <typename T>
  T Pick(std::initializer_list<T> values) {
    return values.begin()[Below(static_cast<int64_t>(values.size()))];
  }

  double SomeNumber();
  std::string SomeText();
  batch::Batch TextSamples(int64_t count);
  batch::Batch ImageSamples(int64_t count);
  OpSpec OpOnNumbers();
  OpSpec OpOnImages();
  OpSpec OpOnAny();

  std::mt19937 random_;
  const bool has_images_;
  bool of_floats_ = false;  // The images.
};

}  // namespace tidemill::transform::testing

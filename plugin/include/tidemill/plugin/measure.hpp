// Measures of models: sums of blocks of rows, and a number of these sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tidemill/plugin.h"
#include "tidemill/plugin/columns.hpp"
#include "tidemill/plugin/instance.hpp"

namespace tidemill::plugin {

struct MeasureTraits {
  bool higher_is_better = false;
  // Of real labels; else of classes.
  bool of_values = false;
  // Else predictions.
  bool needs_probabilities = false;
  std::string unit = {};
};

// Rows of an evaluation.
class Block : public Columns {
 public:
  explicit Block(const TidemillColumns& columns) : Columns(columns) {}

  // Of classes: their numbers.
  std::span<const int64_t> label_classes() const { return NumbersOf<int64_t>("label").numbers; }
  std::span<const int64_t> predicted_classes() const {
    return NumbersOf<int64_t>("prediction").numbers;
  }
  Rows<float> probabilities() const { return NumbersOf<float>("probabilities"); }
  // Of values.
  std::span<const double> label_values() const { return NumbersOf<double>("label").numbers; }
  std::span<const double> predicted_values() const {
    return NumbersOf<double>("prediction").numbers;
  }
};

class Measure : public Instance {
 public:
  static constexpr const char* kKind = "measure";
  using Block = plugin::Block;
  using Traits = plugin::MeasureTraits;

  // Does not depend on settings.
  virtual Traits Describe() const = 0;
  // Of a block; as many numbers for every block.
  virtual std::vector<double> Sums(const Block& block) const = 0;
  // Of the sums of all blocks, a row a block, in the order of the stream. std::nullopt where there
  // is no value.
  virtual std::optional<double> Combine(const Rows<double>& sums) const = 0;

  const void* Functions() final;

 private:
  static Measure& Of(void* self) { return static_cast<Measure&>(*static_cast<Instance*>(self)); }

  int GiveSums(const TidemillColumns& block, const double** sums, size_t* count) noexcept {
    return Attempt("Sums", [&] {
      sums_ = Sums(Block(block));
      *sums = sums_.data();
      *count = sums_.size();
    });
  }

  int GiveValue(const Rows<double>& sums, double* value, int* has_value) noexcept {
    return Attempt("Combine", [&] {
      const std::optional<double> combined = Combine(sums);
      *value = combined.value_or(0);
      *has_value = combined.has_value() ? 1 : 0;
    });
  }

  MeasureTraits traits_;
  TidemillMeasure functions_ = {};
  // What was given last, until the next call.
  std::vector<double> sums_;
};

inline const void* Measure::Functions() {
  traits_ = Describe();
  functions_ = {
      .size = sizeof(TidemillMeasure),
      .of_values = traits_.of_values ? 1 : 0,
      .needs_probabilities = traits_.needs_probabilities ? 1 : 0,
      .higher_is_better = traits_.higher_is_better ? 1 : 0,
      .unit = traits_.unit.c_str(),
      .measure = [](void* self, const TidemillColumns* block, const double** sums,
                    size_t* count) { return Of(self).GiveSums(*block, sums, count); },
      .combine =
          [](void* self, const double* sums, size_t num_blocks, size_t count, double* value,
             int* has_value) {
            return Of(self).GiveValue({{sums, num_blocks * count}, count}, value, has_value);
          }};
  return &functions_;
}

}  // namespace tidemill::plugin

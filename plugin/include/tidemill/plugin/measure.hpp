// Measures of models: numbers that each sample contributes, and a value of their sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "tidemill/plugin.h"
#include "tidemill/plugin/columns.hpp"
#include "tidemill/plugin/instance.hpp"

namespace tidemill::plugin {

struct MeasureTraits {
  bool higher_is_better = false;
  // For real labels; else for classes.
  bool of_values = false;
  // Else predictions.
  bool needs_probabilities = false;
  std::string unit = {};
  // How many numbers each sample contributes: 1 to 64.
  size_t width = 1;
  // Whether Combine() makes the value. Otherwise the value is the mean of the one number that each
  // sample contributes.
  bool combines = false;
};

// Rows of an evaluation.
class Block : public Columns {
 public:
  explicit Block(const TidemillColumns& columns) : Columns(columns) {}

  // For classes: their numbers.
  std::span<const int64_t> label_classes() const { return NumbersOf<int64_t>("label").numbers; }
  std::span<const int64_t> predicted_classes() const {
    return NumbersOf<int64_t>("prediction").numbers;
  }
  Rows<float> probabilities() const { return NumbersOf<float>("probabilities"); }
  // The unit of values.
  std::span<const double> label_values() const { return NumbersOf<double>("label").numbers; }
  std::span<const double> predicted_values() const {
    return NumbersOf<double>("prediction").numbers;
  }
};

// What the rows of a block contribute: zeros, for a measure to overwrite.
class Contributions {
 public:
  Contributions(std::span<double> numbers, size_t width) : numbers_(numbers), width_(width) {}

  size_t rows() const { return numbers_.size() / width_; }
  // The numbers of a row, `width` of them.
  std::span<double> row(size_t row) const { return numbers_.subspan(row * width_, width_); }
  // The number of a row if there is one.
  double& operator[](size_t row) const { return numbers_[row * width_]; }

 private:
  std::span<double> numbers_;
  size_t width_;
};

class Measure : public Instance {
 public:
  static constexpr const char* kKind = "measure";
  using Block = plugin::Block;
  using Contributions = plugin::Contributions;
  using Traits = plugin::MeasureTraits;

  // Does not depend on settings.
  virtual Traits Describe() const = 0;
  // Writes what each row contributes: finite numbers that do not depend on the rows beside it.
  virtual void Contribute(const Block& block, const Contributions& contributions) const = 0;
  // The value by the sums of what samples contribute; std::nullopt if there is none. Called for
  // measures that combine.
  virtual std::optional<double> Combine(std::span<const double> /*sums*/) const {
    throw std::logic_error("it says that it combines, and has no Combine()");
  }

  const void* Functions() final;

 private:
  static Measure& Of(void* self) { return static_cast<Measure&>(*static_cast<Instance*>(self)); }

  int GiveContributions(const TidemillColumns& columns, double* numbers) noexcept {
    return Attempt("Contribute", [&] {
      const Block block(columns);
      const size_t width = Describe().width;
      Contribute(block, Contributions({numbers, block.rows() * width}, width));
    });
  }

  int GiveValues(const double* sums, size_t num_rows, double* values) noexcept {
    return Attempt("Combine", [&] {
      const size_t width = Describe().width;
      for (size_t row = 0; row < num_rows; ++row) {
        values[row] =
            Combine({sums + row * width, width}).value_or(std::numeric_limits<double>::quiet_NaN());
      }
    });
  }

  MeasureTraits traits_;
  TidemillMeasure functions_ = {};
};

inline const void* Measure::Functions() {
  traits_ = Describe();
  functions_ = {.size = sizeof(TidemillMeasure),
                .of_values = traits_.of_values ? 1 : 0,
                .needs_probabilities = traits_.needs_probabilities ? 1 : 0,
                .higher_is_better = traits_.higher_is_better ? 1 : 0,
                .unit = traits_.unit.c_str(),
                .width = traits_.width,
                .contribute =
                    [](void* self, const TidemillColumns* block, double* contributions) {
                      return Of(self).GiveContributions(*block, contributions);
                    },
                .combine = nullptr};
  if (traits_.combines) {
    functions_.combine = [](void* self, const double* sums, size_t num_rows, double* values) {
      return Of(self).GiveValues(sums, num_rows, values);
    };
  }
  return &functions_;
}

}  // namespace tidemill::plugin

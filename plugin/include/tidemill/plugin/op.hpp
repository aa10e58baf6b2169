// Ops: columns made of columns, row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tidemill/plugin.h"
#include "tidemill/plugin/columns.hpp"
#include "tidemill/plugin/instance.hpp"

namespace tidemill::plugin {

enum class ColumnFormat {
  kInt64 = TIDEMILL_INT64,
  kInt32 = TIDEMILL_INT32,
  kUInt8 = TIDEMILL_UINT8,
  kFloat32 = TIDEMILL_FLOAT32,
  kFloat64 = TIDEMILL_FLOAT64,
  kBinary = TIDEMILL_BINARY  // Byte strings of any length.
};

// A column that an op takes or makes.
struct ColumnType {
  std::string name;
  ColumnFormat format = ColumnFormat::kFloat32;
  // Numbers in a row, by dimension: {} for one, {3, 32, 32} for an image.
  std::vector<int64_t> shape = {};

  // Numbers in a row.
  size_t Width() const {
    size_t width = 1;
    for (const int64_t size : shape) width *= static_cast<size_t>(size);
    return width;
  }
};

// What an op makes of a block of rows. Valid during the call that it was given to.
class Made {
 public:
  Made(const TidemillMade& made, std::span<const ColumnType> outputs, size_t rows)
      : made_(made), outputs_(outputs), rows_(rows) {}

  // Where the numbers of an output go, row after row: all zeros so far. Throws
  // std::invalid_argument if there is no such output, or one of another type.
  template <typename Value>
  std::span<Value> NumbersOf(std::string_view name) const {
    const size_t output = Find(name);
    if (outputs_[output].format != FormatOf<Value>()) {
      throw std::invalid_argument("the output " + std::string(name) + " is of another type");
    }
    return {static_cast<Value*>(made_.numbers[output]), rows_ * outputs_[output].Width()};
  }

  // Gives the byte strings of an output, one for each row.
  template <typename Text>
  void GiveStrings(std::string_view name, const std::vector<Text>& strings) const {
    const size_t output = Find(name);
    if (outputs_[output].format != ColumnFormat::kBinary || strings.size() != rows_) {
      throw std::invalid_argument("the output " + std::string(name) + " is not of " +
                                  std::to_string(strings.size()) + " byte strings");
    }
    std::vector<int64_t> offsets = {0};
    std::string bytes;
    for (const std::string_view text : strings) {
      bytes += text;
      offsets.push_back(static_cast<int64_t>(bytes.size()));
    }
    if (made_.give_strings(&made_, output, offsets.data(), bytes.data()) != 0) {
      throw std::length_error("the byte strings of " + std::string(name) +
                              " are too long, or were given before");
    }
  }

  // Nothing can be made of this row of the block, and why: it is a bad sample.
  void Reject(size_t row, const std::string& why) const {
    made_.reject(&made_, static_cast<int64_t>(row), why.c_str());
  }

 private:
  size_t Find(std::string_view name) const {
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i].name == name) return i;
    }
    throw std::invalid_argument("there is no output " + std::string(name));
  }

  template <typename Value>
  static constexpr ColumnFormat FormatOf() {
    if constexpr (std::is_same_v<Value, int64_t>) return ColumnFormat::kInt64;
    if constexpr (std::is_same_v<Value, int32_t>) return ColumnFormat::kInt32;
    if constexpr (std::is_same_v<Value, uint8_t>) return ColumnFormat::kUInt8;
    if constexpr (std::is_same_v<Value, float>) return ColumnFormat::kFloat32;
    if constexpr (std::is_same_v<Value, double>) return ColumnFormat::kFloat64;
  }

  const TidemillMade& made_;
  const std::span<const ColumnType> outputs_;
  const size_t rows_;
};

// What an op makes of a row must not depend on the rows beside it, because rows come in other
// blocks elsewhere. A row for which it makes a number that is not finite is a bad sample.
//
// An op that learns is given blocks of samples first. What it has learnt it returns from Seal() and
// takes back in Restore(). Seal() is called after each block, too.
class Op : public Instance {
 public:
  static constexpr const char* kKind = "op";
  using ColumnType = plugin::ColumnType;
  using ColumnFormat = plugin::ColumnFormat;
  using Columns = plugin::Columns;
  using Made = plugin::Made;

  // The columns that it makes of these. Throws where it cannot. Asked once, after Start().
  virtual std::vector<ColumnType> Outputs(const std::vector<ColumnType>& inputs) = 0;

  // Whether it learns from samples first.
  virtual bool Fits() const { return false; }
  // Learns from some rows.
  virtual void Fit(const Columns& /*block*/) {}
  // All blocks to learn from have been there.
  virtual void Fitted() {}

  virtual void Apply(const Columns& block, const Made& made) = 0;

  const void* Functions() final;

 private:
  static Op& Of(void* self) { return static_cast<Op&>(*static_cast<Instance*>(self)); }

  // Hosts of a later contract have longer structs.
  static std::vector<ColumnType> Known(const TidemillColumnType* inputs, size_t count) {
    std::vector<ColumnType> known;
    const auto* at = reinterpret_cast<const std::byte*>(inputs);
    for (size_t i = 0; i < count; ++i) {
      const auto& input = *reinterpret_cast<const TidemillColumnType*>(at);
      known.push_back({.name = input.name,
                       .format = static_cast<ColumnFormat>(input.format),
                       .shape = {input.shape, input.shape + input.num_dimensions}});
      at += input.size;
    }
    return known;
  }

  int GiveOutputs(const TidemillColumnType* inputs, size_t count,
                  TidemillOutputs& outputs) noexcept {
    return Attempt("Outputs", [&] {
      outputs_ = Outputs(Known(inputs, count));
      given_outputs_.clear();
      for (const ColumnType& output : outputs_) {
        given_outputs_.push_back({.size = sizeof(TidemillColumnType),
                                  .name = output.name.c_str(),
                                  .format = static_cast<TidemillColumnFormat>(output.format),
                                  .shape = output.shape.data(),
                                  .num_dimensions = output.shape.size()});
      }
      outputs.columns = given_outputs_.data();
      outputs.count = given_outputs_.size();
      outputs.fits = Fits() ? 1 : 0;
    });
  }

  int Make(const TidemillColumns& block, const TidemillMade& made) noexcept {
    return Attempt("Apply", [&] {
      const Columns columns(block);
      Apply(columns, Made(made, outputs_, columns.rows()));
    });
  }

  std::vector<ColumnType> outputs_;
  std::vector<TidemillColumnType> given_outputs_;
};

inline const void* Op::Functions() {
  static constexpr TidemillOp kFunctions = {
      .size = sizeof(TidemillOp),
      .outputs =
          [](void* self, const TidemillColumnType* inputs, size_t count, TidemillOutputs* outputs) {
            return Of(self).GiveOutputs(inputs, count, *outputs);
          },
      .fit =
          [](void* self, const TidemillColumns* block) {
            return Of(self).Attempt("Fit", [&] { Of(self).Fit(Columns(*block)); });
          },
      .fitted = [](void* self) { return Of(self).Attempt("Fitted", [&] { Of(self).Fitted(); }); },
      .apply = [](void* self, const TidemillColumns* block,
                  const TidemillMade* made) { return Of(self).Make(*block, *made); }};
  return &kFunctions;
}

}  // namespace tidemill::plugin

// An op: columns made of columns.
//
//   g++ -std=c++20 -O2 -shared -fPIC FILE_NAME.cpp -o FILE_NAME.so
//   - plugin: {use: "FILE_NAME.so:CLASS_NAME", columns: [price, demand], with: {scale: 0.5}}
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/plugin.hpp"

class CLASS_NAME : public tidemill::plugin::Op {
 public:
  static constexpr const char* kDoc =
      "Puts each column in units of its mean over the samples that it learns from.";
  static constexpr const char* kVersion = "0.1";

  // What `with` may say.
  Number scale{*this, "scale", "By what the result is multiplied.", 1, {.min = 0}};

  // The columns that it makes of these.
  std::vector<ColumnType> Outputs(const std::vector<ColumnType>& inputs) override {
    std::vector<ColumnType> outputs;
    for (const ColumnType& input : inputs) {
      if (input.format != ColumnFormat::kFloat32) throw std::invalid_argument("it takes float32");
      names_.push_back(input.name);
      outputs.push_back({.name = "relative_" + input.name, .shape = input.shape});
    }
    sums_.assign(2 * names_.size(), 0);
    return outputs;
  }
  // It learns from samples first.
  bool Fits() const override { return true; }

  // Learns from some rows.
  void Fit(const Columns& block) override {
    for (size_t i = 0; i < names_.size(); ++i) {
      for (const float number : block.NumbersOf<float>(names_[i]).numbers) {
        sums_[2 * i] += number;
        ++sums_[2 * i + 1];
      }
    }
  }

  // Makes the outputs of each row, independently of other rows. A row with a number that is not
  // finite is a bad sample.
  void Apply(const Columns& block, const Made& made) override {
    for (size_t i = 0; i < names_.size(); ++i) {
      const auto in = block.NumbersOf<float>(names_[i]).numbers;
      const auto out = made.NumbersOf<float>("relative_" + names_[i]);
      const double factor = scale / (sums_[2 * i] / sums_[2 * i + 1]);
      for (size_t k = 0; k < in.size(); ++k) out[k] = static_cast<float>(in[k] * factor);
    }
  }

  // What it has learnt, as bytes, and back.
  std::string Seal() const override {
    return {reinterpret_cast<const char*>(sums_.data()), sums_.size() * sizeof(double)};
  }
  void Restore(std::string_view state) override {
    if (state.size() != sums_.size() * sizeof(double)) throw std::invalid_argument("another state");
    std::memcpy(sums_.data(), state.data(), state.size());
  }

 private:
  std::vector<std::string> names_;
  // For each column its sum and the count of its numbers.
  std::vector<double> sums_;
};
TIDEMILL_PLUGIN(CLASS_NAME);

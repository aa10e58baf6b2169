// The built-in op `standardize` as a plug-in, for the figure plugin_op_vs_builtin.
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/plugin.hpp"

namespace {

class Standardized : public tidemill::plugin::Op {
 public:
  static constexpr const char* kDoc = "(x - mean) / std of each column, as learnt from samples.";

  std::vector<ColumnType> Outputs(const std::vector<ColumnType>& inputs) override {
    std::vector<ColumnType> outputs;
    for (const ColumnType& input : inputs) {
      names_.push_back(input.name);
      outputs.push_back({.name = input.name});
    }
    means_.assign(inputs.size(), 0);
    squares_.assign(inputs.size(), 0);
    return outputs;
  }
  bool Fits() const override { return true; }

  void Fit(const Columns& block) override {
    for (size_t i = 0; i < names_.size(); ++i) {
      double row = num_rows_;
      for (const float number : block.NumbersOf<float>(names_[i]).numbers) {
        const double before = number - means_[i];
        means_[i] += before * (1.0 / ++row);
        squares_[i] += before * (number - means_[i]);
      }
    }
    num_rows_ += static_cast<double>(block.rows());
  }

  void Apply(const Columns& block, const Made& made) override {
    for (size_t i = 0; i < names_.size(); ++i) {
      const auto in = block.NumbersOf<float>(names_[i]).numbers;
      const auto out = made.NumbersOf<float>(names_[i]);
      const double mean = means_[i];
      const double deviation = std::sqrt(squares_[i] / num_rows_);
      for (size_t row = 0; row < in.size(); ++row) {
        out[row] = static_cast<float>((static_cast<double>(in[row]) - mean) / deviation);
      }
    }
  }

  std::string Seal() const override {
    std::vector<double> numbers = {num_rows_};
    numbers.insert(numbers.end(), means_.begin(), means_.end());
    numbers.insert(numbers.end(), squares_.begin(), squares_.end());
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)};
  }
  void Restore(std::string_view state) override {
    const size_t bytes = means_.size() * sizeof(double);
    if (state.size() != sizeof(double) + 2 * bytes) throw std::invalid_argument("another state");
    std::memcpy(&num_rows_, state.data(), sizeof num_rows_);
    std::memcpy(means_.data(), state.data() + sizeof num_rows_, bytes);
    std::memcpy(squares_.data(), state.data() + sizeof num_rows_ + bytes, bytes);
  }

 private:
  std::vector<std::string> names_;
  double num_rows_ = 0;
  std::vector<double> means_;
  std::vector<double> squares_;
};
TIDEMILL_PLUGIN(Standardized);

}  // namespace

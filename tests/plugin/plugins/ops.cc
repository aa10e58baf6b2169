// Ops that do what built-in ones do, and ops that do wrong: those of scaling.py in C++.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/plugin.hpp"

namespace {

// (x - mean) / std of each column, learnt row by row as the built-in op does.
class Standardized : public tidemill::plugin::Op {
 public:
  std::vector<ColumnType> Outputs(const std::vector<ColumnType>& inputs) override {
    names_.clear();
    std::vector<ColumnType> outputs;
    for (const ColumnType& input : inputs) {
      names_.push_back(input.name);
      outputs.push_back({.name = input.name});
    }
    moments_.assign(2 * inputs.size(), 0);
    return outputs;
  }
  bool Fits() const override { return true; }

  void Fit(const Columns& block) override {
    std::vector<const float*> columns;
    for (const std::string& name : names_) {
      columns.push_back(block.NumbersOf<float>(name).numbers.data());
    }
    for (size_t row = 0; row < block.rows(); ++row) {
      const double weight = 1.0 / ++rows_;
      for (size_t i = 0; i < columns.size(); ++i) {
        const double value = columns[i][row];
        const double before = value - moments_[2 * i];
        moments_[2 * i] += before * weight;
        moments_[2 * i + 1] += before * (value - moments_[2 * i]);
      }
    }
  }

  void Fitted() override {
    for (size_t i = 1; i < moments_.size(); i += 2) {
      const double deviation = std::sqrt(moments_[i] / rows_);
      moments_[i] = deviation == 0 ? 1 : deviation;
    }
  }

  void Apply(const Columns& block, const Made& made) override {
    for (size_t i = 0; i < names_.size(); ++i) {
      const double mean = moments_[2 * i];
      const double deviation = moments_[2 * i + 1];
      const auto in = block.NumbersOf<float>(names_[i]).numbers;
      const auto out = made.NumbersOf<float>(names_[i]);
      for (size_t row = 0; row < in.size(); ++row) {
        out[row] = static_cast<float>((static_cast<double>(in[row]) - mean) / deviation);
      }
    }
  }

  // The count of rows, and for each column its mean and its squares, or its deviation.
  std::string Seal() const override {
    std::string state(reinterpret_cast<const char*>(&rows_), sizeof rows_);
    state.append(reinterpret_cast<const char*>(moments_.data()), moments_.size() * sizeof(double));
    return state;
  }
  void Restore(std::string_view state) override {
    if (state.size() != sizeof(double) * (1 + moments_.size())) {
      throw std::invalid_argument("this is the state of other columns");
    }
    std::memcpy(&rows_, state.data(), sizeof rows_);
    std::memcpy(moments_.data(), state.data() + sizeof rows_, state.size() - sizeof rows_);
  }

 private:
  std::vector<std::string> names_;
  double rows_ = 0;
  std::vector<double> moments_;
};
TIDEMILL_PLUGIN(Standardized);

// Byte strings in, byte strings and numbers out; empty ones are bad.
class Words : public tidemill::plugin::Op {
 public:
  std::vector<ColumnType> Outputs(const std::vector<ColumnType>& inputs) override {
    name_ = inputs.at(0).name;
    return {{.name = "upper", .format = ColumnFormat::kBinary},
            {.name = "length", .format = ColumnFormat::kInt64},
            {.name = "pair", .format = ColumnFormat::kInt32, .shape = {2}}};
  }
  void Apply(const Columns& block, const Made& made) override {
    const auto words = block.StringsOf(name_);
    const auto lengths = made.NumbersOf<int64_t>("length");
    const auto pairs = made.NumbersOf<int32_t>("pair");
    std::vector<std::string> upper;
    for (size_t row = 0; row < words.size(); ++row) {
      if (words[row].empty()) made.Reject(row, "the word is empty");
      lengths[row] = static_cast<int64_t>(words[row].size());
      pairs[2 * row] = static_cast<int32_t>(lengths[row]);
      pairs[2 * row + 1] = -pairs[2 * row];
      upper.emplace_back();
      for (const char letter : words[row]) {
        upper.back() += letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
      }
    }
    made.GiveStrings("upper", upper);
  }

 private:
  std::string name_;
};
TIDEMILL_PLUGIN(Words);

// Does wrong with the rows whose number is negative.
class Faulty : public tidemill::plugin::Op {
 public:
  Text how{*this, "how", "What it does wrong.", "throw"};

  std::vector<ColumnType> Outputs(const std::vector<ColumnType>& /*inputs*/) override {
    if (*how == "no_outputs") return {};
    if (*how == "refuse") throw std::invalid_argument("it takes other columns");
    return {{.name = "y"}};
  }
  void Apply(const Columns& block, const Made& made) override {
    const auto in = block.NumbersOf<float>("x").numbers;
    const auto out = made.NumbersOf<float>("y");
    for (size_t row = 0; row < in.size(); ++row) {
      out[row] = in[row] * 2;
      if (in[row] < 0) DoWrong(row, made, out);
    }
  }

 private:
  void DoWrong(size_t row, const Made& made, std::span<float> out) const {
    if (*how == "throw") throw std::domain_error("negative");
    if (*how == "crash") std::abort();
    if (*how == "exit") std::_Exit(3);
    if (*how == "not_finite") out[row] = std::numeric_limits<float>::quiet_NaN();
    if (*how == "wrong_row") made.Reject(1'000'000, "x");
    if (*how == "too_few") static_cast<void>(made.NumbersOf<float>("z"));
    if (*how == "outside") throw 7;  // NOLINT(bugprone-std-exception-baseclass)
    while (*how == "loop") loops_ = loops_ + 1;
  }
  mutable volatile int loops_ = 0;
};
TIDEMILL_PLUGIN(Faulty);

}  // namespace

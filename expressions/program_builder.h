// Collects the steps of a program and gives them registers.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "expressions/program.h"

namespace tidemill::expressions {

// Thread-compatible.
class ProgramBuilder {
 public:
  // A value that a program reads or makes.
  struct Value {
    int number = 0;
    Type type = Type::kNumber;
    bool constant = false;
    bool is_float_column = false;
  };

  // The same input is added once.
  Value AddInput(const Input& input);
  Value AddConstant(Type type, decltype(Constant::value) value);
  Value AddStep(Step::Kernel kernel, std::vector<Value> from, Type type,
                std::shared_ptr<const Setting> setting = nullptr);

  std::shared_ptr<const Program> Build(const Value& result);

 private:
  enum class Kind : uint8_t { kInput, kConstant, kConstantStep, kStep };
  struct Made {
    Kind kind = Kind::kInput;
    size_t place = 0;  // The place among the registers of its kind.
    size_t bytes = 0;  // The size of one value.
  };

  int Add(Kind kind, size_t place, size_t bytes);
  std::vector<int> AssignRegisters(Program& program, int result) const;

  Program program_;
  std::vector<Made> made_;
  std::map<std::tuple<std::string, Type, bool>, Value> inputs_;
};

}  // namespace tidemill::expressions

#include "expressions/program_builder.h"

#include <algorithm>

#include "expressions/kernels.h"

namespace tidemill::expressions {

int ProgramBuilder::Add(Kind kind, size_t place, size_t bytes) {
  made_.push_back({kind, place, bytes});
  return static_cast<int>(made_.size()) - 1;
}

ProgramBuilder::Value ProgramBuilder::AddInput(const Input& input) {
  const auto [known, is_new] = inputs_.try_emplace({input.name, input.type, input.asks_if_missing});
  if (!is_new) return known->second;
  const size_t bytes = input.is_float ? sizeof(float) : SizeOf(input.type);
  Value value{.number = Add(Kind::kInput, program_.inputs.size(), bytes), .type = input.type};
  program_.inputs.push_back(input);
  if (input.is_float) value = AddStep(FloatToNumber(), {value}, Type::kNumber);
  value.is_float_column = input.is_float;
  known->second = value;
  return value;
}

ProgramBuilder::Value ProgramBuilder::AddConstant(Type type, decltype(Constant::value) value) {
  const int number = Add(Kind::kConstant, program_.constants.size(), SizeOf(type));
  program_.constants.push_back({.into = number, .value = std::move(value)});
  return {.number = number, .type = type, .constant = true};
}

ProgramBuilder::Value ProgramBuilder::AddStep(Step::Kernel kernel, std::vector<Value> from,
                                              Type type, std::shared_ptr<const Setting> setting) {
  const bool constant = std::ranges::all_of(from, &Value::constant);
  std::vector<Step>& steps = constant ? program_.constant_steps : program_.steps;
  const int number = Add(constant ? Kind::kConstantStep : Kind::kStep, steps.size(), SizeOf(type));
  Step step{.kernel = kernel, .into = number, .setting = std::move(setting)};
  for (const Value& value : from) step.from.push_back(value.number);
  steps.push_back(std::move(step));
  return {.number = number, .type = type, .constant = constant};
}

std::vector<int> ProgramBuilder::AssignRegisters(Program& program, int result) const {
  std::vector<int> registers(made_.size(), -1);
  for (size_t i = 0; i < made_.size(); ++i) {
    if (made_[i].kind != Kind::kInput) continue;
    registers[i] = static_cast<int>(made_[i].place);
  }
  for (const Input& input : program.inputs) {
    program.value_bytes.push_back(input.is_float ? sizeof(float) : SizeOf(input.type));
  }
  const auto own = [&](size_t bytes) {
    program.value_bytes.push_back(bytes);
    return static_cast<int>(program.value_bytes.size()) - 1;
  };
  for (size_t i = 0; i < made_.size(); ++i) {
    if (made_[i].kind == Kind::kConstant || made_[i].kind == Kind::kConstantStep) {
      registers[i] = own(made_[i].bytes);
    }
  }
  // A register is free again after the last step that reads it.
  std::vector<size_t> last_use(made_.size(), 0);
  for (size_t i = 0; i < program.steps.size(); ++i) {
    for (const int from : program.steps[i].from) last_use[static_cast<size_t>(from)] = i;
  }
  last_use[static_cast<size_t>(result)] = program.steps.size();
  std::multimap<size_t, int> free;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const auto into = static_cast<size_t>(program.steps[i].into);
    const auto found = free.find(made_[into].bytes);
    registers[into] = found != free.end() ? found->second : own(made_[into].bytes);
    if (found != free.end()) free.erase(found);
    std::vector<int> read = program.steps[i].from;
    std::ranges::sort(read);
    read.erase(std::unique(read.begin(), read.end()), read.end());
    for (const int from : read) {
      const auto value = static_cast<size_t>(from);
      if (made_[value].kind != Kind::kStep || last_use[value] != i) continue;
      free.emplace(made_[value].bytes, registers[value]);
    }
  }
  return registers;
}

std::shared_ptr<const Program> ProgramBuilder::Build(const Value& result) {
  auto program = std::make_shared<Program>(std::move(program_));
  const std::vector<int> registers = AssignRegisters(*program, result.number);
  const auto rename = [&](int& number) { number = registers[static_cast<size_t>(number)]; };
  for (Constant& constant : program->constants) rename(constant.into);
  for (std::vector<Step>* steps : {&program->constant_steps, &program->steps}) {
    for (Step& step : *steps) {
      rename(step.into);
      for (int& from : step.from) rename(from);
    }
  }
  program->result = registers[static_cast<size_t>(result.number)];
  program->type = result.type;
  return program;
}

}  // namespace tidemill::expressions

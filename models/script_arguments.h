// Arguments that libtorch takes from a script without looking at them.
#pragma once

#include <string>

#include "torch/script.h"

namespace tidemill::models {

// Whether RefusalOf() may refuse a call of this operator.
bool NeedsCheck(const c10::FunctionSchema& schema);

// Whether it may refuse more than single arguments that are chosen from a list.
bool DependsOnArguments(const c10::FunctionSchema& schema);

// Whether an argument is a type of numbers, a layout, an order of memory, a device, or the steps of
// a window.
bool IsLimited(const c10::FunctionSchema& schema, const c10::Argument& argument);

// Why libtorch has no such type, layout, order, device or window; empty when it has.
std::string RefusalOf(const c10::FunctionSchema& schema, const c10::Argument& argument,
                      const c10::IValue& value);

// Why a call of this operator with these arguments, in the order of its schema, would access memory
// outside of its tensors, or expose uninitialised memory; empty when it would not. A number for a
// type, a layout or an order of memory must be one that libtorch has; a tensor must be a plain one
// on the CPU or a GPU.
std::string RefusalOf(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments);

}  // namespace tidemill::models

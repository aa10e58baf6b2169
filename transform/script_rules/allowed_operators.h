// The operators that a TorchScript of a user may name: arithmetic on tensors, and the operators of
// the language. Every other operator is refused, including operators of later versions of libtorch.
#pragma once

#include <string_view>

namespace tidemill::models {

// `torch.NAME` or `ops.aten.NAME`, with or without the underscore of an in-place operator.
bool IsTensorOperator(std::string_view name);

// `ops.prim.NAME`.
bool IsLanguageOperator(std::string_view name);

// Why an operator that users miss is refused, and what to write in its place; empty for others.
std::string_view InsteadOf(std::string_view name);

// The kind of a node in a compiled graph: "aten::relu", "prim::If".
bool IsGraphNode(std::string_view kind);

// A function without a namespace: `int(x)`.
bool IsFunction(std::string_view name);

// A name that may follow a dot: `x.shape`, `x.relu()`.
bool IsAttribute(std::string_view name);

}  // namespace tidemill::models

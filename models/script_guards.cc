#include "models/script_guards.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "torch/csrc/jit/api/function_impl.h"
#include "torch/csrc/jit/ir/constants.h"
#include "torch/csrc/jit/runtime/operator.h"

#include "models/script_arguments.h"

namespace tidemill::models {
namespace {

namespace jit = torch::jit;

constexpr const char* kCheckArguments = "tidemill::check_arguments";
constexpr const char* kCheckedCast = "tidemill::checked_cast";
// Attributes of these nodes.
const auto kOperator = c10::Symbol::attr("operator");
const auto kOverload = c10::Symbol::attr("overload");
const auto kType = c10::Symbol::attr("type");

const c10::FunctionSchema& SchemaOf(const jit::Node& guard) {
  for (const auto& op : jit::getAllOperatorsFor(c10::Symbol::fromQualString(guard.s(kOperator)))) {
    if (op->schema().overload_name() == guard.s(kOverload)) return op->schema();
  }
  TORCH_CHECK(false, guard.s(kOperator), " is unknown");
}

// It is given copies of the arguments of the next node.
jit::Operation MakeArgumentsCheck(const jit::Node* node) {
  return [schema = SchemaOf(*node), count = node->inputs().size()](jit::Stack& stack) {
    const std::string refusal = RefusalOf(schema, jit::last(stack, count));
    TORCH_CHECK(refusal.empty(), schema.name(), ": ", refusal);
    jit::drop(stack, count);
  };
}

jit::Operation MakeCheckedCast(const jit::Node* node) {
  return [type = node->ty(kType)](jit::Stack& stack) {
    const c10::IValue& value = stack.back();
    // `uninitialized(T)` makes such a number, which sound code never uses. libtorch itself refuses
    // to use a number, or None, as something else.
    if (value.isInt() || value.isNone()) return;
    const c10::TypePtr found = value.type();
    TORCH_CHECK(found->isSubtypeOf(*type), "a ", found->str(), " is used as a ", type->str());
  };
}

const jit::RegisterOperators kRegistered({
    // CONSERVATIVE: what has no result is kept for what it does.
    jit::Operator(std::string(kCheckArguments) + "(...) -> ()", &MakeArgumentsCheck,
                  c10::AliasAnalysisKind::CONSERVATIVE),
    jit::Operator(std::string(kCheckedCast) + "(t(a) value) -> t(a)", &MakeCheckedCast,
                  c10::AliasAnalysisKind::FROM_SCHEMA),
});

void CheckCast(jit::Node& cast) {
  jit::Graph& graph = *cast.owningGraph();
  jit::Node* const checked =
      graph.create(c10::Symbol::fromQualString(kCheckedCast), {cast.input()});
  checked->ty_(kType, cast.output()->type());
  checked->output()->setType(cast.output()->type());
  checked->setSourceRange(cast.sourceRange());
  checked->insertBefore(&cast);
  cast.output()->replaceAllUsesWith(checked->output());
  cast.destroy();
}

// Returns the value if it is known before the script runs: a constant, or a list of constants.
std::optional<c10::IValue> ValueOf(const jit::Value& value) {
  if (value.node()->kind() != c10::prim::ListConstruct) {
    const auto known = jit::toIValue(&value);
    if (!known) return std::nullopt;
    c10::IValue constant = *known;
    return constant;
  }
  c10::List<int64_t> list;
  for (const jit::Value* const part : value.node()->inputs()) {
    const auto known = jit::toIValue(part);
    if (!known || !known->isInt()) return std::nullopt;
    list.push_back(known->toInt());
  }
  return list;
}

// Whether all that may be refused is known already, and is not.
absl::StatusOr<bool> IsKnownToBeGood(const std::string& function, const jit::Node& node,
                                     const c10::FunctionSchema& schema) {
  bool is_known = !DependsOnArguments(schema);
  for (size_t i = 0; i < std::min(schema.arguments().size(), node.inputs().size()); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    if (!IsLimited(schema, argument)) continue;
    const auto value = ValueOf(*node.inputs()[i]);
    if (!value) {
      is_known = false;
      continue;
    }
    const std::string refusal = RefusalOf(schema, argument, *value);
    if (!refusal.empty()) {
      return InvalidArgument("{}: {}: {}", function, node.kind().toQualString(), refusal);
    }
  }
  return is_known;
}

absl::Status CheckArguments(const std::string& function, jit::Node& node) {
  const c10::FunctionSchema* const schema = node.maybeSchema();
  if (schema == nullptr || !NeedsCheck(*schema)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const bool is_good, IsKnownToBeGood(function, node, *schema));
  if (is_good) return absl::OkStatus();
  jit::Node* const check = node.owningGraph()->create(c10::Symbol::fromQualString(kCheckArguments),
                                                      node.inputs(), /*num_outputs=*/0);
  check->s_(kOperator, schema->name());
  check->s_(kOverload, schema->overload_name());
  check->setSourceRange(node.sourceRange());
  check->insertBefore(&node);
  return absl::OkStatus();
}

void AddNodes(at::ArrayRef<const jit::Block*> blocks, std::vector<jit::Node*>& nodes) {
  for (const jit::Block* const block : blocks) {
    for (const jit::Node* const node : block->nodes()) {
      nodes.push_back(const_cast<jit::Node*>(node));
      AddNodes(node->blocks(), nodes);
    }
  }
}

// All nodes, also those within others.
std::vector<jit::Node*> NodesOf(const jit::Graph& graph) {
  std::vector<jit::Node*> nodes;
  AddNodes({graph.block()}, nodes);
  return nodes;
}

// Goes through the objects that a module holds.
class ObjectCheck {
 public:
  absl::Status Check(const c10::IValue& value, const c10::Type& type, const std::string& name,
                     int depth = 0) {
    if (depth > kMostDepth) return InvalidArgument("{} is nested too deeply", name);
    if (!value.type()->isSubtypeOf(type)) {
      return InvalidArgument("{} is a {} instead of a {}", name, value.type()->str(), type.str());
    }
    if (value.isTensor()) tensors_.push_back(value.toTensor());
    if (value.isObject()) return CheckObject(*value.toObject(), name, depth);
    if (value.isTuple()) {
      for (const c10::IValue& part : value.toTupleRef().elements()) {
        RETURN_IF_ERROR(Check(part, *part.type(), name, depth + 1));
      }
    } else if (value.isList()) {
      const c10::TypePtr element = value.toList().elementType();
      for (const c10::IValue& part : value.toList().vec()) {
        RETURN_IF_ERROR(Check(part, *element, name, depth + 1));
      }
    } else if (value.isGenericDict()) {
      const auto dict = value.toGenericDict();
      for (const auto& item : dict) {
        RETURN_IF_ERROR(Check(item.key(), *dict.keyType(), name, depth + 1));
        RETURN_IF_ERROR(Check(item.value(), *dict.valueType(), name, depth + 1));
      }
    }
    return absl::OkStatus();
  }

  std::vector<torch::Tensor> TakeTensors() { return std::move(tensors_); }

 private:
  static constexpr int kMostDepth = 200;

  absl::Status CheckObject(const c10::ivalue::Object& object, const std::string& name, int depth) {
    if (!seen_.insert(&object).second) return absl::OkStatus();
    const c10::ClassType& type = *object.type();
    if (object.slots().size() < type.numAttributes()) {
      return InvalidArgument("{} has not all attributes of a {}", name, type.str());
    }
    for (size_t i = 0; i < type.numAttributes(); ++i) {
      RETURN_IF_ERROR(Check(object.getSlot(i), *type.getAttribute(i),
                            name + "." + type.getAttributeName(i), depth + 1));
    }
    return absl::OkStatus();
  }

  std::set<const c10::ivalue::Object*> seen_;
  std::vector<torch::Tensor> tensors_;
};

}  // namespace

absl::StatusOr<std::vector<torch::Tensor>> CheckObjects(const jit::Module& module) {
  ObjectCheck check;
  RETURN_IF_ERROR(check.Check(c10::IValue(module._ivalue()), *module.type(), "the module"));
  return check.TakeTensors();
}

void AddConstants(const jit::Graph& graph, std::vector<torch::Tensor>& tensors) {
  for (const jit::Node* const node : NodesOf(graph)) {
    if (node->kind() != c10::prim::Constant) continue;
    const auto value = jit::toIValue(node->output());
    if (!value) continue;
    value->visit([&](const c10::IValue& part) {
      if (part.isTensor()) tensors.push_back(part.toTensor());
      return false;
    });
  }
}

void ShareVersions(const std::vector<torch::Tensor>& tensors) {
  std::map<const c10::StorageImpl*, const torch::Tensor*> first;
  for (const torch::Tensor& tensor : tensors) {
    if (!tensor.defined() || !tensor.has_storage() || tensor.is_inference()) continue;
    const auto [it, is_new] = first.try_emplace(tensor.storage().unsafeGetStorageImpl(), &tensor);
    if (is_new) continue;
    tensor.unsafeGetTensorImpl()->set_version_counter(
        it->second->unsafeGetTensorImpl()->version_counter());
  }
}

absl::Status GuardFunction(const std::string& name, jit::Graph& graph) {
  for (jit::Node* const node : NodesOf(graph)) {
    const bool is_cast = node->kind() == c10::prim::unchecked_cast ||
                         node->kind() == c10::prim::unchecked_unwrap_optional;
    if (is_cast) {
      CheckCast(*node);
    } else {
      RETURN_IF_ERROR(CheckArguments(name, *node));
    }
  }
  return absl::OkStatus();
}

}  // namespace tidemill::models

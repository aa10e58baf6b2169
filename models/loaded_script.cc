#include "models/loaded_script.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "torch/csrc/jit/api/function_impl.h"

#include "caffe2/serialize/inline_container.h"
#include "models/script_guards.h"
#include "models/torch/guard.h"
#include "transform/script_rules/allowed_operators.h"
#include "transform/script_rules/script_archive.h"
#include "transform/script_rules/script_file.h"

namespace tidemill::models {
namespace {

namespace jit = torch::jit;

// Classes of C++ code.
constexpr std::string_view kForeignClass = "__torch__.torch.classes";

class NoWarnings final : public c10::WarningHandler {
 public:
#if TORCH_VERSION_MAJOR >= 2
  void process(const c10::Warning& /*warning*/) override {}
#else
  void process(const c10::SourceLocation& /*where*/, const std::string& /*text*/,
               bool /*verbatim*/) override {}
#endif
};

c10::WarningHandler* Nowhere() {
  static NoWarnings* const handler = new NoWarnings();  // Used until the process ends.
  return handler;
}

// Checks the bytes that libtorch reads, through its own reader: another reader might find other
// bytes.
absl::Status CheckRecords(const std::string& file) {
  ASSIGN_OR_RETURN(const ScriptArchive archive, ScriptArchive::Open(file, file.size()));
  std::istringstream stream(file);
  caffe2::serialize::PyTorchStreamReader reader(&stream);
  std::vector<std::string> found = reader.getAllRecords();
  std::vector<std::string> names;
  for (const ScriptRecord& record : archive.records()) names.push_back(record.name);
  std::ranges::sort(found);
  std::ranges::sort(names);
  if (found != names) return InvalidArgument("its table of contents is damaged");
  return CheckScript(archive.records(),
                     [&](size_t index) -> absl::StatusOr<std::optional<std::string>> {
                       const auto [bytes, size] = reader.getRecord(archive.records()[index].name);
                       return std::string(static_cast<const char*>(bytes.get()), size);
                     });
}

bool IsForeign(const c10::Type& type) {
  const auto* const named = type.castRaw<c10::ClassType>();
  return named != nullptr && named->name() &&
         named->name()->qualifiedName().starts_with(kForeignClass);
}

// Whether libtorch itself compares such values: not by a method of the script.
bool IsPlain(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::IntType:
    case c10::TypeKind::FloatType:
    case c10::TypeKind::BoolType:
    case c10::TypeKind::StringType:
    case c10::TypeKind::TensorType:
      return true;
    case c10::TypeKind::TupleType:
      return std::ranges::all_of(type.containedTypes(),
                                 [](const c10::TypePtr& part) { return IsPlain(*part); });
    default:
      return false;
  }
}

// An order that a method of the script makes up leads std::sort out of the list.
bool SortsByMethod(const jit::Node& node, const c10::FunctionSchema& schema) {
  const bool sorts = schema.name() == "aten::sort" || schema.name() == "aten::sorted";
  if (!sorts || schema.overload_name() != "any") return false;
  const auto* const list = node.inputs()[0]->type()->castRaw<c10::ListType>();
  return list == nullptr || !IsPlain(*list->getElementType());
}

absl::Status CheckGraph(const std::string& function, at::ArrayRef<const jit::Block*> blocks);

absl::Status CheckNode(const std::string& function, const jit::Node& node) {
  const std::string kind = node.kind().toQualString();
  if (!IsGraphNode(kind)) {
    const std::string_view instead = InsteadOf(kind);
    return InvalidArgument("{}: {} is not among the operators that a script may use{}{}", function,
                           kind, instead.empty() ? "" : ": ", instead);
  }
  if (const c10::FunctionSchema* const schema = node.maybeSchema()) {
    if (SortsByMethod(node, *schema)) {
      return InvalidArgument("{}: {} of objects is not among the operators that a script may use",
                             function, kind);
    }
    // Few scripts need them, and libtorch checks them less than others.
    const auto is_out = [](const c10::Argument& argument) { return argument.is_out(); };
    if (std::ranges::any_of(schema->arguments(), is_out)) {
      return InvalidArgument("{}: {} with `out` is not among the operators that a script may use",
                             function, kind);
    }
  }
  for (const jit::Value* const output : node.outputs()) {
    if (IsForeign(*output->type())) {
      return InvalidArgument("{}: {} is not among the classes that a script may use", function,
                             output->type()->str());
    }
  }
  for (const auto& name : node.attributeNames()) {
    if (node.kindOf(name) == jit::AttributeKind::g || node.kindOf(name) == jit::AttributeKind::gs) {
      return InvalidArgument("{}: {} has a graph within", function, kind);
    }
  }
  return CheckGraph(function, node.blocks());
}

absl::Status CheckGraph(const std::string& function, at::ArrayRef<const jit::Block*> blocks) {
  for (const jit::Block* const block : blocks) {
    for (const jit::Node* const node : block->nodes()) RETURN_IF_ERROR(CheckNode(function, *node));
  }
  return absl::OkStatus();
}

absl::Status CheckFunctions(const jit::Module& module) {
  for (jit::Function* const function : module._ivalue()->compilation_unit()->get_functions()) {
    jit::GraphFunction* const compiled = jit::tryToGraphFunction(*function);
    const std::string& name = function->qualname().qualifiedName();
    if (compiled == nullptr) return InvalidArgument("{} is not a function of a script", name);
    RETURN_IF_ERROR(CheckGraph(name, {std::as_const(*compiled->graph()).block()}));
  }
  return absl::OkStatus();
}

// The module, checked; nothing of it has run.
absl::StatusOr<jit::Module> Load(const std::string& file) {
  constexpr std::string_view kArchive("PK\x03\x04", 4);
  // libtorch has other formats, which run other code.
  if (!file.starts_with(kArchive)) return InvalidArgument("it is not a TorchScript file");
  const absl::Status checked = Guard("reading it", [&] { return CheckRecords(file); });
  if (!checked.ok()) return InvalidArgument("{}", std::string(checked.message()));
  const QuietScript quiet;
  auto loaded = Guard("loading TorchScript", [&]() -> absl::StatusOr<jit::Module> {
    std::istringstream stream(file);
    return jit::load(stream, torch::kCPU);
  });
  if (!loaded.ok()) return InvalidArgument("{}", std::string(loaded.status().message()));
  RETURN_IF_ERROR(Guard("looking at its graphs", [&] { return CheckFunctions(*loaded); }));
  return loaded;
}

absl::Status AddGuards(const jit::Module& module) {
  ASSIGN_OR_RETURN(std::vector<torch::Tensor> tensors, CheckObjects(module));
  for (jit::Function* const function : module._ivalue()->compilation_unit()->get_functions()) {
    const auto graph = jit::toGraphFunction(*function).graph();
    AddConstants(*graph, tensors);
    RETURN_IF_ERROR(GuardFunction(function->qualname().qualifiedName(), *graph));
  }
  ShareVersions(tensors);
  return absl::OkStatus();
}

}  // namespace

QuietScript::QuietScript() : guard_(Nowhere()) {}

absl::StatusOr<jit::Module> LoadScript(const std::string& file) {
  ASSIGN_OR_RETURN(jit::Module loaded, Load(file));
  RETURN_IF_ERROR(Guard("looking at its objects", [&] { return AddGuards(loaded); }));
  return loaded;
}

absl::StatusOr<jit::Module> LoadScriptToExport(const std::string& file) { return Load(file); }

}  // namespace tidemill::models

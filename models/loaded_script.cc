#include "models/loaded_script.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "torch/csrc/jit/api/function_impl.h"

#include "caffe2/serialize/inline_container.h"
#include "models/guard.h"
#include "models/script/allowed_operators.h"
#include "models/script/script_archive.h"
#include "models/script/script_file.h"

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

// What libtorch reads is checked, and by its own reader: another one might find other bytes.
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

absl::Status CheckGraph(const std::string& function, at::ArrayRef<const jit::Block*> blocks);

absl::Status CheckNode(const std::string& function, const jit::Node& node) {
  const std::string kind = node.kind().toQualString();
  if (!IsGraphNode(kind)) {
    return InvalidArgument("{}: {} is not among the operators that a script may use", function,
                           kind);
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

}  // namespace

QuietScript::QuietScript() : guard_(Nowhere()) {}

absl::StatusOr<jit::Module> LoadScript(const std::string& file) {
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

}  // namespace tidemill::models

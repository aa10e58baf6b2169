#include "transform/plugin/declared_op.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "nlohmann/json.hpp"

#include "base/digest.h"
#include "base/mutex.h"
#include "base/printable.h"
#include "config/config.h"
#include "plugin/process/fault.h"
#include "plugin/process/taken_plugin.h"
#include "plugin/spec/json_fields.h"
#include "transform/engine/shapes.h"

namespace tidemill::transform {
namespace {

using batch::DataType;
using nlohmann::json;

constexpr size_t kMaxOutputs = 100;
// Numbers of a row that an op makes. A block of answers has 64 MiB.
constexpr int64_t kMaxRowBytes = int64_t{4} << 20;
// Nothing of an op is drawn unless the plug-in does.
constexpr uint64_t kOpSeed = 0;

constexpr std::array kColumnTypes = {DataType::kInt64,   DataType::kInt32,   DataType::kUInt8,
                                     DataType::kFloat32, DataType::kFloat64, DataType::kBinary};

json InputsFor(std::span<const ColumnSchema> inputs) {
  json described = json::array();
  for (const ColumnSchema& input : inputs) {
    described.push_back({{"name", input.name},
                         {"type", std::string(batch::NameOf(input.type))},
                         {"shape", input.shape}});
  }
  return described;
}

std::optional<DataType> TypeNamed(const std::string& name) {
  for (const DataType type : kColumnTypes) {
    if (batch::NameOf(type) == name) return type;
  }
  return std::nullopt;
}

// The numbers in a row; std::nullopt for what is not a shape.
std::optional<std::vector<int64_t>> ReadShape(const json& said) {
  std::vector<int64_t> shape;
  int64_t width = 1;
  for (const json& size : plugin::ListAt(said, "shape")) {
    const int64_t length = size.is_number_integer() ? size.get<int64_t>() : 0;
    if (length < 1 || length > kMaxWidth / width) return std::nullopt;
    width *= length;
    shape.push_back(length);
  }
  if (shape.size() > batch::kMaxDimensions) return std::nullopt;
  return shape;
}

absl::StatusOr<ColumnSchema> ReadOutput(const json& said) {
  ColumnSchema output;
  if (said.is_object()) output.name = plugin::TextAt(said, "name");
  if (output.name.empty() || output.name.size() > batch::kMaxNameBytes ||
      !IsPrintable(output.name)) {
    return InvalidArgument("outputs: '{}' is not a valid name for a column",
                           Printable(output.name).substr(0, 60));
  }
  const auto type = TypeNamed(plugin::TextAt(said, "type"));
  if (!type) return InvalidArgument("outputs: the column {} has no known type", output.name);
  auto shape = ReadShape(said);
  if (!shape || (*type == DataType::kBinary && !shape->empty())) {
    return InvalidArgument("outputs: the column {} has no valid shape", output.name);
  }
  output.type = *type;
  output.shape = *std::move(shape);
  return output;
}

// The recent answers of plug-ins. Failures are not kept, because they may be repaired.
class Declarations {
 public:
  std::optional<DeclaredOp> Find(const std::string& key) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    const auto found = std::ranges::find(kept_, key, &Kept::key);
    if (found == kept_.end()) return std::nullopt;
    return found->declared;
  }
  void Keep(const std::string& key, const DeclaredOp& declared) ABSL_LOCKS_EXCLUDED(mutex_) {
    constexpr size_t kMaxKept = 100;
    MutexLock lock(mutex_);
    kept_.push_front({key, declared});
    if (kept_.size() > kMaxKept) kept_.pop_back();
  }

 private:
  struct Kept {
    std::string key;
    DeclaredOp declared;
  };

  Mutex mutex_;
  std::deque<Kept> kept_ ABSL_GUARDED_BY(mutex_);
};

Declarations& OfThisProcess() {
  static auto* const declarations = new Declarations();
  return *declarations;
}

// All that an answer depends on.
std::string KeyOf(const plugin::PluginUse& use, std::span<const ColumnSchema> inputs) {
  const plugin::HostSettings settings = plugin::HostSettingsOf(use);
  const std::string described =
      InputsFor(inputs).dump(-1, ' ', false, json::error_handler_t::replace);
  return Sha256(fmt::format("{}\n{}\n{}\n{}", config::Print(use), described, settings.python,
                            settings.sandbox));
}

}  // namespace

absl::StatusOr<DeclaredOp> ReadDeclaredOp(const json& created) {
  const json outputs = plugin::ListAt(created, "outputs");
  if (outputs.empty() || outputs.size() > kMaxOutputs) {
    return InvalidArgument("outputs: an op makes 1 to {} columns, but it declares {}", kMaxOutputs,
                           outputs.size());
  }
  DeclaredOp declared{.outputs = {}, .fits = plugin::BoolAt(created, "fits")};
  int64_t row_bytes = 0;
  for (const json& said : outputs) {
    ASSIGN_OR_RETURN(ColumnSchema output, ReadOutput(said));
    if (std::ranges::count(declared.outputs, output.name, &ColumnSchema::name) > 0) {
      return InvalidArgument("outputs: the column {} is declared twice", output.name);
    }
    row_bytes += output.Width() * static_cast<int64_t>(batch::SizeOf(output.type));
    if (row_bytes > kMaxRowBytes) {
      return InvalidArgument("outputs: a row of them has more than {} bytes", kMaxRowBytes);
    }
    declared.outputs.push_back(std::move(output));
  }
  return declared;
}

absl::StatusOr<DeclaredOp> DeclarationOf(const plugin::PluginUse& use,
                                         std::span<const ColumnSchema> inputs) {
  const std::string key = KeyOf(use, inputs);
  if (auto known = OfThisProcess().Find(key)) return *std::move(known);
  ASSIGN_OR_RETURN(const json created, MakeOpInstance(use, inputs)->Created());
  auto declared = ReadDeclaredOp(created);
  if (!declared.ok()) return Annotate(declared.status(), use.use);
  OfThisProcess().Keep(key, *declared);
  return declared;
}

std::unique_ptr<plugin::PluginInstance> MakeOpInstance(const plugin::PluginUse& use,
                                                       std::span<const ColumnSchema> inputs) {
  auto instance = std::make_unique<plugin::PluginInstance>(
      use, kOpPlugin, kOpSeed, plugin::HostSettingsOf(use), json{{"inputs", InputsFor(inputs)}});
  instance->KeepProcess();
  return instance;
}

absl::Status NoRowsFault(const absl::Status& failure) {
  if (plugin::IsOfMachine(failure)) return failure;
  return plugin::WithTraceback(FailedPrecondition("{}", std::string(failure.message())),
                               plugin::TracebackOf(failure));
}

}  // namespace tidemill::transform

#include "transform/ops/plugin_op.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <span>
#include <utility>

#include "fmt/format.h"

#include "config/documents/problems.h"
#include "plugin/process/fault.h"
#include "plugin/process/taken_plugin.h"
#include "transform/plugin/declared_op.h"
#include "transform/plugin/instance_pool.h"
#include "transform/plugin/made_columns.h"
#include "transform/plugin/plugin_fitter.h"
#include "transform/plugin/plugin_rows.h"
#include "transform/plugin/row_blocks.h"

namespace tidemill::transform {
namespace {

// The bytes of a block of rows, of inputs and outputs: small enough that it stays in the
// processor's cache on its way, large enough that a call costs little beside it.
constexpr int64_t kBlockBytes = int64_t{2} << 20;
constexpr int64_t kBlockRows = 65'536;

class PluginOp final : public Op {
 public:
  PluginOp(const plugin::PluginUse& use, std::vector<BoundColumn> inputs,
           std::vector<BoundColumn> outputs, bool fits)
      : use_(use),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        fits_(fits),
        row_bytes_(FixedRowBytes(inputs_) + FixedRowBytes(outputs_)),
        instances_(use, SchemasOf(inputs_)) {}

  absl::Status Run(std::span<const Learned> learned, Frame& frame) const override {
    std::string state;
    if (fits_) {
      ASSIGN_OR_RETURN(const Learned* entry, FindLearned(learned, "", kPluginState));
      if (entry->words.size() == 1) state = entry->words[0];
    }
    MadeColumns made(outputs_, frame.num_rows());
    const std::vector<int64_t> rows = frame.GoodRows();
    if (!rows.empty()) RETURN_IF_ERROR(Make(rows, state, made, frame));
    made.Finish(frame);
    return absl::OkStatus();
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph&) const override {
    return FailedPrecondition("it is a plug-in, which runs in its own process");
  }

  std::unique_ptr<OpFitter> NewFitter() const override {
    if (!fits_) return nullptr;
    return std::make_unique<PluginFitter>(use_, inputs_);
  }

 private:
  absl::Status Make(std::span<const int64_t> rows, const std::string& state, MadeColumns& made,
                    Frame& frame) const {
    ASSIGN_OR_RETURN(const batch::Batch inputs, InputsOf(frame, inputs_));
    auto instance = instances_.Take(state);
    PluginRows pass(use_.use, *instance, inputs, BlockSize(row_bytes_, kBlockBytes, kBlockRows),
                    has_made_, made, frame);
    const absl::Status status = pass.Run(rows);
    instances_.PutBack(std::move(instance));
    return status;
  }

  const plugin::PluginUse use_;
  const std::vector<BoundColumn> inputs_;
  const std::vector<BoundColumn> outputs_;
  const bool fits_;
  const int64_t row_bytes_;
  // Whether the plug-in has ever made a row.
  mutable std::atomic<bool> has_made_ = false;
  mutable InstancePool instances_;
};

// The columns named, as far as there are such.
std::vector<BoundColumn> FindInputs(const std::vector<std::string>& names, OpBuilder& builder) {
  std::vector<BoundColumn> inputs;
  if (names.empty()) builder.Problem("columns", "names none", "name at least one column");
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string field = fmt::format("columns[{}]", i);
    if (std::find(names.begin(), names.begin() + static_cast<ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<ptrdiff_t>(i)) {
      builder.Problem(field, fmt::format("column {} is named twice", names[i]));
    } else if (const std::optional<BoundColumn> input = builder.Input(field, names[i])) {
      inputs.push_back(*input);
    }
  }
  return inputs;
}

}  // namespace

std::unique_ptr<Op> PluginOpSpec::Build(OpBuilder& builder) const {
  std::vector<BoundColumn> inputs = FindInputs(columns, builder);
  if (inputs.empty() || inputs.size() != columns.size()) return nullptr;
  const auto said = DeclarationOf(*this, SchemasOf(inputs));
  if (plugin::IsOfMachine(said.status())) {
    builder.Fail(said.status());
    return nullptr;
  }
  if (!said.ok()) {
    const std::string traceback = plugin::TracebackOf(said.status());
    builder.Problem("use", std::string(said.status().message()),
                    traceback.empty() ? "see the guide on policies of your own" : traceback);
    return nullptr;
  }
  if (said->fits) builder.MarkFitted();
  std::vector<BoundColumn> outputs;
  for (const ColumnSchema& output : said->outputs) {
    outputs.push_back(builder.Output("use", output));
  }
  return std::make_unique<PluginOp>(*this, std::move(inputs), std::move(outputs), said->fits);
}

void PluginOpSpec::TakeFiles(config::NamedFiles& beside, config::Problems& problems) {
  // `create` needs the inputs, which Build() knows.
  plugin::TakePlugin(*this, kOpPlugin, beside, problems, /*check=*/{});
}

}  // namespace tidemill::transform

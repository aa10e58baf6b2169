// torchscript: runs rows through a user's program.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "batch/batch.h"
#include "config/column_list.h"
#include "transform/engine/graph_op.h"
#include "transform/ops/numbers/cast.h"

namespace tidemill::config {
class Problems;
}

namespace tidemill::transform {

struct TorchScriptSpec {
  static constexpr std::string_view kType = "torchscript";
  static constexpr std::string_view kDoc =
      "Passes rows through the `forward` of a TorchScript file. It takes the columns in the given "
      "order, each as a tensor [rows, ...], and gives one tensor [rows, ...]. The result for a row "
      "must not depend on other rows. It runs in its own process. If the process dies or "
      "takes too long, the row that caused this is left out. The file is kept with the pipeline. "
      "It may hold arithmetic on tensors and nothing else.";
  static constexpr bool kIsRandom = false;
  std::string file = {};
  std::string program = {};
  config::ColumnList columns = {};
  CastType dtype = CastType::kFloat32;
  std::vector<int64_t> shape = {};
  std::string into = {};
  Duration timeout = {60'000'000};

  void Fields(auto&& field) {
    field("file", file, "The file, below the pipeline's folder or a folder with data.",
          config::Limits{.example = "tokens.pt"});
    field("program", program,
          "Instead of `file`, its content in base64. The pipeline is kept with this.");
    field("columns", columns,
          "The columns of numbers that forward() takes, each as an argument, in their order.",
          config::Limits{.required = true, .example = "[image]"});
    field("dtype", dtype, "Type of the result.");
    field("shape", shape, "Shape of a row of the result. Empty for one number.",
          config::Limits{.min = 1, .max = 1e6, .example = "[16]"});
    field("into", into, "Name of the column to make.",
          config::Limits{.required = true, .example = "embedding"});
    field("timeout", timeout, "Longest time for a block of rows.", config::Limits{.min = 0.1});
  }
  void Check(config::Problems& problems) const;
  std::unique_ptr<Op> Build(OpBuilder& builder) const;

  friend bool operator==(const TorchScriptSpec&, const TorchScriptSpec&) = default;
};

template <>
class GraphOpOf<TorchScriptSpec> final : public GraphOpBase<TorchScriptSpec> {
 public:
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) override;
};

}  // namespace tidemill::transform

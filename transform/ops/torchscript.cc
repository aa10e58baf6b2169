#include "transform/ops/torchscript.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <utility>

#include "absl/strings/escaping.h"
#include "fmt/format.h"

#include "base/mutex.h"
#include "config/documents/problems.h"
#include "transform/engine/numbers.h"
#include "transform/engine/shapes.h"
#include "transform/script/script_process.h"
#include "transform/script_rules/script_archive.h"

namespace tidemill::transform {
namespace {

// A program that dies of this many rows before it has made any is broken; each costs a new process.
constexpr int kMaxDeaths = 8;

constexpr size_t kMaxProgramBytes = size_t{4} << 20;
// Stands for a program that cannot be read, so that the rest is checked.
constexpr char kNoProgram[] = "AA==";
constexpr std::string_view kArchive = "PK";
constexpr char kOperators[] =
    "a program may hold arithmetic on tensors only: leave out what is not, and write it again with "
    "torch.jit.script(module).save(path)";

// Whether it may run; adds a problem if not.
bool CheckProgram(std::string_view field, std::string_view bytes, config::Problems& problems) {
  const absl::Status checked = models::CheckScriptTail(bytes, bytes.size());
  if (checked.ok()) return true;
  problems.Add(field, std::string(checked.message()), kOperators);
  return false;
}

// One pass over the rows of a frame with one process, which is replaced when it dies.
class Pass {
 public:
  using Starter = std::function<absl::StatusOr<std::unique_ptr<ScriptProcess>>()>;

  Pass(const ScriptLayout& layout, std::vector<const batch::Column*> inputs, std::byte* made,
       Frame& frame, Starter start)
      : layout_(layout),
        inputs_(std::move(inputs)),
        made_(made),
        frame_(frame),
        start_(std::move(start)) {}

  // Fails when no process can be had, or the program dies of all that it is given.
  absl::Status Run(std::span<const int64_t> rows, std::unique_ptr<ScriptProcess>& process) {
    const int64_t most = layout_.num_blocks() * kScriptRows;
    while (!rows.empty()) {
      const auto piece = rows.first(static_cast<size_t>(std::min<int64_t>(most, std::ssize(rows))));
      RETURN_IF_ERROR(RunPiece(piece, process));
      rows = rows.subspan(piece.size());
    }
    return absl::OkStatus();
  }

 private:
  // A block that cannot be run as a whole is run in halves, down to the row that causes the error.
  absl::Status RunPiece(std::span<const int64_t> rows, std::unique_ptr<ScriptProcess>& process) {
    if (process == nullptr) {
      ASSIGN_OR_RETURN(process, start_());
    }
    Fill(rows, process->memory());
    const absl::Status ran = process->Run((std::ssize(rows) + kScriptRows - 1) / kScriptRows);
    if (ran.ok()) {
      Take(rows, process->memory());
      has_made_ = true;
      return absl::OkStatus();
    }
    if (ran.code() == absl::StatusCode::kUnavailable) {
      process.reset();
      if (++num_deaths_ >= kMaxDeaths && !has_made_) {
        return FailedPrecondition("torchscript: the program dies with every row: {}",
                                  std::string(ran.message()));
      }
    }
    if (rows.size() == 1) {
      frame_.Reject(rows[0], fmt::format("torchscript: {}", std::string(ran.message())));
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(RunPiece(rows.first(rows.size() / 2), process));
    return RunPiece(rows.subspan(rows.size() / 2), process);
  }

  // The rest of the last block is its last row again.
  void Fill(std::span<const int64_t> rows, std::byte* memory) const {
    const int64_t num_rows = std::ssize(rows);
    const int64_t padded = (num_rows + kScriptRows - 1) / kScriptRows * kScriptRows;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const int64_t bytes = RowBytes(layout_.inputs()[i]);
      const std::byte* const from = inputs_[i]->data.data();
      for (int64_t row = 0; row < padded; ++row) {
        std::byte* const block = memory + layout_.InputAt(i, row / kScriptRows);
        std::memcpy(block + row % kScriptRows * bytes,
                    from + rows[static_cast<size_t>(std::min(row, num_rows - 1))] * bytes,
                    static_cast<size_t>(bytes));
      }
    }
  }

  void Take(std::span<const int64_t> rows, const std::byte* memory) const {
    const int64_t bytes = RowBytes(layout_.output());
    for (int64_t row = 0; row < std::ssize(rows); ++row) {
      const std::byte* const block = memory + layout_.OutputAt(row / kScriptRows);
      std::memcpy(made_ + rows[static_cast<size_t>(row)] * bytes, block + row % kScriptRows * bytes,
                  static_cast<size_t>(bytes));
    }
  }

  const ScriptLayout& layout_;
  const std::vector<const batch::Column*> inputs_;
  std::byte* const made_;
  Frame& frame_;
  const Starter start_;
  int num_deaths_ = 0;
  bool has_made_ = false;
};

class TorchScriptOp final : public Op {
 public:
  TorchScriptOp(const TorchScriptSpec& spec, std::vector<BoundColumn> inputs, BoundColumn output)
      : base64_(spec.program),
        timeout_(spec.timeout),
        inputs_(std::move(inputs)),
        output_(std::move(output)),
        layout_(SchemasOf(inputs_), output_.schema) {}

  absl::Status Run(std::span<const Learned>, Frame& frame) const override {
    batch::Column made{
        .name = output_.schema.name, .type = output_.schema.type, .shape = output_.schema.shape};
    made.data =
        batch::Buffer::Allocate(static_cast<size_t>(frame.num_rows() * RowBytes(output_.schema)));
    std::vector<const batch::Column*> columns;
    for (const BoundColumn& input : inputs_) columns.push_back(&frame.Get(input.slot));
    Pass pass(layout_, std::move(columns), made.data.mutable_data(), frame,
              [this] { return Start(); });
    std::unique_ptr<ScriptProcess> process = TakeIdle();
    const absl::Status status = pass.Run(frame.GoodRows(), process);
    if (process != nullptr) PutBack(std::move(process));
    RETURN_IF_ERROR(status);
    frame.Set(output_.slot, std::move(made));
    return absl::OkStatus();
  }

  absl::Status WriteSteps(std::span<const Learned>, PortableGraph&) const override {
    return FailedPrecondition("it is a program of a user, which runs in its own process");
  }

 private:
  static std::vector<ColumnSchema> SchemasOf(const std::vector<BoundColumn>& columns) {
    std::vector<ColumnSchema> schemas;
    for (const BoundColumn& column : columns) schemas.push_back(column.schema);
    return schemas;
  }

  absl::StatusOr<std::unique_ptr<ScriptProcess>> Start() const {
    std::string program;
    if (!absl::Base64Unescape(base64_, &program) || program.empty()) {
      return FailedPrecondition("torchscript: the graph does not contain the program");
    }
    auto process = ScriptProcess::Start(layout_, program, timeout_);
    if (process.ok()) return process;
    return absl::Status(process.status().code(),
                        fmt::format("torchscript: the program cannot be loaded: {}",
                                    std::string(process.status().message())));
  }

  std::unique_ptr<ScriptProcess> TakeIdle() const ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<ScriptProcess> process = std::move(idle_.back());
    idle_.pop_back();
    return process;
  }
  void PutBack(std::unique_ptr<ScriptProcess> process) const ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(mutex_);
    idle_.push_back(std::move(process));
  }

  const std::string base64_;
  const Duration timeout_;
  const std::vector<BoundColumn> inputs_;
  const BoundColumn output_;
  const ScriptLayout layout_;
  // At most as many as threads ever ran the op at once.
  mutable Mutex mutex_;
  mutable std::vector<std::unique_ptr<ScriptProcess>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

void TorchScriptSpec::Check(config::Problems& problems) const {
  if (file.empty() == program.empty()) {
    problems.Add("", "needs either file or program", "write {file: tokens.pt}");
  }
  std::string bytes;
  if (!program.empty() && !absl::Base64Unescape(program, &bytes)) {
    problems.Add("program", "is not base64", "give the name of the file as `file` instead");
  }
  if (bytes.starts_with(kArchive)) CheckProgram("program", bytes, problems);
}

std::unique_ptr<Op> TorchScriptSpec::Build(OpBuilder& builder) const {
  const size_t num_problems = builder.problems().size();
  std::vector<BoundColumn> inputs = builder.Inputs("columns", columns, Accepts::kNumbers);
  ColumnSchema schema{.name = into, .type = ColumnType(dtype), .shape = shape};
  if (!CheckShape(builder, "shape", schema.shape)) schema.shape.clear();
  BoundColumn output = builder.Output("into", std::move(schema));
  if (builder.problems().size() > num_problems) return nullptr;
  return std::make_unique<TorchScriptOp>(*this, std::move(inputs), std::move(output));
}

void GraphOpOf<TorchScriptSpec>::TakeFiles(config::NamedFiles& files, config::Problems& problems) {
  if (spec_.file.empty()) return;
  const std::string name = std::exchange(spec_.file, {});
  spec_.program = kNoProgram;
  const auto bytes = files.Read(name, kMaxProgramBytes, "file", problems);
  if (!bytes) return;
  if (!bytes->starts_with(kArchive)) {
    problems.Add("file", fmt::format("{} is not a TorchScript file", name),
                 "write it with torch.jit.script(module).save(path)");
  } else if (CheckProgram("file", *bytes, problems)) {
    spec_.program = absl::Base64Escape(*bytes);
  }
}

}  // namespace tidemill::transform

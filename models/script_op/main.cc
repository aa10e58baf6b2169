// tidemill-transform-script: runs a user's TorchScript on rows in shared memory. Started by the op
// `torchscript` (script_protocol.h), never by hand.
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "torch/script.h"

#include "CLI/CLI.hpp"
#include "base/sandbox/allowed_files.h"
#include "base/sandbox/system_calls.h"
#include "base/threads/worker_pool.h"
#include "models/loaded_script.h"
#include "models/torch/guard.h"
#include "models/torch/tensor_type.h"
#include "models/torch/torch_files.h"
#include "plugin/spec/host_settings.h"
#include "transform/script/script_protocol.h"

namespace tidemill::transform {
namespace {

// `column` is of numbers.
torch::Tensor RowsAt(std::byte* place, const ColumnSchema& column) {
  std::vector<int64_t> shape = column.shape;
  shape.insert(shape.begin(), kScriptRows);
  return torch::from_blob(place, shape,
                          torch::TensorOptions().dtype(*models::TensorType(column.type)));
}

// A loaded program, and its working memory.
class Script {
 public:
  Script(ScriptLayout layout, std::byte* memory) : layout_(std::move(layout)), memory_(memory) {}

  absl::Status Load(const std::string& program) {
    ASSIGN_OR_RETURN(script_, models::LoadScript(program));
    return models::Guard("loading", [&]() -> absl::Status {
      script_.eval();
      if (!script_.find_method("forward")) return InvalidArgument("it has no method forward");
      return absl::OkStatus();
    });
  }

  absl::Status Run(int64_t num_blocks) {
    return models::Guard("forward()", [&]() -> absl::Status {
      for (int64_t block = 0; block < num_blocks; ++block) RETURN_IF_ERROR(RunBlock(block));
      return absl::OkStatus();
    });
  }

 private:
  absl::Status RunBlock(int64_t block) {
    std::vector<torch::jit::IValue> arguments;
    for (size_t i = 0; i < layout_.inputs().size(); ++i) {
      arguments.emplace_back(RowsAt(memory_ + layout_.InputAt(i, block), layout_.inputs()[i]));
    }
    const torch::Tensor made = script_.forward(std::move(arguments)).toTensor();
    torch::Tensor place = RowsAt(memory_ + layout_.OutputAt(block), layout_.output());
    if (made.sizes() != place.sizes() || made.scalar_type() != place.scalar_type()) {
      std::ostringstream reason;
      reason << "forward() gives " << made.scalar_type() << " " << made.sizes() << " instead of "
             << place.scalar_type() << " " << place.sizes() << ", as the op states";
      return InvalidArgument("{}", reason.str());
    }
    place.copy_(made);
    return absl::OkStatus();
  }

  const ScriptLayout layout_;
  std::byte* const memory_;
  torch::jit::Module script_;
};

// The last line of what the interpreter says is what the user's line raised.
std::string ReasonOf(const absl::Status& failure) {
  std::string text(failure.message());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.find("failed in the TorchScript interpreter") == std::string::npos) return text;
  return text.substr(text.rfind('\n') + 1);
}

void Answer(const absl::Status& status) {
  ScriptReply reply;
  reply.is_good = status.ok() ? 1 : 0;
  const std::string reason = status.ok() ? "" : ReasonOf(status);
  std::memcpy(reply.reason, reason.data(), std::min(reason.size(), sizeof reply.reason - 1));
  // The next read notices that the owner is gone.
  [[maybe_unused]] const ssize_t sent = send(kScriptSocket, &reply, sizeof reply, MSG_NOSIGNAL);
}

// Ends this process with its owner, even while the program runs.
void WatchOwner() {
  static WorkerPool* const watcher = new WorkerPool("owner", 1);  // Until the process ends.
  watcher->Submit([] {
    pollfd events{.fd = kScriptSocket, .events = POLLRDHUP, .revents = 0};
    while (poll(&events, 1, -1) < 0) continue;
    _exit(0);
  });
}

std::string ReadProgram() {
  std::string program(static_cast<size_t>(std::max<off_t>(0, lseek(kScriptProgram, 0, SEEK_END))),
                      '\0');
  const ssize_t size = pread(kScriptProgram, program.data(), program.size(), 0);
  program.resize(static_cast<size_t>(std::max<ssize_t>(0, size)));
  close(kScriptProgram);
  return program;
}

// Gives up what a program of a user does not need: after its start that is all of the machine but
// the memory and the socket of its owner. The sandbox of plug-ins defines how much that is.
absl::Status EnterSandbox() {
  using sandbox::MayExecute;
  using sandbox::MayOpen;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return FailedPrecondition("cannot forbid new privileges: {}", strerror(errno));
  }
  const bool is_apart = plugin::HostSettings::OfThisProcess().sandbox != "none";
  if (is_apart && !sandbox::HasLandlock()) {
    return sandbox::RefuseSystemCalls(MayExecute::kNo, MayOpen::kNo);
  }
  if (is_apart) {
    sandbox::AllowedFiles files{.readable = sandbox::SystemFolders()};
    for (std::string& more : models::TorchFiles()) files.readable.push_back(std::move(more));
    RETURN_IF_ERROR(sandbox::RestrictFiles(files));
  }
  return sandbox::RefuseSystemCalls(MayExecute::kNo);
}

int Serve(const ScriptLayout& layout) {
  void* const memory = mmap(nullptr, static_cast<size_t>(layout.bytes()), PROT_READ | PROT_WRITE,
                            MAP_SHARED, kScriptMemory, 0);
  if (memory == MAP_FAILED) {
    std::perror("tidemill-transform-script: cannot map the memory of its owner");
    return 1;
  }
  Script script(layout, static_cast<std::byte*>(memory));
  const absl::Status loaded = script.Load(ReadProgram());
  Answer(loaded);
  if (!loaded.ok()) return 0;
  ScriptRequest request;
  while (recv(kScriptSocket, &request, sizeof request, 0) == sizeof request) {
    Answer(script.Run(std::min(request.num_blocks, layout.num_blocks())));
  }
  return 0;
}

int Main(int argc, char** argv) {
  CLI::App app("Runs the program of the op `torchscript`. Only the op starts it.",
               "tidemill-transform-script");
  std::vector<std::string> inputs;
  std::string output;
  app.add_option("--input", inputs, "A column that it takes: float32:3,32,32")->required();
  app.add_option("--output", output, "The column that it makes: float32:16")->required();
  CLI11_PARSE(app, argc, argv);
  std::vector<ColumnSchema> columns;
  for (const std::string& argument : inputs) {
    const auto column = FromArgument(argument);
    if (column.ok()) columns.push_back(*column);
  }
  const auto made = FromArgument(output);
  if (!made.ok() || columns.size() != inputs.size() || lseek(kScriptProgram, 0, SEEK_END) < 0) {
    std::fputs("tidemill-transform-script: only the op `torchscript` may start this program\n",
               stderr);
    return 2;
  }
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // Before there are threads: they have what this one has when it starts them.
  if (const absl::Status entered = EnterSandbox(); !entered.ok()) {
    Answer(Annotate(entered, "no sandbox for programs of users works on this machine"));
    return 0;
  }
  WatchOwner();
  at::set_num_threads(1);
  // A program that is optimised between two calls may round otherwise.
  torch::jit::setGraphExecutorOptimize(false);
  const torch::InferenceMode inference;
  const models::QuietScript quiet;
  return Serve(ScriptLayout(std::move(columns), *made));
}

}  // namespace
}  // namespace tidemill::transform

int main(int argc, char** argv) { return tidemill::transform::Main(argc, argv); }

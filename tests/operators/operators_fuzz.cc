// Calls every operator that a script of a user may use (transform/script_rules/allowed_operators.h)
// with random and extreme arguments, forward and backward, and reports what reads or writes beside
// its memory, dies, shows memory that was never written, or gives two tensors the same memory
// without libtorch's notice of changes.
//
//   operators_fuzz [--calls 1000000] [--seed 1] [--only ctc_loss] [--all] [--list]
//
// Every call runs in a child, so that one that dies is one finding. --all takes every operator of
// libtorch, to see what the list keeps out. Exit 1: there are findings.
#include <execinfo.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "torch/script.h"
#include "torch/torch.h"

#include "CLI/CLI.hpp"
#include "models/loaded_script.h"
#include "models/script_arguments.h"
#include "tests/operators/guarded_memory.h"
#include "tests/operators/random_arguments.h"
#include "transform/script_rules/allowed_operators.h"

namespace tidemill::operators {
namespace {

constexpr size_t kMaxOperators = 8192;
constexpr int kTookTooLong = 77;
constexpr uint64_t kCallsOfChild = 20000;
constexpr rlim_t kMaxMemory = rlim_t{6} << 30;
constexpr size_t kMaxCompared = size_t{1} << 20;

enum class Phase : int { kArguments, kForward, kBackward, kCompare };
constexpr std::array kPhases = {"its arguments", "forward", "backward", "the comparison"};

struct Counts {
  uint64_t calls = 0;
  uint64_t returned = 0;
  uint64_t backward = 0;
  uint64_t slow = 0;
};

// Shared by the parent and the child that makes the calls.
struct Progress {
  uint64_t call = 0;
  size_t index = 0;
  Phase phase = Phase::kArguments;
  // What the child says before it dies.
  char reason[400] = {};
  void* frames[12] = {};
  int num_frames = 0;
  Counts counts[kMaxOperators] = {};
};

Progress* progress = nullptr;

struct Outcome {
  bool has_returned = false;
  bool has_gradients = false;
  // A digest of all that a script could read afterwards.
  std::vector<std::pair<std::string, uint64_t>> seen = {};
  std::string alias = {};
};

void Say(const char* what) { std::snprintf(progress->reason, sizeof progress->reason, "%s", what); }

extern "C" void Die(int signal, siginfo_t* info, void* context) {
  if (signal == SIGALRM) _exit(kTookTooLong);
  const auto* const machine = static_cast<const ucontext_t*>(context);
  const bool writes = signal == SIGSEGV && (machine->uc_mcontext.gregs[REG_ERR] & 2) != 0;
  const AddressKind kind = KindOf(reinterpret_cast<uintptr_t>(info->si_addr));
  const bool has_place = signal == SIGSEGV || signal == SIGBUS;
  std::snprintf(progress->reason, sizeof progress->reason, "%s%s%s",
                signal == SIGFPE    ? "divides by zero"
                : signal == SIGABRT ? (*Damage() != 0 ? Damage() : "aborts")
                                    : "touches memory",
                has_place ? (writes ? ", writing, " : ", reading, ") : "",
                has_place ? kind.name : "");
  progress->num_frames = backtrace(progress->frames, 12);
  _exit(100 + signal);
}

void Catch() {
  static std::array<char, size_t{1} << 16> stack;
  const stack_t other{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_sigaction = &Die;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGALRM}) {
    sigaction(signal, &action, nullptr);
  }
}

void SetTimer(int milliseconds) {
  const itimerval time{
      .it_interval = {},
      .it_value = {.tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000}};
  setitimer(ITIMER_REAL, &time, nullptr);
}

uint64_t DigestOf(const void* bytes, size_t size) {
  uint64_t digest = 14695981039346656037ULL;
  for (size_t i = 0; i < size; ++i) {
    digest = (digest ^ static_cast<const uint8_t*>(bytes)[i]) * 1099511628211ULL;
  }
  return digest;
}

bool HasBytes(const torch::Tensor& tensor) {
  return tensor.defined() && tensor.device().is_cpu() && !tensor.is_sparse() &&
         !tensor.is_mkldnn() && tensor.layout() == c10::kStrided && tensor.has_storage() &&
         tensor.storage().nbytes() > 0 && tensor.storage().data() != nullptr;
}

// All tensors in a value.
void AddTensors(const c10::IValue& value, std::vector<torch::Tensor>& tensors) {
  value.visit([&](const c10::IValue& part) {
    if (part.isTensor() && part.toTensor().defined()) tensors.push_back(part.toTensor());
    return false;
  });
}

std::vector<torch::Tensor> TensorsOf(const torch::jit::Stack& stack) {
  std::vector<torch::Tensor> tensors;
  for (const c10::IValue& value : stack) AddTensors(value, tensors);
  return tensors;
}

void Look(Outcome& outcome, const std::string& name, const torch::Tensor& tensor) {
  if (!HasBytes(tensor)) return;
  const torch::Tensor row = tensor.detach().resolve_conj().resolve_neg().contiguous();
  const size_t size = static_cast<size_t>(row.numel()) * row.element_size();
  outcome.seen.emplace_back(name, DigestOf(row.data_ptr(), std::min(kMaxCompared, size)));
}

// A change of one tensor must be noticed where the other one was saved for the backward pass.
std::string FindSilentAlias(const std::vector<torch::Tensor>& given,
                            const std::vector<torch::Tensor>& made) {
  for (const torch::Tensor& output : made) {
    for (const torch::Tensor& input : given) {
      if (!HasBytes(output) || !HasBytes(input) || output.is_inference() || input.is_inference())
        continue;
      if (output.storage().unsafeGetStorageImpl() != input.storage().unsafeGetStorageImpl())
        continue;
      const auto before = input._version();
      output.unsafeGetTensorImpl()->bump_version();
      if (input._version() == before)
        return "its result has the memory of its argument, and own versions";
    }
  }
  return {};
}

void CallBackward(RandomArguments& arguments, const std::vector<torch::Tensor>& given,
                  const std::vector<torch::Tensor>& made, Outcome& outcome) {
  std::vector<torch::Tensor> learned;
  std::vector<torch::Tensor> roots;
  std::vector<torch::Tensor> gradients;
  for (const torch::Tensor& tensor : given) {
    if (tensor.requires_grad()) learned.push_back(tensor);
  }
  for (const torch::Tensor& tensor : made) {
    if (!tensor.requires_grad() || !HasBytes(tensor)) continue;
    roots.push_back(tensor);
    gradients.push_back(arguments.GradientOf(tensor));
  }
  if (roots.empty() || learned.empty()) return;
  progress->phase = Phase::kBackward;
  const auto results = torch::autograd::grad(roots, learned, gradients, false, false, true);
  outcome.has_gradients = true;
  for (size_t i = 0; i < results.size(); ++i) {
    Look(outcome, "gradient " + std::to_string(i), results[i]);
  }
}

Outcome CallOnce(const torch::jit::Operator& op, uint64_t seed, uint8_t fill) {
  Outcome outcome;
  progress->phase = Phase::kArguments;
  torch::manual_seed(seed);
  RandomArguments arguments(seed);
  std::vector<torch::Tensor> given;
  std::vector<torch::Tensor> made;
  try {
    auto stack = arguments.Make(op.schema());
    if (!stack) return outcome;
    if (!models::RefusalOf(op.schema(), *stack).empty()) return outcome;
    given = TensorsOf(*stack);
    auto operation = op.getOperation();
    const WatchedCall watched(seed % 2 == 0 ? Edge::kEnd : Edge::kStart, fill);
    progress->phase = Phase::kForward;
    operation(*stack);
    outcome.has_returned = true;
    made = TensorsOf(*stack);
    for (size_t i = 0; i < made.size(); ++i) {
      Look(outcome, "result " + std::to_string(i), made[i]);
    }
    outcome.alias = FindSilentAlias(given, made);
    CallBackward(arguments, given, made, outcome);
  } catch (const std::exception&) {
    return outcome;  // It was refused.
  } catch (...) {
    Say("throws something else than an exception");
    _exit(99);
  }
  return outcome;
}

void Call(const torch::jit::Operator& op) {
  Counts& counts = progress->counts[progress->index];
  ++counts.calls;
  SetTimer(1000);
  const Outcome first = CallOnce(op, progress->call, 0x00);
  const Outcome second = CallOnce(op, progress->call, 0xEB);
  SetTimer(0);
  counts.returned += first.has_returned ? 1 : 0;
  counts.backward += first.has_gradients ? 1 : 0;
  progress->phase = Phase::kCompare;
  std::string reason = first.alias;
  for (size_t i = 0; i < std::min(first.seen.size(), second.seen.size()); ++i) {
    if (first.seen[i] != second.seen[i])
      reason = first.seen[i].first + " depends on memory that was never written";
  }
  if (reason.empty()) return;
  Say(reason.c_str());
  _exit(98);
}

std::string TextOf(const c10::IValue& value) {
  std::ostringstream text;
  if (value.isTensor() && value.toTensor().defined()) {
    const torch::Tensor& tensor = value.toTensor();
    text << tensor.scalar_type() << tensor.sizes();
    if (tensor.layout() == c10::kStrided && !tensor.is_nested()) text << "/" << tensor.strides();
    if (tensor.is_nested()) text << " nested";
    if (tensor.requires_grad()) text << " learned";
    if (!tensor.is_nested() && tensor.numel() < 12) {
      text << " {";
      const torch::Tensor row = tensor.detach().resolve_conj().reshape({-1});
      for (int64_t i = 0; i < row.numel(); ++i) text << (i > 0 ? " " : "") << row[i].item();
      text << "}";
    }
  } else if (value.isTensorList()) {
    text << "[";
    for (const torch::Tensor& tensor : value.toTensorVector()) text << TextOf(tensor) << "; ";
    text << "]";
  } else {
    text << value;
  }
  return text.str();
}

// Prints the arguments of a call.
void Describe(const torch::jit::Operator& op, uint64_t seed) {
  RandomArguments arguments(seed);
  const auto stack = arguments.Make(op.schema());
  for (size_t i = 0; i < stack->size(); ++i) {
    const bool is_named = i < op.schema().arguments().size();
    std::printf("    %s = %s\n", is_named ? op.schema().arguments()[i].name().c_str() : "...",
                TextOf((*stack)[i]).c_str());
  }
  std::fflush(stdout);
}

struct Finding {
  uint64_t calls = 0;
  uint64_t first = 0;
  std::string frames = {};
};

class Fuzz {
 public:
  Fuzz(std::vector<std::shared_ptr<torch::jit::Operator>> operators, uint64_t seed)
      : operators_(std::move(operators)), seed_(seed) {}

  void Run(uint64_t from, uint64_t to) {
    for (uint64_t next = from; next < to;) {
      const uint64_t end = std::min(to, next + kCallsOfChild);
      progress->reason[0] = '\0';
      progress->num_frames = 0;
      const pid_t child = fork();
      if (child == 0) RunChild(next, end);
      int status = 0;
      waitpid(child, &status, 0);
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        next = end;
        continue;
      }
      next = progress->call - seed_ + 1;
      if (WIFEXITED(status) && WEXITSTATUS(status) == kTookTooLong) {
        ++progress->counts[progress->index].slow;
        continue;
      }
      Note(status);
    }
  }

  bool Report(bool list) const {
    uint64_t calls = 0;
    uint64_t returned = 0;
    uint64_t backward = 0;
    uint64_t slow = 0;
    for (size_t i = 0; i < operators_.size(); ++i) {
      const Counts& counts = progress->counts[i];
      calls += counts.calls;
      returned += counts.returned;
      backward += counts.backward;
      slow += counts.slow;
      if (list) {
        std::printf("%-60s %8lu calls %8lu returned %8lu backward %6lu slow\n", NameOf(i).c_str(),
                    counts.calls, counts.returned, counts.backward, counts.slow);
      }
    }
    for (const auto& [what, finding] : findings_) {
      std::printf("FOUND %s (%lu times; --seed %lu)\n%s", what.c_str(), finding.calls,
                  finding.first, finding.frames.c_str());
    }
    std::printf(
        "%lu calls of %zu operators: %lu returned, %lu of them with gradients, %lu were stopped "
        "after a second; %zu findings\n",
        calls, operators_.size(), returned, backward, slow, findings_.size());
    return findings_.empty();
  }

 private:
  std::string NameOf(size_t index) const {
    const auto& schema = operators_[index]->schema();
    return schema.overload_name().empty() ? schema.name()
                                          : schema.name() + "." + schema.overload_name();
  }

  [[noreturn]] void RunChild(uint64_t from, uint64_t to) const {
    Catch();
    for (uint64_t call = from; call < to; ++call) {
      progress->call = seed_ + call;
      progress->index = (seed_ + call) % operators_.size();
      Call(*operators_[progress->index]);
    }
    _exit(0);
  }

  void Note(int status) {
    std::string reason = progress->reason;
    if (reason.empty()) {
      reason = WIFSIGNALED(status)
                   ? std::string("is killed by signal ") + std::to_string(WTERMSIG(status))
                   : std::string("ends with ") + std::to_string(WEXITSTATUS(status));
    }
    const std::string what = NameOf(progress->index) + ": " +
                             kPhases[static_cast<size_t>(progress->phase)] + ": " + reason;
    Finding& finding = findings_[what];
    if (finding.calls++ > 0) return;
    finding.first = progress->call;
    char** const symbols = backtrace_symbols(progress->frames, progress->num_frames);
    for (int i = 2; i < progress->num_frames && i < 7; ++i) {
      std::string text = symbols[i];
      finding.frames += "    " + text.substr(text.rfind('/') + 1).substr(0, 160) + "\n";
    }
    std::printf("%s (--seed %lu)\n", what.c_str(), progress->call);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      Catch();
      Describe(*operators_[progress->index], progress->call);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }

  const std::vector<std::shared_ptr<torch::jit::Operator>> operators_;
  const uint64_t seed_;
  std::map<std::string, Finding> findings_;
};

bool WritesGiven(const c10::FunctionSchema& schema) {
  return std::ranges::any_of(schema.arguments(),
                             [](const c10::Argument& argument) { return argument.is_out(); });
}

std::vector<std::shared_ptr<torch::jit::Operator>> Operators(bool all,
                                                             const std::vector<std::string>& only) {
  std::vector<std::shared_ptr<torch::jit::Operator>> found;
  for (const auto& op : torch::jit::getAllOperators()) {
    const std::string& name = op->schema().name();
    const bool is_asked =
        only.empty() || std::ranges::find(only, name.substr(name.find("::") + 2)) != only.end();
    if (!all && WritesGiven(op->schema())) continue;
    if (is_asked && ((all && name.starts_with("aten::")) || models::IsGraphNode(name)))
      found.push_back(op);
  }
  std::ranges::sort(found, {}, [](const auto& op) {
    return op->schema().name() + "." + op->schema().overload_name();
  });
  return found;
}

int Main(int argc, char** argv) {
  CLI::App app("Calls the operators of scripts with random arguments.", "operators_fuzz");
  uint64_t calls = 100000;
  uint64_t seed = 1;
  std::vector<std::string> only;
  bool all = false;
  bool list = false;
  app.add_option("--calls", calls, "How many calls");
  app.add_option("--seed", seed, "Where the random numbers begin");
  app.add_option("--only", only, "Only operators of these names");
  app.add_flag("--all", all, "Also operators that scripts may not use");
  app.add_flag("--list", list, "Print how often each operator was called and returned");
  CLI11_PARSE(app, argc, argv);
  auto* const shared =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  progress = new (shared) Progress();
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
#ifndef __SANITIZE_ADDRESS__
  // Its shadow needs more.
  const rlimit memory{.rlim_cur = kMaxMemory, .rlim_max = kMaxMemory};
  setrlimit(RLIMIT_AS, &memory);
#endif
  at::set_num_threads(1);
  const models::QuietScript quiet;
  void* frames[2];
  backtrace(frames, 2);
  WatchMemory();
  auto operators = Operators(all, only);
  if (operators.empty() || operators.size() > kMaxOperators) {
    std::fprintf(stderr, "operators_fuzz: there is no such operator\n");
    return 2;
  }
  Fuzz fuzz(std::move(operators), seed);
  fuzz.Run(0, calls);
  return fuzz.Report(list) ? 0 : 1;
}

}  // namespace
}  // namespace tidemill::operators

int main(int argc, char** argv) { return tidemill::operators::Main(argc, argv); }

// Tries what a training does on a GPU, and prints a table. `make gpu_test` compiles it on the
// machine that has the card.
//
//   gpu_trial             on the first GPU
//   gpu_trial --pretend   the same on processors, for the table and the program themselves
//   gpu_trial --quick     with fewer samples
//
// Returns 0 when every line of the table is as it should be.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/digest.h"
#include "benchmarks/gpu/trained.h"
#include "devices/device_lock.h"
#include "devices/devices.h"
#include "devices/owned_device.h"
#include "devices/pretended_devices.h"
#include "models/network_sandbox.h"
#include "models/spec/networks.h"
#include "models/torch/torch_device.h"
#include "models/training/optimizers/adam.h"
#include "models/training/optimizers/sgd.h"
#include "trainer_server/training/devices/training_device.h"

namespace tidemill::gpu {
namespace {

using Clock = std::chrono::steady_clock;

// The relative difference of weights from those of processors that may come of additions in another
// order, of convolutions in TF32 and of products of 16 bits, in a few epochs.
constexpr double kTolerance = 0.05;
constexpr double kTolerance16 = 0.15;
constexpr double kAccuracyTolerance = 0.02;
// A path that needs twice the time of a step leaves the GPU idle for about half of it.
constexpr double kLeastIdleOfSlowPath = 0.3;

struct Arguments {
  bool pretend = false;
  bool quick = false;
  // What processes of the trials do: train until they are killed, or in the sandbox of networks.
  bool victim = false;
  bool sandboxed = false;
};

// The table: name, value, and whether it is as it should be.
class Table {
 public:
  void Add(std::string_view name, const std::string& value, bool is_good) {
    all_good_ &= is_good;
    std::printf("%-34.*s %-6s %s\n", static_cast<int>(name.size()), name.data(),
                is_good ? "ok" : "FAIL", value.c_str());
    std::fflush(stdout);
  }
  void Add(std::string_view name, const absl::Status& failed) {
    Add(name, std::string(failed.message()), false);
  }
  bool all_good() const { return all_good_; }

 private:
  bool all_good_ = true;
};

class Trials {
 public:
  Trials(const Arguments& arguments, const devices::Devices& devices, const devices::Gpu& gpu,
         const torch::Device& device)
      : arguments_(arguments), devices_(devices), gpu_(gpu), device_(device) {
    if (arguments.quick) images_ = {.samples = 512, .batch_size = 64, .epochs = 2};
  }

  bool Run() {
    table_.Add("devices", devices::Describe(devices_), true);
    CompareWithProcessors();
    RunTwice();
    MeasureRates();
    MeasureIdle();
    if (!arguments_.pretend) FillMemory();
    TrainInTheSandbox();
    KillAJob();
    return table_.all_good();
  }

 private:
  static models::ModelSpec Convnet() { return models::Convnet{.outputs = 10}; }
  static models::TrainingSpec Spec(models::Precision precision = models::Precision::kFloat32) {
    return {
        .optimizer = models::Sgd{.lr = 0.03, .momentum = 0.9}, .precision = precision, .seed = 3};
  }

  void CompareWithProcessors() {
    const auto expected = Train(Convnet(), Spec(), images_, torch::kCPU);
    if (!expected.ok()) return table_.Add("processors", expected.status());
    const std::pair<const char*, models::Precision> precisions[] = {
        {"weights, float32", models::Precision::kFloat32},
        {"weights, bfloat16", models::Precision::kBfloat16},
        {"weights, float16", models::Precision::kFloat16}};
    for (const auto& [name, precision] : precisions) {
      const auto trained = Train(Convnet(), Spec(precision), images_, device_);
      if (!trained.ok()) {
        table_.Add(name, trained.status());
        continue;
      }
      const auto difference = DifferenceOf(expected->weights, trained->weights);
      if (!difference.ok()) {
        table_.Add(name, difference.status());
        continue;
      }
      const double allowed = precision == models::Precision::kFloat32 ? kTolerance : kTolerance16;
      const double accuracies = std::abs(expected->accuracy - trained->accuracy);
      table_.Add(
          name,
          fmt::format("{:.2g} of the largest from processors' (allowed {:g}); accuracy {:.3f} "
                      "beside {:.3f}; loss {:.4f} beside {:.4f}",
                      *difference, allowed, trained->accuracy, expected->accuracy, trained->loss,
                      expected->loss),
          *difference <= allowed && accuracies <= kAccuracyTolerance);
    }
  }

  void RunTwice() {
    const auto first = Train(Convnet(), Spec(), images_, device_);
    const auto second = Train(Convnet(), Spec(), images_, device_);
    if (!first.ok()) return table_.Add("run twice", first.status());
    if (!second.ok()) return table_.Add("run twice", second.status());
    table_.Add(
        "run twice",
        fmt::format("SHA-256 {:.16} and {:.16}", Sha256(first->weights), Sha256(second->weights)),
        first->weights == second->weights);
  }

  void MeasureRates() {
    Images images = images_;
    if (arguments_.quick) images.samples = 2 * images.batch_size;
    const std::pair<const char*, models::Precision> precisions[] = {
        {"resnet18, float32", models::Precision::kFloat32},
        {"resnet18, bfloat16", models::Precision::kBfloat16}};
    for (const auto& [name, precision] : precisions) {
      const auto trained =
          Train(models::Resnet18{.outputs = 10, .width = arguments_.quick ? 8 : 64},
                Spec(precision), images, device_);
      if (!trained.ok()) {
        table_.Add(name, trained.status());
        continue;
      }
      std::string text = fmt::format("{:.0f} samples/s", trained->rate());
      if (trained->idle_seconds) {
        const double copied = trained->copy_seconds;
        // What the GPU idles for includes what it waits for copies.
        const double hidden = std::max(0.0, copied - *trained->idle_seconds);
        text += fmt::format(
            "; the GPU waits {:.0f} % of the time; copies take {:.0f} ms, of which at "
            "least {:.0f} % beside its work",
            100 * *trained->idle_seconds / trained->seconds, 1e3 * copied,
            copied > 0 ? 100 * hidden / copied : 0);
      }
      table_.Add(name, text, true);
    }
  }

  void MeasureIdle() {
    const auto fast = Train(Convnet(), Spec(), images_, device_);
    if (!fast.ok()) return table_.Add("slow path", fast.status());
    const double steps = fast->rate() > 0 ? static_cast<double>(fast->samples) /
                                                static_cast<double>(images_.batch_size)
                                          : 1;
    Images slow = images_;
    slow.delay = std::chrono::microseconds(static_cast<int64_t>(2e6 * fast->seconds / steps));
    const auto slowed = Train(Convnet(), Spec(), slow, device_);
    if (!slowed.ok()) return table_.Add("slow path", slowed.status());
    const double idle = slowed->idle_seconds.value_or(slowed->wait_seconds) / slowed->seconds;
    table_.Add(
        "slow path",
        fmt::format("waits {:.0f} % of the time for batches that take two steps each", 100 * idle),
        idle >= kLeastIdleOfSlowPath);
  }

  // A batch for which there is no room: 4096 images need hundreds of gigabytes in this network.
  void FillMemory() {
    Images images{.samples = 4096, .batch_size = 4096, .epochs = 1, .shape = {3, 64, 64}};
    const auto full =
        Train(models::Resnet18{.outputs = 10, .stem = models::Stem::kSmall, .width = 512}, Spec(),
              images, device_);
    const std::string text(full.status().message());
    table_.Add("out of memory", text.substr(0, 160),
               absl::IsResourceExhausted(full.status()) &&
                   text.find("samples do: write batch_size:") != std::string::npos);
  }

  // Starts this program in that role. Returns its process.
  pid_t Start(const char* role) const {
    const pid_t child = fork();
    if (child == 0) {
      execl("/proc/self/exe", "gpu_trial", role, arguments_.pretend ? "--pretend" : nullptr,
            nullptr);
      _exit(127);
    }
    return child;
  }

  // Whether the driver works within the sandbox of networks, and the sandbox holds.
  void TrainInTheSandbox() {
    const pid_t child = Start("--sandboxed");
    int status = 0;
    waitpid(child, &status, 0);
    table_.Add("sandbox of networks", "trains there, and reads no other file", status == 0);
  }

  // Whether a job that is killed leaves the device free, for locks and for the driver.
  void KillAJob() {
    const int64_t before = UsedBytes();
    const pid_t child = Start("--victim");
    const bool began = Await([&] { return devices::DeviceLock::IsHeld(gpu_.id); });
    const bool excluded = began && !devices::DeviceLock::Take(gpu_.id, {}).ok();
    if (!arguments_.pretend) Await([&] { return UsedBytes() > before + kVictimBytes; });
    const int64_t during = UsedBytes();
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const bool freed = Await([&] {
      return !devices::DeviceLock::IsHeld(gpu_.id) && UsedBytes() <= before + kVictimBytes / 2;
    });
    table_.Add("a killed job",
               fmt::format("held its device: {}; memory before, during, after: {} / {} / {} MiB",
                           excluded, before >> 20, during >> 20, UsedBytes() >> 20),
               excluded && freed);
  }

  static constexpr int64_t kVictimBytes = int64_t{200} << 20;

  int64_t UsedBytes() const {
    const auto use = devices_.UseOf(gpu_);
    return use.ok() ? use->used_bytes : 0;
  }

  static bool Await(const std::function<bool()>& is_so) {
    const auto end = Clock::now() + std::chrono::seconds(60);
    while (!is_so()) {
      if (Clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  }

  const Arguments arguments_;
  const devices::Devices& devices_;
  const devices::Gpu& gpu_;
  const torch::Device device_;
  Images images_;
  Table table_;
};

rpc::v1::JobDevice Describe(const devices::Gpu& gpu) {
  rpc::v1::JobDevice device;
  device.set_device(fmt::format("cuda:{}", gpu.index));
  device.set_id(gpu.id);
  device.set_name(gpu.name);
  device.set_memory_bytes(gpu.memory_bytes);
  device.set_is_pretended(gpu.is_pretended);
  return device;
}

// Trains on the device as the process of a job does.
absl::Status TrainAsAJob(const Arguments& arguments, const devices::Gpu& gpu) {
  ASSIGN_OR_RETURN(const auto owned, devices::OwnedDevice::Take(Describe(gpu)));
  ASSIGN_OR_RETURN(const torch::Device device, models::TorchDeviceOf(owned));
  Images images{.samples = 512, .batch_size = 64, .epochs = 2};
  if (arguments.victim) images.epochs = 1'000'000;
  if (arguments.sandboxed) {
    RETURN_IF_ERROR(models::EnterNetworkSandbox({.uses_gpu = owned.is_gpu()}));
    if (open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0) return Internal("it reads /etc/passwd");
  }
  return Train(models::Convnet{.outputs = 10}, {.seed = 3}, images, device).status();
}

absl::StatusOr<int> RunAll(const Arguments& arguments) {
  if (arguments.pretend) setenv(devices::kPretendedVariable, "1x1GiB@gpu_trial", 1);
  ASSIGN_OR_RETURN(const auto devices, devices::FindDevices());
  if (devices->gpus().empty()) return FailedPrecondition("{}", devices::Describe(*devices));
  const devices::Gpu& gpu = devices->gpus().front();
  trainer_server::MakeDeterministic(4);
  if (arguments.victim || arguments.sandboxed) {
    RETURN_IF_ERROR(TrainAsAJob(arguments, gpu));
    return 0;
  }
  // Not held: the job that is killed holds it.
  setenv("CUDA_VISIBLE_DEVICES", gpu.is_pretended ? "" : gpu.id.c_str(), 1);
  setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
  const torch::Device device =
      gpu.is_pretended ? torch::Device(torch::kCPU) : torch::Device(torch::kCUDA, 0);
  return Trials(arguments, *devices, gpu, device).Run() ? 0 : 1;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    arguments.pretend |= argument == "--pretend";
    arguments.quick |= argument == "--quick";
    arguments.victim |= argument == "--victim";
    arguments.sandboxed |= argument == "--sandboxed";
  }
  const absl::StatusOr<int> code = RunAll(arguments);
  if (code.ok()) return *code;
  std::fprintf(stderr, "gpu_trial: %s\n", std::string(code.status().message()).c_str());
  return 1;
}

}  // namespace
}  // namespace tidemill::gpu

int main(int argc, char** argv) { return tidemill::gpu::Main(argc, argv); }

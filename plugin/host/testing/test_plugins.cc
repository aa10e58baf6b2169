// Plug-ins that the tests of the host load: well-behaved ones, and one for each way to misbehave.
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <stdexcept>
#include <string>

#include "tidemill/plugin.hpp"

namespace {

// Fires where the share of mistakes exceeds its threshold; remembers how many rows it saw.
class Surprise : public tidemill::plugin::Trigger {
 public:
  static constexpr const char* kDoc = "Fires when mistakes come as a surprise.";
  static constexpr const char* kVersion = "1.2";

  Number threshold{*this, "threshold", "Share at which it fires.", 0.2, {.min = 0, .max = 1}};
  Integer every{*this, "every", "Samples between decisions.", kRequired, {.min = 1}};
  Text mode{*this, "mode", "How.", "mean", {.choices = {"mean", "max"}}};
  Numbers weights{*this, "weights", "Of what.", {1, 2.5}};
  Texts names{*this, "names", "Of whom.", {"a \"b\""}};
  Boolean is_loud{*this, "is_loud", "Whether it prints.", false};

  Points DecidesAt() const override { return EverySamples(every); }
  std::vector<Evidence> LooksAt() const override {
    return {{.name = "errors", .kind = EvidenceKind::kErrors, .newest = 500},
            {.name = "all", .kind = EvidenceKind::kSamples, .since = Since::kBeginning},
            {.name = "price", .kind = EvidenceKind::kColumns, .columns = {"bid", "ask"}}};
  }
  void Trained(const TidemillCut& at) override { trained_ = at.key; }
  void Cost(int64_t samples, double seconds) override { cost_ = seconds / double(samples); }
  void NoModel() override { ++no_model_; }
  Observed Observe(const Moment& moment) override {
    const Table errors = moment.table("errors");
    for (const double error : errors.values()) sum_ += error;
    seen_ += static_cast<int64_t>(errors.rows());
    if (is_loud) std::printf("sum %g\n", sum_);
    const Table price = moment.table("price");
    double widest = 0;
    for (size_t i = 0; i < price.rows(); ++i) {
      widest = std::max(widest, price.row(i)[1] - price.row(i)[0]);
    }
    return {{"share", sum_ / static_cast<double>(seen_)},
            {"widest", widest},
            {"last key", static_cast<double>(moment.table("all").keys().back())},
            {"trained", static_cast<double>(trained_)},
            {"cost", cost_},
            {"no_model", static_cast<double>(no_model_)},
            {"missing", static_cast<double>(errors.missing())},
            {"seed", static_cast<double>(seed())}};
  }
  Verdict Judge(const Observed& observed) const override {
    const double share = observed.at("share");
    return {.fired = share > threshold,
            .because = "the share is " + std::to_string(share),
            .comparison = Comparison{"share", share, threshold, "of 1"}};
  }
  std::string Seal() const override { return std::to_string(sum_) + " " + std::to_string(seen_); }
  void Restore(std::string_view state) override {
    const std::string text(state);
    if (text.empty()) throw std::invalid_argument("no state");
    sum_ = std::stod(text);
    seen_ = std::stoll(text.substr(text.find(' ')));
  }

 private:
  double sum_ = 0;
  int64_t seen_ = 0;
  int64_t trained_ = -1;
  double cost_ = 0;
  int64_t no_model_ = 0;
};
TIDEMILL_PLUGIN(Surprise);

// Costs of mistakes between classes.
class Cost : public tidemill::plugin::Measure {
 public:
  Number per_class{*this, "per_class", "Cost of a mistake by one class.", 1};

  Traits Describe() const override { return {.unit = "EUR", .width = 2, .combines = true}; }
  void Contribute(const Block& block, const Contributions& contributions) const override {
    for (size_t i = 0; i < block.rows(); ++i) {
      const auto distance = double(block.label_classes()[i] - block.predicted_classes()[i]);
      contributions.row(i)[0] = per_class * std::abs(distance);
      contributions.row(i)[1] = 1;
    }
  }
  std::optional<double> Combine(std::span<const double> sums) const override {
    return sums[1] == 0 ? std::nullopt : std::optional(sums[0] / sums[1]);
  }
};
TIDEMILL_PLUGIN(Cost);

// Class probabilities of the first class: a mean.
class FirstProbability : public tidemill::plugin::Measure {
 public:
  Traits Describe() const override {
    return {.higher_is_better = true, .needs_probabilities = true};
  }
  void Contribute(const Block& block, const Contributions& contributions) const override {
    for (size_t i = 0; i < block.rows(); ++i) contributions[i] = block.probabilities()[i][0];
  }
};
TIDEMILL_PLUGIN(FirstProbability);

const char* Outcome(long result) { return result >= 0 ? "it worked" : strerrorname_np(errno); }

int Overflow(int depth) {
  volatile char room[4096];
  room[0] = static_cast<char>(depth);
  return depth < 0 ? depth : Overflow(depth + 1) + room[0];
}

int Clone() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  return child;
}

// What the system says to what a plug-in may not do.
std::string Try(const std::string& what) {
  if (what == "fork") return Outcome(Clone());
  if (what == "socket") return Outcome(socket(AF_INET, SOCK_STREAM, 0));
  if (what == "write") return Outcome(open("/tmp/tidemill_plugin_test", O_WRONLY | O_CREAT, 0600));
  if (what == "truncate") return Outcome(open("/dev/null", O_RDONLY | O_TRUNC));
  if (what == "unlink") return Outcome(unlink("/tmp/tidemill_plugin_test"));
  if (what == "kill parent") return Outcome(kill(getppid(), SIGKILL));
  if (what == "kill all") return Outcome(kill(-1, 0));
  if (what == "outlive") return Outcome(prctl(PR_SET_PDEATHSIG, 0));
  if (what == "execute") return Outcome(execl("/bin/true", "true", nullptr));
  if (what == "memfd") return Outcome(memfd_create("more", 0));
  if (what == "answers") return Outcome(ftruncate(5, 0));
  if (what == "read") return Outcome(open("/etc/passwd", O_RDONLY));
  if (what == "chmod") return Outcome(syscall(452, AT_FDCWD, "/dev/null", 0666, 0));
  if (what == "own signals") return Outcome(fcntl(3, F_SETOWN, 1));
  if (what == "own group") {
    const f_owner_ex owner{.type = F_OWNER_PID, .pid = 1};
    return Outcome(fcntl(3, F_SETOWN_EX, &owner));
  }
  if (what == "choose signal") return Outcome(fcntl(3, F_SETSIG, SIGKILL));
  if (what == "limit") {
    const rlimit more{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    return Outcome(setrlimit(RLIMIT_DATA, &more));
  }
  if (what == "shared memory") {
    void* const memory =
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return Outcome(memory == MAP_FAILED ? -1 : 0);
  }
  if (what == "environment") {
    std::string all;
    for (char** name = environ; *name != nullptr; ++name) all += std::string(*name) + "\n";
    return all;
  }
  if (what == "thread") {
    int seen = 0;
    std::async(std::launch::async, [&seen] { seen = 1; }).wait();
    return seen == 1 ? "it worked" : "it did not";
  }
  return "unknown";
}

// More than a process of a plug-in may have, each with a small stack.
void StartThreads() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size_t{64} << 10);
  pthread_t thread;
  for (int i = 0; i < 1000; ++i) {
    pthread_create(
        &thread, &attributes,
        [](void*) -> void* {
          for (;;) pause();
        },
        nullptr);
  }
  for (;;) pause();
}

class Misbehaving : public tidemill::plugin::Trigger {
 public:
  Text how{*this, "how", "What it does.", kRequired};

  void Start() override {
    if (*how == "throws at start") throw std::runtime_error("not today");
  }
  Points DecidesAt() const override {
    if (*how == "two points") return {.samples = 1, .seconds = 1};
    return EveryCalendar(*how == "a bad calendar" ? "fortnight" : "day");
  }
  std::vector<Evidence> LooksAt() const override {
    if (*how == "throws in looks_at") throw std::runtime_error("nowhere to look");
    return {{.name = "errors"}};
  }
  Observed Observe(const Moment& moment) override {
    if (*how == "throws") throw std::runtime_error("division by zero");
    if (*how == "throws a number") throw 7;  // NOLINT(bugprone-std-exception-baseclass)
    if (*how == "exits") std::exit(3);
    if (*how == "crashes") raise(SIGSEGV);
    if (*how == "aborts") std::abort();
    if (*how == "overflows") Overflow(0);
    if (*how == "starts threads") StartThreads();
    if (*how == "loops") {
      while (getpid() > 0) continue;
    }
    if (*how == "wants memory") last_ = std::string(size_t{8} << 30, 'x');
    if (*how == "gives NaN") return {{"share", std::nan("")}};
    if (*how == "observes twice") return {{"share", 1}, {"share", 2}};
    if (*how == "looks elsewhere") moment.table("labels");
    if (*how == "wants whole numbers") moment.table("errors").keys();
    if (*how == "writes to its inputs") {
      const_cast<double*>(moment.table("errors").values().data())[0] = 1;
    }
    if (*how == "makes its inputs writable") {
      const auto page =
          reinterpret_cast<uintptr_t>(moment.table("errors").values().data()) & ~4095UL;
      last_ = Outcome(mprotect(reinterpret_cast<void*>(page), 4096, PROT_READ | PROT_WRITE));
    }
    if (how->starts_with("try ")) last_ = Try(how->substr(4));
    return {};
  }
  Verdict Judge(const Observed&) const override {
    if (*how == "judges by NaN")
      return {.because = "x", .comparison = Comparison{"x", std::nan("")}};
    return {.because = "it is what it is"};
  }
  std::string Seal() const override { return last_; }

 private:
  std::string last_;
};
TIDEMILL_PLUGIN(Misbehaving);

class Broken : public Misbehaving {
 public:
  Broken() { throw std::runtime_error("it is broken"); }
};
TIDEMILL_PLUGIN(Broken);

}  // namespace

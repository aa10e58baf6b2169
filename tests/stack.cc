#include "tests/stack.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "fmt/format.h"

#include "base/files.h"
#include "base/numbers/random.h"
#include "base/time.h"
#include "db/testing/postgres.h"

namespace tidemill::tests {
namespace {

namespace fs = std::filesystem;

std::string Slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string CommandLineOf(int process) {
  std::string words = Slurp(fmt::format("/proc/{}/cmdline", process));
  for (char& c : words) {
    if (c == '\0') c = ' ';
  }
  return words;
}

int ParentOf(int process) {
  const std::string stat = Slurp(fmt::format("/proc/{}/stat", process));
  const size_t end = stat.rfind(')');
  if (end == std::string::npos) return 0;
  std::istringstream rest(stat.substr(end + 2));
  char state = 0;
  int parent = 0;
  rest >> state >> parent;
  return state == 'Z' ? 0 : parent;
}

std::vector<int> AllProcesses() {
  std::vector<int> processes;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos) {
      processes.push_back(std::stoi(name));
    }
  }
  return processes;
}

}  // namespace

nlohmann::json CommandResult::Json() const {
  const size_t end = out.find_last_not_of('\n');
  if (end == std::string::npos) return nullptr;
  const size_t begin = out.rfind('\n', end);
  const std::string line = out.substr(begin == std::string::npos ? 0 : begin + 1, end + 1);
  return nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
}

std::string ProgramFolder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

RunningCommand::RunningCommand(const std::vector<std::string>& words,
                               const std::map<std::string, std::string>& environment,
                               const std::string& scratch) {
  const std::string program = ProgramFolder() + "/tidemill";
  std::vector<std::string> arguments = {"tidemill"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  static std::atomic<int> num_commands = 0;
  const std::string number = std::to_string(++num_commands);
  out_ = scratch + "/out" + number;
  err_ = scratch + "/err" + number;
  const std::string templates = db::testing::ClusterTemplates();
  process_ = fork();
  if (process_ != 0) return;
  setenv("TIDEMILL_CLUSTER_TEMPLATES", templates.c_str(), 1);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  dup2(open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), STDOUT_FILENO);
  dup2(open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), STDERR_FILENO);
  execv(program.c_str(), argv.data());
  _exit(127);
}

RunningCommand::~RunningCommand() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    Result();
  }
}

std::string RunningCommand::SaidSoFar() const { return Slurp(err_); }

void RunningCommand::Interrupt() const { kill(process_, SIGINT); }

CommandResult RunningCommand::Result() {
  int status = 0;
  waitpid(std::exchange(process_, 0), &status, 0);
  CommandResult result{
      .exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
      .out = Slurp(out_),
      .err = Slurp(err_)};
  fs::remove(out_);
  fs::remove(err_);
  return result;
}

CommandResult RunTidemill(const std::vector<std::string>& words,
                          const std::map<std::string, std::string>& environment,
                          const std::string& scratch) {
  return RunningCommand(words, environment, scratch).Result();
}

Stack::Stack() {
  std::string pattern = "/tmp/tidemill-test-XXXXXX";
  root_ = mkdtemp(pattern.data());
  // PostgreSQL's unprivileged user has to pass through.
  fs::permissions(root_, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
  state_ = root_ + "/state";
  files_ = root_ + "/files";
  fs::create_directory(files_);
}

Stack::~Stack() {
  // A test may have taken the state folder away, and purge then leaves its database.
  const std::string database =
      Tidemill({"status", "--json"}).Json().value("database_folder", std::string());
  Tidemill({"down", "--purge"});
  fs::remove_all(root_);
  if (!database.empty()) fs::remove_all(database);
}

CommandResult Stack::Tidemill(const std::vector<std::string>& words,
                              const std::map<std::string, std::string>& environment) const {
  std::vector<std::string> all = words;
  all.insert(all.end(), {"--state", state_});
  return RunTidemill(all, environment, root_);
}

rpc::Peer Stack::PeerOf(const std::string& service, rpc::v1::Role role) const {
  // A stack listens in the same places whenever it is up.
  if (!endpoints_.contains(service))
    endpoints_ = Tidemill({"status", "--json"}).Json().at("endpoints");
  const auto tokens = rpc::Tokens::Read(state_ + "/token");
  return {.endpoint = endpoints_.at(service).get<std::string>(),
          .token = tokens->TokenOf(role).value()};
}

std::vector<int> Stack::Processes(const std::string& name) const {
  // Members name the state folder or the database's, or descend from one that does.
  const nlohmann::json status = Tidemill({"status", "--json"}).Json();
  const std::string database = status.value("database_folder", state_);
  const std::vector<int> all = AllProcesses();
  std::map<int, bool> member;
  for (const int process : all) {
    const std::string words = CommandLineOf(process);
    member[process] =
        words.find(state_) != std::string::npos || words.find(database) != std::string::npos;
  }
  for (bool grew = true; grew;) {
    grew = false;
    for (const int process : all) {
      const int parent = ParentOf(process);
      if (!member[process] && parent > 1 && member.contains(parent) && member[parent]) {
        member[process] = grew = true;
      }
    }
  }
  std::vector<int> found;
  for (const int process : all) {
    const std::string words = CommandLineOf(process);
    const std::string program = fs::path(words.substr(0, words.find(' '))).filename();
    if (member[process] && (name.empty() || program == name)) found.push_back(process);
  }
  return found;
}

int Stack::KillAll() const {
  const std::vector<int> processes = Processes();
  for (const int process : processes) kill(process, SIGKILL);
  return static_cast<int>(processes.size());
}

std::string Stack::Logs() const {
  std::string text;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(state_ + "/logs", error)) {
    const std::string log = Slurp(entry.path());
    text += fmt::format("== {}\n{}\n", entry.path().filename().string(),
                        log.size() > 3000 ? log.substr(log.size() - 3000) : log);
  }
  return text;
}

std::string WriteSmallPipeline(const std::string& folder, const std::string& trigger) {
  std::ofstream data(folder + "/drift.csv");
  data << "time,a,b,c,class\n";
  for (int row = 0; row < 1200; ++row) {
    const RandomKey key{.seed = 7, .purpose = "small_pipeline"};
    const double a = RandomUnit(key, 3 * row) * 2 - 1;
    const double b = RandomUnit(key, 3 * row + 1) * 2 - 1;
    const double c = RandomUnit(key, 3 * row + 2);
    // The boundary turns with time, so that a model grows stale.
    const bool up = a * (1200 - row) + b * row > 0;
    data << fmt::format("{},{:.6f},{:.6f},{:.6f},{}\n",
                        FormatTimestamp({1'700'000'000'000'000 + row * 60'000'000LL}), a, b, c,
                        up ? "UP" : "DOWN");
  }
  const std::string path = folder + "/pipeline.yaml";
  std::ofstream pipeline(path);
  pipeline << R"(version: 1
name: small
description: A pipeline that takes a few seconds.
datasets:
  drift:
    path: .
    files: "drift.csv"
    format: {type: csv, header: true}
    event_time: {column: time}
    label: {column: class, classes: [DOWN, UP]}
    settle: 0s
preprocess:
  dataset: drift
  graph:
    - parse_csv: {columns: [a, b, c], dtype: float32}
    - standardize: {columns: all}
    - stack: {columns: all, into: input}
    - label: {into: target}
model: {type: mlp, hidden: [8], outputs: 2}
)";
  pipeline << "trigger: " << trigger << R"(
selection: {type: balanced, fraction: 0.8, weights: inverse_probability}
training:
  device: cpu
  epochs: 4
  batch_size: 16
  optimizer: {type: adam, lr: 1e-2}
  loss: cross_entropy
  warm_start: true
  seed: 11
  checkpoint_every: 300
retention: {training_sets: 3}
evaluation:
  - dataset: drift
    windows: {type: between_triggers}
    models: all
    measures: [accuracy, {type: f1, average: macro}]
)";
  return path;
}

std::string WriteDownsamplingPipeline(const std::string& folder) {
  const std::string path = WriteSmallPipeline(folder);
  std::string text = Slurp(path);
  const std::string seed = "  seed: 11\n";
  text.insert(text.find(seed) + seed.size(),
              "  downsampling: {type: rho_loss, fraction: 0.5, when: sample_then_batch}\n");
  std::ofstream(path) << text;
  return path;
}

}  // namespace tidemill::tests

#include "models/start_weights.h"

#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "fmt/format.h"
#include "fmt/ranges.h"

#include "models/torch/safetensors.h"

namespace tidemill::models {
namespace {

constexpr size_t kMostNamed = 4;
// How many batches normalisation has seen: it enters no computation, and old files lack it.
constexpr std::string_view kCounter = "num_batches_tracked";

std::string SomeOf(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kMostNamed);
  const std::string text = fmt::format(
      "{}", fmt::join(names.begin(), names.begin() + static_cast<int64_t>(shown), ", "));
  return names.size() > shown ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

// The arrays of all files of one set of weights.
class Arrays {
 public:
  static absl::StatusOr<Arrays> Read(const std::vector<std::string>& files) {
    Arrays arrays;
    for (const std::string& bytes : files) {
      ASSIGN_OR_RETURN(const TensorFile file, ReadTensorFile(bytes));
      for (const auto& [name, tensor] : file.tensors) {
        if (!IsProgram(name)) arrays.found_.emplace(name, tensor);
      }
    }
    return arrays;
  }

  const TensorBytes* Find(const std::string& name) {
    const auto it = found_.find(name);
    if (it == found_.end()) return nullptr;
    used_.insert(name);
    return &it->second;
  }

  std::vector<std::string> Unused() const {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : found_) {
      if (!used_.contains(name)) names.push_back(name);
    }
    return names;
  }

  std::string AnyName() const { return found_.empty() ? "" : found_.begin()->first; }

 private:
  std::map<std::string, TensorBytes> found_;
  std::set<std::string> used_;
};

// Copies an array into one of the network. Returns how the shapes differ.
absl::StatusOr<std::string> Copy(const std::string& name, const TensorBytes& from,
                                 const torch::Tensor& to) {
  if (from.shape != to.sizes().vec()) {
    return fmt::format("{} is [{}] but [{}] in the weights", name, fmt::join(to.sizes(), ", "),
                       fmt::join(from.shape, ", "));
  }
  ASSIGN_OR_RETURN(const torch::Tensor stored, TensorOf(from));
  if (stored.is_floating_point() != to.is_floating_point()) {
    return fmt::format("{} has another type", name);
  }
  to.copy_(stored);
  return std::string();
}

absl::Status Refuse(const std::vector<std::string>& missing, const std::vector<std::string>& wrong,
                    const Arrays& arrays) {
  std::string text;
  if (!missing.empty()) {
    text = fmt::format("the weights have no {} (they have {}, for example)", SomeOf(missing),
                       arrays.AnyName());
  }
  if (!wrong.empty()) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", SomeOf(wrong));
  }
  return FailedPrecondition(
      "training.start_from: {}; say in `layers` which arrays are taken, from which names, and "
      "which "
      "keep their random start (take: never)",
      text);
}

// Whether all parameters of a module are frozen, and there are some.
bool IsFrozen(const torch::nn::Module& module) {
  const std::vector<torch::Tensor> parameters = module.parameters();
  return !parameters.empty() && std::ranges::none_of(parameters, [](const torch::Tensor& one) {
    return one.requires_grad();
  });
}

}  // namespace

std::string TakenWeights::Describe() const {
  std::string text = fmt::format("training.start_from: {} of {} arrays of the network were taken",
                                 num_taken, num_taken + static_cast<int64_t>(fresh.size()));
  if (!fresh.empty()) {
    text += fmt::format("; {} keep their random start: {}", fresh.size(), SomeOf(fresh));
  }
  if (!unused.empty()) {
    text +=
        fmt::format("; {} arrays of the weights were not used: {}", unused.size(), SomeOf(unused));
  }
  return text;
}

absl::StatusOr<TakenWeights> TakeWeights(const StartFrom& spec,
                                         const std::vector<std::string>& files,
                                         const Network& network) {
  const torch::NoGradGuard no_gradients;
  ASSIGN_OR_RETURN(Arrays arrays, Arrays::Read(files));
  const std::vector<StartLayers> layers = spec.Layers();
  TakenWeights taken;
  std::vector<std::string> missing;
  std::vector<std::string> wrong;
  for (const auto& [name, tensor] : StateOf(network)) {
    const StartLayers* const entry = LayersOf(layers, name);
    if (entry == nullptr || entry->take == Take::kNever) {
      taken.fresh.push_back(name);
      continue;
    }
    const std::string stored = NameIn(*entry, name);
    const TensorBytes* found = arrays.Find(stored);
    if (found == nullptr) found = arrays.Find(network.module->NameElsewhere(stored));
    if (found == nullptr) {
      const bool may_lack = entry->take == Take::kIfFound || name.ends_with(kCounter);
      (may_lack ? taken.fresh : missing).push_back(may_lack ? name : stored);
      continue;
    }
    ASSIGN_OR_RETURN(const std::string difference, Copy(name, *found, tensor));
    if (difference.empty()) {
      ++taken.num_taken;
    } else {
      wrong.push_back(difference);
    }
  }
  if (!missing.empty() || !wrong.empty()) return Refuse(missing, wrong, arrays);
  if (taken.num_taken == 0) {
    return FailedPrecondition(
        "training.start_from: no array of the network is taken, such as {}; arrays that no entry "
        "of `layers` matches keep their random start, so {{modules: \"*\"}} is the last entry",
        SomeOf(taken.fresh));
  }
  std::erase_if(taken.fresh, [](const std::string& name) { return name.ends_with(kCounter); });
  taken.unused = arrays.Unused();
  return taken;
}

absl::Status Freeze(const std::vector<std::string>& patterns, const Network& network) {
  if (patterns.empty()) return absl::OkStatus();
  std::vector<bool> has_matched(patterns.size());
  for (auto& item : network.module->named_parameters()) {
    for (size_t i = 0; i < patterns.size(); ++i) {
      if (fnmatch(patterns[i].c_str(), item.key().c_str(), 0) != 0) continue;
      item.value().set_requires_grad(false);
      has_matched[i] = true;
    }
  }
  for (size_t i = 0; i < patterns.size(); ++i) {
    if (has_matched[i]) continue;
    return InvalidArgument("training.frozen: no parameter's name matches '{}'; there is {}",
                           patterns[i], network.module->named_parameters()[0].key());
  }
  if (TrainedOf(network).empty()) {
    return InvalidArgument("training.frozen matches all parameters, so there is nothing to train");
  }
  return absl::OkStatus();
}

void BeginTrainingMode(const Network& network) {
  network.module->train();
  for (const auto& item : network.module->named_modules("", /*include_self=*/false)) {
    const bool has_additions = network.low_rank != nullptr && network.low_rank->IsIn(item.key());
    if (!has_additions && IsFrozen(*item.value())) network.module->EvaluateLayer(item.key());
  }
}

}  // namespace tidemill::models

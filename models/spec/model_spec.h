// The `model` section of a pipeline: which network to train. An Architecture is a network as its
// spec defines it, with all functions that the platform needs.
//
//   model: {type: mlp, hidden: [64, 64], outputs: 2}
//   model: {type: resnet18, outputs: 10}
//   model: {type: embedding_bag, vocabulary: 20000, outputs: 40}
//
// To add a network, write a header beside this one with its spec and the declaration of its
// MakeModule(), that function in models/networks/<name>.cc, and its two lines in networks.h. The
// spec defines what ArchitectureBase needs. To replace a default, specialise ArchitectureOf for the
// spec and override the function there. A program that only reads specs does not link torch.
// models/networks/networks_test.cc checks the promises of every network; add a case there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

#include "base/time.h"
#include "config/choice.h"
#include "config/config.h"
#include "models/spec/model_inputs.h"

namespace tidemill::models {

class Architecture;
using ModelSpec = config::Choice<Architecture>;

// Whether rows may have fewer places than their column has.
enum class RowLengths {
  kOne,     // No.
  kPadded,  // Yes, padded with zeros. The padding does not change the answer.
  kRagged,  // Padded with zeros, or ragged.
  kAny,     // In any layout, with any padding. The network handles it.
};

// What an object of a program answers for classes.
enum class ProgramAnswers { kProbabilities, kLogits };

// The file of a network that is a file. A pipeline carries it as the digest of its bytes.
struct NetworkFile {
  std::string path;
  Duration timeout;  // Longest time for a batch.
};

// A network without weights: its layers and their settings. Thread-compatible.
class Architecture : public config::Part<Architecture> {
 public:
  // Lists every network.
  static std::span<const config::Alternative<Architecture>> Alternatives();

  // Returns the number of outputs for each sample.
  virtual int64_t NumOutputs() const = 0;

  // Returns why the network cannot take such columns, or std::nullopt when it can.
  virtual std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const = 0;

  // Returns the limits of the ids in a column, which must be in [0, limit). There is one limit for
  // each id of a row, or one for all. Empty when the column does not hold ids.
  virtual std::vector<int64_t> IdLimits(std::string_view column) const = 0;

  virtual RowLengths Lengths() const = 0;

  // Whether the gradients of its embeddings, whose names begin with "embedding", are sparse.
  virtual bool HasSparseGradients() const = 0;

  // Whether a batch needs so little arithmetic that a second thread costs more than it saves.
  virtual bool IsSmall() const = 0;

  // Returns std::nullopt for a network that is built from its settings.
  virtual std::optional<NetworkFile> File() const { return std::nullopt; }
  // Returns the same network with its file at another path. Returns the network unchanged when it
  // has no file.
  virtual ModelSpec WithFile(std::string path) const = 0;

  // Returns how it answers, for whatever the program of a training returns; std::nullopt for a
  // network.
  virtual std::optional<ProgramAnswers> Program() const { return std::nullopt; }

  // Whether `other` is of the same type and has the same settings.
  virtual bool Equals(const Architecture& other) const = 0;
};

template <typename Spec>
class ArchitectureOf;

// The part that all specs share.
template <typename Spec>
class ArchitectureBase : public config::PartOf<ArchitectureOf<Spec>, Architecture, Spec> {
 public:
  int64_t NumOutputs() const override { return this->spec_.outputs; }
  std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const override {
    return this->spec_.FindInputProblem(inputs);
  }
  std::vector<int64_t> IdLimits(std::string_view column) const override {
    return this->spec_.IdLimits(column);
  }
  RowLengths Lengths() const override { return Spec::kLengths; }
  bool HasSparseGradients() const override { return this->spec_.HasSparseGradients(); }
  bool IsSmall() const override { return this->spec_.IsSmall(); }
  ModelSpec WithFile(std::string /*path*/) const override { return this->spec_; }
  bool Equals(const Architecture& other) const override {
    return this->spec_ == static_cast<const ArchitectureBase&>(other).spec_;
  }
};

// The network of a spec, with the defaults.
template <typename Spec>
class ArchitectureOf final : public ArchitectureBase<Spec> {};

// Returns a network from a TorchScript file, which a program has made.
ModelSpec NetworkFromScript(std::string path, int64_t outputs);

// The inputs of a network's construction, besides its settings.
struct NetworkParts {
  InputSpecs inputs;      // The network can take them; see FindInputProblem().
  std::string file = {};  // The content of its file, if it has one.
};

// The layers, from models/network.h. Each network declares
//   absl::StatusOr<ModulePtr> MakeModule(const Mlp& spec, const NetworkParts& parts);
// The initial weights come from torch's global generator. INVALID_ARGUMENT when the network cannot
// be made from the parts. It may throw c10::Error: call it in Guard().
class NetworkModule;
using ModulePtr = std::shared_ptr<NetworkModule>;  // Shared, as torch's modules are.

}  // namespace tidemill::models

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::models::ModelSpec);

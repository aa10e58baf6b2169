// The `model` section of a pipeline: which network to train. An architecture as its spec says it,
// and all that the platform asks of one.
//
//   model: {type: mlp, hidden: [64, 64], outputs: 2}
//   model: {type: resnet18, outputs: 10}
//   model: {type: embedding_bag, vocabulary: 20000, outputs: 40}
//
// To add a network: a header beside this one with its spec, which says what ArchitectureOf in
// model_spec.cc asks of it, and with the declaration of its MakeModule(); that function in
// models/networks/<name>.cc; and its two lines in networks.h. Whoever reads specs does not link
// torch. models/testing/each_network.h says how its test holds it to what every network promises.
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

// Whether rows may have fewer places than their column says.
enum class RowLengths {
  kOne,     // No.
  kPadded,  // Yes, padded with zeros: however many there are, the answer is the same.
  kRagged,  // Padded with zeros, or ragged.
  kAny,     // In whatever layout, with whatever padding: the network knows what it does.
};

// Of a network that is a file: with a pipeline, it travels as the digest of its bytes.
struct NetworkFile {
  std::string path;
  Duration timeout;  // Longest time for a batch.
};

// A network before it has weights: of which layers it is, and their settings. Thread-compatible.
class Architecture : public config::Part<Architecture> {
 public:
  // Every network there is.
  static std::span<const config::Alternative<Architecture>> Alternatives();

  // Numbers that it gives for each sample.
  virtual int64_t NumOutputs() const = 0;

  // Why it cannot take such columns; std::nullopt when it can.
  virtual std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const = 0;

  // Ids in a column must lie in [0, limit): one limit for each id of a row, or one for all.
  // Empty for a column of other numbers.
  virtual std::vector<int64_t> IdLimits(std::string_view column) const = 0;

  virtual RowLengths Lengths() const = 0;

  // Whether the gradients of its embeddings, whose names begin with "embedding", are sparse.
  virtual bool HasSparseGradients() const = 0;

  // Whether a batch is so little arithmetic that a second thread costs more than it saves.
  virtual bool IsSmall() const = 0;

  // std::nullopt for a network that is built from its settings.
  virtual std::optional<NetworkFile> File() const = 0;
  // The same network, whose file lies elsewhere; itself where it has none.
  virtual ModelSpec WithFile(std::string path) const = 0;

  // Whether a network of the same type has the same settings.
  virtual bool Equals(const Architecture& other) const = 0;
};

// What a network is made of beside its settings.
struct NetworkParts {
  InputSpecs inputs;      // It can take them: see FindInputProblem().
  std::string file = {};  // What its file holds, where it has one.
};

// The layers, of models/network.h. Each network declares
//   absl::StatusOr<ModulePtr> MakeModule(const Mlp& spec, const NetworkParts& parts);
// whose initial weights come from torch's global generator. INVALID_ARGUMENT for parts of which it
// cannot be made. It may throw c10::Error: call it in Guard().
class NetworkModule;
using ModulePtr = std::shared_ptr<NetworkModule>;  // Shared, as torch's modules are.

}  // namespace tidemill::models

TIDEMILL_EXTERN_CONFIG_TYPE(tidemill::models::ModelSpec);

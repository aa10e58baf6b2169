#include "models/spec/model_spec.h"

#include <utility>

#include "models/spec/networks.h"

namespace tidemill::models {
namespace {

// A network by what its spec says: outputs, FindInputProblem(), IdLimits(), kLengths,
// HasSparseGradients() and IsSmall(). One that is a file says File() and WithFile(), too.
template <typename Spec>
class ArchitectureOf final : public config::PartOf<ArchitectureOf<Spec>, Architecture, Spec> {
 public:
  int64_t NumOutputs() const override { return spec_.outputs; }
  std::optional<SpecProblem> FindInputProblem(const InputSpecs& inputs) const override {
    return spec_.FindInputProblem(inputs);
  }
  std::vector<int64_t> IdLimits(std::string_view column) const override {
    return spec_.IdLimits(column);
  }
  RowLengths Lengths() const override { return Spec::kLengths; }
  bool HasSparseGradients() const override { return spec_.HasSparseGradients(); }
  bool IsSmall() const override { return spec_.IsSmall(); }
  std::optional<NetworkFile> File() const override {
    if constexpr (requires { spec_.File(); }) {
      return spec_.File();
    } else {
      return std::nullopt;
    }
  }
  ModelSpec WithFile(std::string path) const override {
    if constexpr (requires { spec_.WithFile(std::move(path)); }) {
      return spec_.WithFile(std::move(path));
    } else {
      return spec_;
    }
  }
  bool Equals(const Architecture& other) const override {
    return spec_ == static_cast<const ArchitectureOf&>(other).spec_;
  }

 private:
  using config::PartOf<ArchitectureOf<Spec>, Architecture, Spec>::spec_;
};

}  // namespace

std::span<const config::Alternative<Architecture>> Architecture::Alternatives() {
  return config::Alternatives<Architecture, ArchitectureOf>(Networks());
}

}  // namespace tidemill::models

TIDEMILL_CONFIG_TYPE(tidemill::models::ModelSpec);

#include "transform/ops/graph_op.h"

#include <type_traits>

#include "config/column_list.h"
#include "config/config.h"
#include "config/spec_list.h"
#include "transform/ops/op_list.h"

namespace tidemill::transform {
namespace {

// An op by what its spec says: kIsRandom and Build(). Some say `autocache`, Target(), Reads() with
// TryField(), TakeFiles() and RunsWith(), too.
template <typename Spec>
class GraphOpOf final : public config::PartOf<GraphOpOf<Spec>, GraphOp, Spec> {
 public:
  std::unique_ptr<Op> Build(OpBuilder& builder) const override { return spec_.Build(builder); }
  bool IsRandom() const override { return Spec::kIsRandom; }
  bool autocache() const override {
    if constexpr (requires { spec_.autocache; }) {
      return spec_.autocache;
    } else {
      return false;
    }
  }
  void ClearAutocache() override {
    if constexpr (requires { spec_.autocache; }) spec_.autocache = false;
  }
  TargetMade Target() const override {
    if constexpr (requires { spec_.Target(); }) {
      return spec_.Target();
    } else {
      return TargetMade::kOther;
    }
  }
  ReadFields Reads() const override {
    if constexpr (requires { spec_.Reads(); }) {
      return spec_.Reads();
    } else {
      return {};
    }
  }
  std::optional<BadField> TryField(const std::string& text, char decimal) const override {
    if constexpr (requires { spec_.Reads(); }) {
      return spec_.TryField(text, decimal);
    } else {
      return std::nullopt;
    }
  }
  void NameColumns(std::string_view key, const std::vector<std::string>& names) override {
    spec_.Fields([&](std::string_view at, auto& value, const auto&...) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, config::ColumnList>) {
        if (at == key) value = names;
      }
    });
  }
  void TakeFiles(config::NamedFiles& files, config::Problems& problems) override {
    if constexpr (requires { spec_.TakeFiles(files, problems); }) {
      spec_.TakeFiles(files, problems);
    }
  }
  std::string RunsWith() const override {
    if constexpr (requires { spec_.RunsWith(); }) {
      return spec_.RunsWith();
    } else {
      return {};
    }
  }
  bool Equals(const GraphOp& other) const override {
    return spec_ == static_cast<const GraphOpOf&>(other).spec_;
  }

 private:
  using config::PartOf<GraphOpOf<Spec>, GraphOp, Spec>::spec_;
};

}  // namespace

std::span<const config::Alternative<GraphOp>> GraphOp::Alternatives() {
  return config::Alternatives<GraphOp, GraphOpOf>(Ops());
}

}  // namespace tidemill::transform

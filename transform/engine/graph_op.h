// An op of a graph as its spec defines it: everything that the platform must know about an op.
//
// To add an op, write a header with its spec and its source in the room of transform/ops/ for what
// it works on, and add its two lines to transform/ops/op_list.h. op_spec.h says what a spec must
// have. Where a default of GraphOp does not fit, specialise GraphOpOf for the spec and override it
// there.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "batch/csv_dialect.h"
#include "config/choice.h"
#include "config/column_list.h"
#include "config/named_files.h"
#include "transform/engine/op_spec.h"

namespace tidemill::transform {

// An op and its settings. Thread-compatible.
class GraphOp : public config::PartWithFiles<GraphOp> {
 public:
  // Lists every op.
  static std::span<const config::Alternative<GraphOp>> Alternatives();

  // Builds the op; see op_spec.h.
  virtual std::unique_ptr<Op> Build(OpBuilder& builder) const = 0;

  // Whether the result for a sample in training is drawn again in every epoch.
  virtual bool IsRandom() const = 0;

  // The content of the column `target`, for an op that makes it.
  virtual TargetMade Target() const { return TargetMade::kOther; }

  // Returns the fields of records that the op reads by name. A caller with some records can try the
  // op on them before the graph runs.
  virtual ReadFields Reads() const { return {}; }
  // Returns why the op cannot take this text of such a field, or std::nullopt when it can.
  // `csv` says how the records are written.
  virtual std::optional<BadField> TryField(const std::string& /*column*/,
                                           const std::string& /*text*/,
                                           const batch::CsvDialect& /*csv*/) const {
    return std::nullopt;
  }

  // Returns how a user of an exported model makes the op's columns where they cannot be written as
  // steps, and the file that this takes, which will have the name `file`. std::nullopt: as the op's
  // doc says.
  virtual std::optional<ByHand> MakeByHand(const std::string& /*file*/) const {
    return std::nullopt;
  }

  // Replaces the list of columns at `key` by these names, which its rules choose.
  virtual void NameColumns(std::string_view key, const std::vector<std::string>& names) = 0;

  // Whether `other` is of the same type and has the same settings.
  virtual bool Equals(const GraphOp& other) const = 0;
};

using OpSpec = config::Choice<GraphOp>;

template <typename Spec>
class GraphOpOf;

// The members that every spec has.
template <typename Spec>
class GraphOpBase : public config::PartOf<GraphOpOf<Spec>, GraphOp, Spec> {
 public:
  std::unique_ptr<Op> Build(OpBuilder& builder) const override {
    return this->spec_.Build(builder);
  }
  bool IsRandom() const override { return Spec::kIsRandom; }
  void NameColumns(std::string_view key, const std::vector<std::string>& names) override {
    this->spec_.Fields([&](std::string_view at, auto& value, const auto&...) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, config::ColumnList>) {
        if (at == key) value = names;
      }
    });
  }
  bool Equals(const GraphOp& other) const override {
    return this->spec_ == static_cast<const GraphOpBase&>(other).spec_;
  }
};

// The op of a spec, with the defaults.
template <typename Spec>
class GraphOpOf final : public GraphOpBase<Spec> {};

}  // namespace tidemill::transform

// A part of some kind, such as a trigger policy, chosen by its type from a list that is built at
// run time. In YAML it looks like a std::variant of the specs: `{type: amount, samples: 5}`.
//
//   class Trigger : public config::Part<Trigger> {
//    public:
//     virtual std::string Explain(const Verdict& verdict) const = 0;
//     static std::span<const config::Alternative<Trigger>> Alternatives();  // The list.
//   };
//   using TriggerSpec = config::Choice<Trigger>;
//
//   template <typename Spec>  // Behaviour by functions of the spec, which a new part must have.
//   class TriggerOf final : public config::PartOf<TriggerOf<Spec>, Trigger, Spec> {
//    public:
//     std::string Explain(const Verdict& verdict) const override {
//       return supervisor::Explain(this->spec_, verdict);
//     }
//   };
//
// The list names the parts, and includes none of their headers: the source of each part defines its
// line. A new part is therefore its own files and one line of the list:
//
//   TIDEMILL_PART(Trigger, TriggerOf, AmountTrigger)  // amount_trigger.cc
//
//   #define TIDEMILL_TRIGGERS(part) part(AmountTrigger) part(TimeTrigger)  // The list's source.
//   TIDEMILL_PART_LIST(Trigger, TIDEMILL_TRIGGERS)
//
// The spec of a part is a plain struct with Fields() and kType. The interface declares the
// functions that all parts need as pure virtual, so that a part without one does not compile. Code
// that uses a choice calls the interface, and names no part.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "config/type.h"

namespace tidemill::config {

namespace internal {
template <typename T>
const Type& TypeOf();
}  // namespace internal

// An entry of the list: the table of the spec, and a part with a default spec.
template <typename Interface>
struct Alternative {
  internal::TypeGetter type;
  std::unique_ptr<Interface> (*make)();
};

// The base of every interface of parts. Thread-compatible.
template <typename Interface>
class Part {
 public:
  virtual ~Part() = default;
  Part& operator=(const Part&) = delete;

  virtual std::unique_ptr<Interface> Clone() const = 0;
  // Returns the part's spec. Its Alternative names its type.
  virtual const void* spec() const = 0;
  virtual void* mutable_spec() = 0;

 protected:
  Part() = default;
  Part(const Part&) = default;
};

// The base of a part's class. It holds the spec.
template <typename Derived, typename Interface, typename Spec>
class PartOf : public Interface {
 public:
  // Returns its line in the list.
  static constexpr Alternative<Interface> Listed() {
    return {.type = &internal::TypeOf<Spec>,
            .make = []() -> std::unique_ptr<Interface> { return std::make_unique<Derived>(); }};
  }

  std::unique_ptr<Interface> Clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
  const void* spec() const override { return &spec_; }
  void* mutable_spec() override { return &spec_; }

 protected:
  Spec spec_;
};

// A value: copies are deep. Interface::Alternatives() must not be empty, and lists a type once.
// Thread-compatible. A choice that was moved from may only be assigned to or destroyed.
template <typename Interface>
class Choice {
 public:
  // Makes the first part of the list with its defaults.
  Choice() : Choice(size_t{0}) {}

  // Makes the part of that spec, which must be on the list.
  template <typename Spec>
  requires requires { Spec::kType; }
  Choice(Spec spec) : Choice(IndexOf<Spec>()) {  // NOLINT: as a variant is made of it.
    internal::As<Spec>(part_->mutable_spec()) = std::move(spec);
  }

  Choice(const Choice& other)
      : index_(other.index_), part_(other.part_ == nullptr ? nullptr : other.part_->Clone()) {}
  Choice(Choice&&) noexcept = default;
  Choice& operator=(const Choice& other) { return *this = Choice(other); }
  Choice& operator=(Choice&&) noexcept = default;

  // Whether two parts have the same type and are equal. For interfaces whose parts can be compared.
  friend bool operator==(const Choice& one, const Choice& other) requires
      requires(const Interface& part) {
    part.Equals(part);
  }
  { return one.index_ == other.index_ && one.part_->Equals(*other.part_); }

  const Interface* operator->() const { return part_.get(); }
  Interface* operator->() { return part_.get(); }
  const Interface& operator*() const { return *part_; }

  // Returns the spec's kType.
  std::string_view type() const { return Interface::Alternatives()[index_].type().tag; }

  // Returns the spec, or nullptr when it is of another type. For the part's own files and for
  // tests.
  template <typename Spec>
  const Spec* As() const {
    const bool same = Interface::Alternatives()[index_].type == &internal::TypeOf<Spec>;
    return same ? &internal::As<Spec>(part_->spec()) : nullptr;
  }

  // Returns the index in the list, for the tables of configuration types.
  size_t index() const { return index_; }
  void* mutable_spec() { return part_->mutable_spec(); }
  void* Emplace(size_t index) {
    *this = Choice(index);
    return mutable_spec();
  }

 private:
  explicit Choice(size_t index) : index_(index), part_(Interface::Alternatives()[index].make()) {}

  template <typename Spec>
  static size_t IndexOf() {
    const auto all = Interface::Alternatives();
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].type == &internal::TypeOf<Spec>) return i;
    }
    std::abort();  // The spec is not on the list.
  }

  size_t index_;
  std::unique_ptr<Interface> part_;
};

}  // namespace tidemill::config

// In the source of a part, in the namespace of its spec: defines the part's line of the list.
#define TIDEMILL_PART(Interface, PartOfSpec, Spec) \
  config::Alternative<Interface> LineOf(const Spec*) { return PartOfSpec<Spec>::Listed(); }

// In the source of the list, in the same namespace: defines Interface::Alternatives().
#define TIDEMILL_PART_DECLARED(Spec) \
  struct Spec;                       \
  Listed LineOf(const Spec*);
#define TIDEMILL_PART_LINE(Spec) LineOf(static_cast<const Spec*>(nullptr)),
#define TIDEMILL_PART_LIST(Interface, LIST)                    \
  using Listed = config::Alternative<Interface>;               \
  LIST(TIDEMILL_PART_DECLARED)                                 \
  std::span<const Listed> Interface::Alternatives() {          \
    static const Listed kLines[] = {LIST(TIDEMILL_PART_LINE)}; \
    return kLines;                                             \
  }

// The parts of a kind whose specs are read in one room and whose behaviour is linked in another.
// Programs that check a pipeline do not link the libraries of selection policies or networks.
//
//   // The room of the specs: a header for each part, and one list of them.
//   using Policies = config::SpecList<NewData, Uniform, KCenter>;
//   std::span<const config::Alternative<Selection>> Selection::Alternatives() {
//     return config::Alternatives<Selection, SelectionOf>(Policies());
//   }
//
//   // The header of a part declares its behaviour, for which a forward declaration is enough:
//   std::unique_ptr<Chooser> MakeChooser(const KCenter& spec, const Workplace& workplace);
//
//   // The room of the behaviour keeps no second list, and names no part:
//   return config::Dispatch(Policies(), selection, [&](const auto& spec) {
//     return MakeChooser(spec, workplace);
//   });
//
// Only the room of a kind's behaviour dispatches. All other code calls the interface.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <span>
#include <utility>

#include "config/choice.h"

namespace tidemill::config {

// The specs of the parts, in the order of the reference.
template <typename... Specs>
struct SpecList {};

// Returns the list for an interface. Adapter<Spec> is a PartOf for each spec.
template <typename Interface, template <typename> typename Adapter, typename... Specs>
std::span<const Alternative<Interface>> Alternatives(SpecList<Specs...> /*specs*/) {
  static constexpr Alternative<Interface> kAlternatives[] = {Adapter<Specs>::Listed()...};
  return kAlternatives;
}

// Calls `call` with the spec of the choice, by its own type. All results must have one type.
template <typename First, typename... Others, typename Interface, typename Call>
decltype(auto) Dispatch(SpecList<First, Others...> /*specs*/, const Choice<Interface>& choice,
                        Call&& call) {
  using Result = decltype(call(std::declval<const First&>()));
  if (const First* spec = choice.template As<First>()) return static_cast<Result>(call(*spec));
  if constexpr (sizeof...(Others) > 0) {
    return static_cast<Result>(Dispatch(SpecList<Others...>(), choice, std::forward<Call>(call)));
  } else {
    std::abort();  // The choice has another list.
  }
}

}  // namespace tidemill::config

// Selections: which candidates they choose.
#pragma once

#include <memory>

#include "plugin/host/kind.h"

namespace tidemill::plugin::host {

absl::Status CheckSelection(const void* functions);
std::unique_ptr<Kind> MakeSelection(const void* functions, Instance& instance,
                                    const Memories& memories);

}  // namespace tidemill::plugin::host

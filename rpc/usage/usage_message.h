// Amounts as messages.
#pragma once

#include "base/usage/amounts.h"
#include "tidemill/rpc/v1/usage.pb.h"

namespace tidemill::rpc {

usage::Amounts FromMessage(const v1::Usage& message);
v1::Usage ToMessage(const usage::Amounts& amounts);

// Adds `more` to `total`.
void AddUsage(const v1::Usage& more, v1::Usage& total);

// The time on processors, wherever that was, in nanoseconds.
int64_t ProcessorNanos(const v1::Usage& usage);

}  // namespace tidemill::rpc

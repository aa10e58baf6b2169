// Checks preconditions. Where the comment of a function says that something "must" hold, its body
// checks it:
//
//   // Returns the image of `index`, which must be in [0, size).
//   uint64_t Permutation::operator()(uint64_t index) const {
//     TIDEMILL_DCHECK(index < size_);
//
// A precondition is the duty of a caller in this program. A mistake of a user, a file or another
// process is reported by a Status. See docs/decisions/code/0034-preconditions.md.
//
// TIDEMILL_CHECK stays in every build. When the condition is false, it writes the place and the
// condition to stderr and aborts: a job is run again in a new process, and a service is restarted,
// whereas a program that continues would read or write beyond its memory. It costs one comparison.
//
// TIDEMILL_DCHECK is compiled in every build, and evaluated unless NDEBUG is defined. It is for
// conditions that cost more than the code that they guard, such as a check of each sample or of a
// whole column.
#pragma once

namespace tidemill::internal {

// Writes "FILE:LINE: a precondition does not hold: CONDITION" and aborts.
[[noreturn]] void FailCheck(const char* file, int line, const char* condition);

}  // namespace tidemill::internal

#define TIDEMILL_CHECK(condition)                      \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::tidemill::internal::FailCheck(__FILE__, __LINE__, #condition))

#ifdef NDEBUG
#define TIDEMILL_DCHECK(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#else
#define TIDEMILL_DCHECK(condition) TIDEMILL_CHECK(condition)
#endif

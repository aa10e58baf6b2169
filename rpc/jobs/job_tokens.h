// The tokens of the jobs of a service.
//
//   ASSIGN_OR_RETURN(const auto tokens, JobTokens::Open(context.tokens, folder));
//   endpoints.set_token_file(tokens->PathOf("training-3-7"));
//   ASSIGN_OR_RETURN(const JobTokens::Issued issued, tokens->Issue("training-3-7", claims));
//   ... run the job ...
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "base/status.h"
#include "base/threads/periodic_task.h"
#include "base/time.h"
#include "rpc/access/tokens.h"

namespace tidemill::rpc {

// A token may be used for an hour, and is replaced after ten minutes while its job runs. A job
// whose token has expired all the same, because the machine was suspended, calls in vain, and is
// started again as one that could not reach a service.
inline constexpr Duration kJobTokenLife{int64_t{3'600} * 1'000'000};

// Thread-safe.
class JobTokens {
 public:
  // Tokens are written below `folder`, whose content is removed first.
  static absl::StatusOr<std::unique_ptr<JobTokens>> Open(Tokens tokens, std::string folder);
  ~JobTokens();

  // The token of one job, in a file, until this object goes. The owner must outlive it.
  class Issued {
   public:
    Issued(JobTokens* owner, std::string path) : owner_(owner), path_(std::move(path)) {}
    Issued(Issued&& other) noexcept;
    Issued& operator=(Issued&&) = delete;
    ~Issued();

   private:
    JobTokens* owner_;
    std::string path_;
  };

  // Returns the path of the file with the token of this name. It is alone in its folder.
  std::string PathOf(const std::string& name) const;

  // Issues a token with these claims, and sets `expires_at`. One job at a time has a token of a
  // name. Errors of files.
  absl::StatusOr<Issued> Issue(const std::string& name, v1::JobClaims claims)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  JobTokens(Tokens tokens, std::string folder);
  absl::Status Write(const std::string& path, v1::JobClaims claims) const;
  absl::Status ReplaceAll() ABSL_LOCKS_EXCLUDED(mutex_);
  void Remove(const std::string& path) ABSL_LOCKS_EXCLUDED(mutex_);

  const Tokens tokens_;
  const std::string folder_;
  Mutex mutex_;
  std::map<std::string, v1::JobClaims> claims_ ABSL_GUARDED_BY(mutex_);  // By path.
  std::unique_ptr<PeriodicTask> replacing_;                              // It ends first.
};

}  // namespace tidemill::rpc

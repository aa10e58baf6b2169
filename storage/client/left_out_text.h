// Describes in words what was left out of a dataset.
#pragma once

#include <string>

#include "tidemill/rpc/v1/left_out.pb.h"

namespace tidemill::storage {

// Whether something was left out that the dataset's spec does not ask to leave out, or a file was
// not taken. A remark that counts nothing is not a loss.
bool AnyLost(const rpc::v1::LeftOut& left_out);

// "487 records", "2 files", "487 records and 2 files", "40 members", or "remark" when nothing is
// left out.
std::string Amount(const rpc::v1::LeftOut::Reason& reason);

// "3.1 KiB of 58 KiB (5.3 %) hold no readable record". Empty when no bytes are lost.
std::string LostBytesText(const rpc::v1::LeftOut& left_out);

// "weather.csv, record 12". Without a record when a whole file is meant.
std::string FirstPlace(const rpc::v1::LeftOut::Reason& reason);

// "5 fields where 6 columns are expected"
std::string InWords(const rpc::v1::LeftOut::Reason& reason);

// "600 of 1,461 records do not satisfy `where` ("price > 0")". Empty when all do.
std::string FilteredText(const rpc::v1::LeftOut& left_out);

// "2 files of `d` were not taken: a.csv (it cannot be read now: ...), b.csv (...)". Empty when all
// were. `name` may be empty.
std::string NotTakenText(const rpc::v1::FilesNotTaken& not_taken, const std::string& name = "");

// "3 files of `d` that still change". `name` may be empty.
std::string AwaitedText(int64_t num_files, const std::string& name = "");

// Returns one line: "487 of 1,461 records left out: 5 fields where 6 columns are expected
// (weather.csv, record 12); 3.1 KiB of 58 KiB (5.3 %) hold no readable record; 146 samples have no
// label". Filtered records come after it, and the files that were not taken. Empty when there is
// nothing to say.
std::string LeftOutText(const rpc::v1::LeftOut& left_out);

// Says why the dataset `name` has no samples, and what to do next.
std::string WhyEmpty(const std::string& name, int64_t num_files, const rpc::v1::LeftOut& left_out);

}  // namespace tidemill::storage

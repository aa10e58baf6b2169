// Datasets in an object store, and a storage process that may read them.
#pragma once

#include <string>

#include "storage/testing/generated_dataset.h"
#include "storage/testing/s3_server.h"
#include "storage/testing/storage_process.h"

namespace tidemill::storage::testing {

// How a storage process reaches `<bucket>/data` of the store. `section`: more settings of
// `object_store`, each behind a comma.
StorageSettings SettingsFor(const S3Server& server, const std::string& bucket,
                            const std::string& secret = S3Server::kSecret,
                            const std::string& section = "");

// Puts the files of the dataset below data/<its name>; returns it as it is there.
GeneratedDataset Upload(const S3Server& server, const std::string& bucket,
                        GeneratedDataset dataset);

}  // namespace tidemill::storage::testing

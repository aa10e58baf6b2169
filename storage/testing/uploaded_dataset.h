// Datasets in an object store, and a storage process that may read them.
#pragma once

#include <string>

#include "storage/testing/generated_dataset.h"
#include "storage/testing/s3_server.h"
#include "storage/testing/storage_process.h"

namespace tidemill::storage::testing {

// Returns the settings with which a storage process reaches `<bucket>/data` of the store. `section`
// has more settings of `object_store`, each after a comma.
StorageSettings SettingsFor(const S3Server& server, const std::string& bucket,
                            const std::string& secret = S3Server::kSecret,
                            const std::string& section = "");

// Puts the files of the dataset below data/<its name>. Returns the dataset as stored there.
GeneratedDataset Upload(const S3Server& server, const std::string& bucket,
                        GeneratedDataset dataset);

}  // namespace tidemill::storage::testing

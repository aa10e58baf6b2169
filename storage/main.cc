#include "rpc/service_main.h"
#include "storage/storage_server.h"

int main(int argc, char** argv) {
  return tidemill::rpc::ServiceMain(argc, argv, "storage", tidemill::storage::MakeStorageServer);
}

// The dispatcher's process.
#include "preprocess/dispatcher/dispatcher_server.h"

int main(int argc, char** argv) {
  return tidemill::rpc::ServiceMain(argc, argv, "preprocess",
                                    tidemill::preprocess::StartDispatcher);
}

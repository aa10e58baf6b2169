// tidemill-selector: chooses what each trigger trains on.
#include "rpc/service_main.h"
#include "selector/selector_server.h"

int main(int argc, char** argv) {
  return tidemill::rpc::ServiceMain(argc, argv, "selector", tidemill::selector::StartSelector);
}

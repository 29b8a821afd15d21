// The extension module weft._weft. The classes and functions that users see are in python/weft.
#include "bindings.hpp"

NB_MODULE(_weft, module) {
  using namespace weft::python;
  bind_errors(module);
  bind_communicator(module);
  bind_mesh(module);
  bind_simulation(module);
}

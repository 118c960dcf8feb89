#include "sluice/prediction.h"

namespace sluice {

std::string_view to_string(Rung rung) {
  switch (rung) {
    case Rung::declared:
      return "declared";
    case Rung::key:
      return "key";
    case Rung::program:
      return "program";
    case Rung::everything:
      return "everything";
    case Rung::prior:
      return "prior";
  }
  return "";
}

}  // namespace sluice

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

std::string known_by(std::string_view rung) {
  if (rung == "declared") return "as it declared";
  if (rung == "key" || rung == "program") return "by runs of its " + std::string(rung);
  if (rung == "everything") return "by runs of all jobs";
  return rung.empty() ? "" : "nothing is known of it";
}

}  // namespace sluice

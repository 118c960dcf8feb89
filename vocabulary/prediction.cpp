#include "sluice/prediction.h"

#include "base/enum_names.h"

namespace sluice {

std::string_view to_string(Rung rung) {
  static constexpr EnumNames<Rung::prior> kNames{"declared", "key", "program", "everything",
                                                 "prior"};
  return kNames.of(rung);
}

std::string known_by(std::string_view rung) {
  if (rung == "declared") return "as it declared";
  if (rung == "key" || rung == "program") return "by runs of its " + std::string(rung);
  if (rung == "everything") return "by runs of all jobs";
  return rung.empty() ? "" : "nothing is known of it";
}

}  // namespace sluice

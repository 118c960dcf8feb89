#include "service/protocol/environment.h"

#include "base/suggest.h"

namespace sluice {
namespace {

std::string variable_part(std::string_view manager) {
  std::string part = upper_case(manager);
  for (char& c : part) {
    const bool plain = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain) c = '_';
  }
  return part;
}

}  // namespace

std::map<std::string, std::string> environment_of(
    const std::vector<HeldItems>& held,
    const std::function<bool(std::string_view manager)>& is_jqm_compatible) {
  std::map<std::string, std::string> variables;
  for (const HeldItems& each : held) {
    if (each.items.empty()) continue;
    const std::string key = variable_part(each.manager);
    const std::string items = join_words(each.items, ",");
    variables["SLUICE_RM_" + key + "_ITEMS"] = items;
    if (is_jqm_compatible && is_jqm_compatible(each.manager)) {
      variables["JQM_RM_DISCRETE_" + key + "_ITEMS"] = items;
    }
  }
  return variables;
}

}  // namespace sluice

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sluice::cli {

/// The words for `sluice-autoscale` if this is a call of `sluice autoscale`; nullopt if it is not.
/// `words` has no program name. Pure.
std::optional<std::vector<std::string>> autoscale_words(std::vector<std::string> words);

/// Becomes `sluice-autoscale`: the one beside this program, else the one in $PATH. Returns only if
/// there is none: 2, with one line on standard error.
int become_autoscale(const std::vector<std::string>& words);

}  // namespace sluice::cli

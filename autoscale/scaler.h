#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sluice {

/// What a scaler says of an order. It may be wrong: what is seen afterwards counts.
struct ScalerReply {
  std::vector<std::string> done;  ///< Those of the names that it carried out, in their order.
  std::string problem;            ///< Why not all of them; empty: all.
  /// Those that it may have carried out: it was cut off before it could say.
  std::vector<std::string> unsure = {};
};

/// Those of some drained executors that can be removed for certain, without any other being taken.
struct Removable {
  std::vector<std::string> ids;
  std::string reason;  ///< Why not all of them; empty: all.
};

/// Whatever makes and ends executors. Each call takes a bounded time. Used on one thread.
class Scaler {
 public:
  virtual ~Scaler() = default;

  virtual ScalerReply add(const std::vector<std::string>& names) = 0;
  /// Asked before they are drained, and again by `remove`.
  virtual Removable removable(const std::vector<std::string>& ids) = 0;
  /// `one_by_one`: each is asked once more right before its own order. `together`: all are asked,
  /// then all go with one order.
  enum class Removes { one_by_one, together };
  virtual Removes removes() const = 0;
  virtual ScalerReply remove(const std::vector<std::string>& ids) = 0;
  /// They stay after all.
  virtual void keep(const std::vector<std::string>& ids) = 0;
};

}  // namespace sluice
